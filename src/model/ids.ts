// Names of things. All are opaque strings: a log may use UUIDs, `msg_…`, or anything else, and none is unique by itself.

import type { Brand } from '../base/brand.ts'

/** The record's uuid; `<uuid>~2` for a second record with that uuid in a file; `<session>@<offset>` without one. */
export type EventId = Brand<string, 'EventId'>
/** What groups records into one session: mostly a UUID, and mostly the file's name. */
export type SessionId = Brand<string, 'SessionId'>
/** The main thread has the session's id; a subagent's has its agent id, or its first event's id where the log gives none. */
export type ThreadId = Brand<string, 'ThreadId'>
/** `tool_use.id`, or `s3:` plus the event's id where the dialect has none. */
export type CallId = Brand<string, 'CallId'>

/** Makes an id of a text that is one. */
export const eventId = (text: string): EventId => text as EventId
/** Makes an id of a text that is one. */
export const sessionId = (text: string): SessionId => text as SessionId
/** Of sessions that have one id by chance, each is known by that and by how its records begin. */
export const keyedSession = (id: SessionId, digest: string): SessionId => sessionId(`${id}~${digest}`)
/** The id that the records of a session state, and by which Claude Code knows it. */
export const recordedId = (session: string): SessionId => sessionId(session.replace(/~[0-9a-f]{4,64}$/, ''))
/** Makes an id of a text that is one. */
export const threadId = (text: string): ThreadId => text as ThreadId
/** Makes an id of a text that is one. */
export const callId = (text: string): CallId => text as CallId

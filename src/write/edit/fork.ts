// A session up to one of its events, as a session of its own: `clew fork`. All records are copied that were written until then,
// abandoned branches too, with the subagents and outputs that they name; the copy resumes at the event.

import { toInstant, toMillis } from '../../base/instant.ts'
import { isObject, type JsonObject, jsonText } from '../../base/json.ts'
import { buildContext } from '../../graph/context/context.ts'
import { chainTypes, type SessionEvent } from '../../model/event.ts'
import type { LogFile } from '../../model/source.ts'
import { graphSummary } from '../../session/summary.ts'
import { WriteError } from '../wire/error.ts'
import { Copier } from './copy.ts'
import {
  type EditedFile,
  type EditedSession,
  type EditOptions,
  mainRecords,
  type ReadRecord,
  type ReadSession,
} from './session.ts'

export interface ForkOptions extends EditOptions {
  /** The id of its last event; absent: all of it. */
  at?: string
  title?: string | undefined
  /** The id of the new session. */
  session?: string
  /** What is said otherwise in the copy. */
  rewrite?(value: JsonObject, event: SessionEvent | null): JsonObject
}

/** What became of a session. */
export interface Fork extends EditedSession {
  /** The event that it resumes at; null where there is none. */
  leaf: string | null
  /** Records that were copied, those of subagents included. */
  records: number
  subagents: number
  /** Damaged lines, which have no record to copy. */
  damaged: number
  /** Calls that have no result in the copy: Claude Code says of them that they were interrupted. */
  openCalls: number
  title: string
}

/** What is about the file that it is in, not about the conversation. */
const ofTheFile: ReadonlySet<string> = new Set([
  'last-prompt',
  'cost-state',
  'file-history-snapshot',
  'file-history-delta',
  'custom-title',
  'continued-in',
  'session-owner',
  'resume-head-vouch',
  'bridge-session',
  'worktree-state',
])

/** The forked session. Throws where the event is not in the session's own log, or there is nothing to resume. */
export function forkSession(source: ReadSession, options: ForkOptions): Fork {
  const session = options.session ?? options.newId()
  const rewrite = options.rewrite ?? (value => value)
  if (!mainRecords(source).some(({ record }) => record.dialect === 'client'))
    throw new WriteError('not-resumable', 'Claude Code does not read this form of logs; first: clew convert --to real.')
  const leaf = leafOf(source, options.at)
  const copied = recordsUntil(source, options.at === undefined ? undefined : leaf)
  const copier = new Copier({ from: source.files.id, to: session, newId: options.newId })
  const agents = agentLogs(source, copied)
  const all = [copied, ...agents.map(({ records }) => records)]
  for (const { record } of all.flat()) if (record.value !== undefined) copier.know(record.value)
  const time = newestTime(copied, leaf)
  const lines = copied.flatMap(({ record, event }) => {
    if (!isCopied(record.value)) return []
    const value = event === leaf ? { ...record.value, timestamp: time } : record.value
    return [copier.line(copier.copy(rewrite(value, event)))]
  })
  const title = options.title ?? `${graphSummary(source.graph).title} (fork)`
  lines.push(titleLine(title, session, options), ...lastPrompt(leaf, source, copier, session))
  const files = agents.flatMap(({ file, records }) => agentFiles(file, records, copier))
  files.push(...outputFiles(source, [...lines, ...files.flatMap(linesOf)], session))
  return {
    session,
    lines,
    files,
    leaf: leaf?.id ?? null,
    records: all.flat().filter(({ record }) => isCopied(record.value)).length,
    subagents: agents.length,
    damaged: all.flat().filter(({ record }) => isDamaged(record)).length,
    openCalls: openCalls(copied).length,
    title,
  }
}

function isCopied(value: JsonObject | undefined): value is JsonObject {
  return value !== undefined && !ofTheFile.has(String(value['type']))
}

function isDamaged({ status }: ReadRecord['record']): boolean {
  return status === 'malformed' || status === 'torn' || status === 'oversized'
}

/** The event that is resumed at: the named one, else the one that Claude Code would resume at. */
function leafOf(source: ReadSession, at: string | undefined): SessionEvent {
  const events = mainRecords(source).flatMap(({ event }) => event ?? [])
  const { leaf, resumable, reason } = buildContext(source.graph)
  const id = at ?? leaf
  if (at === undefined && (!resumable || id === null))
    throw new WriteError(
      'not-resumable',
      `Claude Code finds no conversation in it: ${(reason ?? 'nothing was said').replace(/\.$/, '')}.`,
    )
  const found = events.find(event => event.id === id)
  if (found === undefined) throw new WriteError('not-found', `The session's own log has no event ${id}.`, 'at')
  return chainEvent(found, events)
}

/** That of the leaf, or just behind that of a newer record elsewhere: older versions of Claude Code go on from the newest one. */
function newestTime(copied: readonly ReadRecord[], leaf: SessionEvent): unknown {
  const own = leaf.record.value
  const below = new Set([own?.['uuid']])
  let newest = 0
  for (const { value } of copied.map(({ record }) => record)) {
    if (value === undefined || value['isSidechain'] === true || !chainTypes.has(String(value['type']))) continue
    if (below.has(value['uuid']) || below.has(value['parentUuid'])) below.add(value['uuid'])
    else newest = Math.max(newest, toMillis(value['timestamp']) ?? 0)
  }
  const time = toMillis(own?.['timestamp'])
  return time !== null && time > newest ? own?.['timestamp'] : toInstant(newest + 1)
}

/** A record outside of the chain is a place in the file: what is resumed is the last one before it. */
function chainEvent(event: SessionEvent, events: readonly SessionEvent[]): SessionEvent {
  for (let at = events.indexOf(event); at >= 0; at--) {
    const one = events[at] as SessionEvent
    if (typeof one.record.value?.['uuid'] === 'string') return one
  }
  throw new WriteError('not-resumable', 'Nothing was said until that event.', 'at')
}

/** In the order of the file. */
function recordsUntil(source: ReadSession, leaf: SessionEvent | undefined): ReadRecord[] {
  const records = mainRecords(source)
  if (leaf === undefined) return records
  const last = records.findIndex(({ event }) => event === leaf)
  return records.slice(0, last + 1)
}

/** Logs of the subagents that copied records started; with all records, those too whose call is not known. */
function agentLogs(source: ReadSession, copied: readonly ReadRecord[]): ReadSession['logs'] {
  const isAll = copied.length === mainRecords(source).length
  const calls = new Set(copied.flatMap(({ event }) => (event === null ? [] : callsOf(event))))
  const threads = new Map(source.graph.threads.map(thread => [thread.id as string, thread]))
  const isStarted = (id: string | undefined): boolean => {
    const thread = threads.get(id ?? '')
    if (thread === undefined || thread.call === undefined) return isAll
    return calls.has(thread.call) || (thread.parentThread !== undefined && isStarted(thread.parentThread))
  }
  return source.logs.filter(({ file, records }) => file.role === 'agent' && isStarted(threadOf(file, records)))
}

function threadOf(file: LogFile, records: readonly ReadRecord[]): string | undefined {
  return records.find(({ event }) => event !== null)?.event?.thread ?? file.nameAgent
}

function callsOf({ blocks }: SessionEvent): string[] {
  return blocks.flatMap(block => (block.type === 'tool-call' ? [block.callId as string] : []))
}

function openCalls(records: readonly ReadRecord[]): string[] {
  const open = new Set<string>()
  for (const { event } of records) {
    if (event === null) continue
    for (const call of callsOf(event)) open.add(call)
    for (const block of event.blocks) if (block.type === 'tool-result') open.delete(block.callId)
  }
  return [...open]
}

/** The log in the folder of the new session, with the file that names its call. */
function agentFiles(
  { path: from, meta, nameAgent }: LogFile,
  records: readonly ReadRecord[],
  copier: Copier,
): EditedFile[] {
  const path = `subagents/agent-${nameAgent}`
  const lines = records.flatMap(({ record }) =>
    record.value === undefined ? [] : [copier.line(copier.copy(record.value))],
  )
  const log: EditedFile = { path: `${path}.jsonl`, content: { lines } }
  if (meta === undefined) return [log]
  return [log, { path: `${path}.meta.json`, content: { copyOf: from.replace(/\.jsonl$/, '.meta.json') } }]
}

function linesOf({ content }: EditedFile): string[] {
  return 'lines' in content ? content.lines : []
}

/** Stored outputs that a copied line names. */
function outputFiles({ files }: ReadSession, lines: readonly string[], session: string): EditedFile[] {
  const named = new Set<string>()
  const pattern = new RegExp(`${session}[/\\\\]+tool-results[/\\\\]+([\\w.-]+)`, 'g')
  for (const line of lines) for (const [, name = ''] of line.matchAll(pattern)) named.add(name)
  return files.side.flatMap(({ kind, path }): EditedFile[] => {
    const name = path.split(/[/\\]/).at(-1) ?? ''
    // An output may be named after its call alone.
    const stem = name.replace(/\.\w+$/, '')
    const isNamed = kind === 'tool-result' && (named.has(name) || lines.some(line => line.includes(stem)))
    return isNamed ? [{ path: `tool-results/${name}`, content: { copyOf: path } }] : []
  })
}

/** With the time of the fork, as the agent SDK writes it. */
function titleLine(customTitle: string, sessionId: string, { newId, now }: EditOptions): string {
  return jsonText({ type: 'custom-title', sessionId, customTitle, uuid: newId(), timestamp: toInstant(now()) })
}

/** Where a resume goes on. */
function lastPrompt(leaf: SessionEvent, source: ReadSession, copier: Copier, sessionId: string): string[] {
  const uuid = leaf.record.value?.['uuid']
  const leafUuid = typeof uuid === 'string' ? copier.idOf(uuid) : undefined
  if (leafUuid === undefined) return []
  const before = mainRecords(source).flatMap(({ record }) => (record.type === 'last-prompt' ? [record.value] : []))
  const lastPrompt = before.findLast(value => isObject(value) && typeof value['lastPrompt'] === 'string')?.[
    'lastPrompt'
  ]
  return [jsonText({ type: 'last-prompt', ...(lastPrompt !== undefined && { lastPrompt }), leafUuid, sessionId })]
}

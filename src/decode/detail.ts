// The one place where the detail of an event gets its types: a field that is not what its name means is kept apart. It says
// nothing of what a kind's fields mean, which is in `model/detail.ts`.

import { isObject, type JsonObject } from '../base/json.ts'
import type { CommonDetail, CompactionDetail, EventDetail, SpokenDetail } from '../model/detail.ts'
import type { EventKind, SessionEvent } from '../model/event.ts'

type Guard<T> = (value: unknown) => value is T
type Guards<T> = { readonly [F in keyof Required<T>]: Guard<Required<T>[F]> }

const text = (value: unknown): value is string => typeof value === 'string'
const number = (value: unknown): value is number => Number.isFinite(value)
const boolean = (value: unknown): value is boolean => typeof value === 'boolean'
const yes = (value: unknown): value is true => value === true
const textOrObject = (value: unknown): value is string | JsonObject => typeof value === 'string' || isObject(value)

function oneOf<T extends string>(...names: readonly T[]): Guard<T> {
  return (value): value is T => (names as readonly unknown[]).includes(value)
}

function listOf<T>(item: Guard<T>): Guard<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(item)
}

/** An object whose named fields are right or absent. */
function having<T extends object>(guards: Guards<T>): Guard<T> {
  const named = Object.entries(guards) as [string, Guard<unknown>][]
  return (value): value is T =>
    isObject(value) && named.every(([name, is]) => value[name] === undefined || is(value[name]))
}

const common: Guards<CommonDetail> = { subtype: text }
const spoken: Guards<SpokenDetail> = { ...common, attachmentType: text, queued: yes, commandMode: text }
const notification = having({ taskId: text, toolUseId: text, outputFile: text, status: text, summary: text })
const compaction: Guards<CompactionDetail> = {
  ...common,
  phase: oneOf('start', 'done', 'restored', 'micro', 'other'),
  trigger: text,
  preTokens: number,
  postTokens: number,
  preservedMessages: number,
  totalMessages: number,
  preserved: having({ head: text, tail: text, anchor: text, uuids: listOf(text), allUuids: listOf(text) }),
  tokensSaved: number,
}
const pasted = having({ type: text, content: text, contentHash: text, size: number })

/** A field of the model's types that is missing here does not compile. */
const guardsByKind: { readonly [K in EventKind]: Guards<EventDetail[K]> } = {
  prompt: spoken,
  delegation: spoken,
  answer: common,
  'tool-results': common,
  command: { ...spoken, command: text, args: text, mode: oneOf('slash', 'bash', 'memory') },
  'command-output': spoken,
  notification: { ...spoken, notification, origin: text },
  interruption: { ...spoken, forToolUse: boolean },
  'api-error': {
    ...common,
    error: textOrObject,
    apiErrorStatus: number,
    cause: isObject,
    retryAttempt: number,
    maxRetries: number,
    retryInMs: number,
  },
  compaction,
  'compact-summary': compaction,
  preserved: compaction,
  attachment: {
    ...common,
    attachmentType: text,
    toolUseID: text,
    lineStart: number,
    lineEnd: number,
    displayPath: text,
    filename: text,
    path: text,
    planFilePath: text,
    newDate: text,
    condition: text,
  },
  hook: {
    ...common,
    attachmentType: text,
    toolUseID: text,
    hookName: text,
    hookEvent: text,
    command: text,
    stdout: text,
    stderr: text,
    exitCode: number,
    durationMs: number,
    timedOut: boolean,
    blockingError: textOrObject,
    hookCount: number,
    hookInfos: listOf(having({ command: text })),
    hookErrors: listOf(text),
    preventedContinuation: boolean,
    stopReason: text,
  },
  notice: { ...common, level: text, toolUseID: text, durationMs: number },
  progress: {
    ...common,
    dataType: text,
    toolUseID: text,
    parentToolUseID: text,
    agentId: text,
    hookName: text,
    hookEvent: text,
  },
  queue: {
    ...common,
    operation: text,
    content: text,
    task: having({ id: text, description: text, type: text, toolUseId: text }),
    notification,
  },
  snapshot: { ...common, isUpdate: boolean, files: listOf(text), messageId: text },
  title: { ...common, titleFrom: oneOf('summary', 'custom', 'ai', 'agent-name'), title: text, leaf: text },
  state: {
    ...common,
    type: text,
    lastPrompt: text,
    leaf: text,
    tag: text,
    startTime: number,
    totalCostUSD: number,
    modelUsage: isObject,
  },
  link: {
    ...common,
    type: text,
    prUrl: text,
    url: text,
    frameUrl: text,
    sessionUrl: text,
    continuedInSessionId: text,
    continuedIn: text,
    nextSessionId: text,
    bridgeSessionId: text,
    parentSessionId: text,
  },
  meta: spoken,
  history: {
    ...common,
    pasted: listOf((value): value is string | Record<never, never> => typeof value === 'string' || pasted(value)),
    project: text,
  },
  other: { ...common, type: text, foreign: text },
  malformed: {
    ...common,
    status: oneOf('known', 'unknown', 'malformed', 'torn', 'oversized', 'blank'),
  },
}

const guards = new Map(
  Object.entries(guardsByKind).map(([kind, named]) => [kind, Object.entries(named) as [string, Guard<unknown>][]]),
)

/** Gives an event its detail; the object becomes the event's own. */
export function setDetail(event: SessionEvent, fields: Record<string, unknown>): void {
  for (const [name, is] of guards.get(event.kind) ?? []) {
    const value = fields[name]
    if (value === undefined || is(value)) continue
    event.misfits = { ...event.misfits, [name]: value }
    delete fields[name]
  }
  event.detail = fields as NonNullable<SessionEvent['detail']> as never
}

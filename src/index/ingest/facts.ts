// Which facts of an event its rows keep next to kind and place: those by which titles, turns, threads, calls and sessions are
// found, linked and counted. Long texts are cut so that equal ones stay equal; all of them can be read back from the log.

import { createHash } from 'node:crypto'
import { asObject, asString, jsonText, parseJson } from '../../base/json.ts'
import { taskText } from '../../model/agent.ts'
import type { NoticeDetail, StateDetail, TaskNotification } from '../../model/detail.ts'
import {
  type Block,
  blocksText,
  type EventOf,
  hasFlag,
  isErrorResult,
  type SessionEvent,
  type ToolCallBlock,
  type ToolResultBlock,
  wasStopped,
} from '../../model/event.ts'
import { copiedFrom, senderOf } from '../../model/origin.ts'
import { delegatingTools } from '../../model/session.ts'
import { typedText } from '../../model/typed-text.ts'
import { headOf, namedBy } from '../../session/result-names.ts'

/** Of longer prompts the beginning is stored. */
const longestPrompt = 2000
/** The same for messages between agents. */
const longestTask = 320
const promptHead = 400
const taskHead = 240
const longestDetail = 4000

/** Null where the kind needs none. `texts` in it are the event's text blocks, the rest is its detail. */
export function detailOf(event: SessionEvent): string | null {
  const json = factsOf(event)
  if (!isThreadUnstated(event)) return json
  return jsonText({ ...(json === null ? {} : asObject(parseJson(json))), texts: taskOf(event) })
}

/** Only its words may show which thread a record of a sidechain is on; answers do not begin one. */
function isThreadUnstated(event: SessionEvent): boolean {
  if (!hasFlag(event, 'sidechain') || statedKinds.has(event.kind)) return false
  return event.stated.agent === undefined && event.blocks.some(block => block.type === 'text')
}

const statedKinds: ReadonlySet<string> = new Set(['prompt', 'delegation', 'answer', 'tool-results'])

function factsOf(event: SessionEvent): string | null {
  switch (event.kind) {
    case 'prompt':
      return jsonText({ texts: hasFlag(event, 'sidechain') ? taskOf(event) : promptOf(event) })
    case 'delegation':
      return jsonText({ texts: taskOf(event) })
    case 'notification':
      return notificationOf(event)
    case 'command':
      return event.detail?.command === undefined
        ? null
        : jsonText({ command: event.detail.command.slice(0, 500), args: event.detail.args?.slice(0, 500) })
    case 'queue':
      return jsonText(queueOf(event))
    case 'title':
      return event.detail === undefined ? null : jsonText(event.detail)
    case 'compaction':
    case 'preserved':
    case 'compact-summary':
    case 'link':
      return event.detail === undefined ? null : whole(event.detail)
    case 'snapshot':
      return jsonText({ messageId: event.detail?.messageId })
    case 'progress':
      return progressOf(event)
    case 'notice':
      return event.detail === undefined ? null : timeOf(event.detail)
    default:
      return null
  }
}

/** What a turn took, and that all agents were stopped. */
function timeOf({ subtype, durationMs }: NoticeDetail): string | null {
  if (subtype === 'turn_duration') return jsonText({ subtype, durationMs })
  return subtype === 'agents_killed' ? jsonText({ subtype }) : null
}

/** The last of each type counts; null where the event is another kind of line. */
export function stateOf(event: SessionEvent): { type: string; json: string } | null {
  if (event.kind !== 'state' || event.detail === undefined) return null
  const { detail } = event
  return { type: stateType(detail.type ?? event.wireType, detail), json: whole(detail) }
}

function stateType(type: string, detail: StateDetail): string {
  if (type === 'last-prompt') return lastPromptType(detail)
  // Each process has sums of its own: the last of each counts.
  return type === 'cost-state' ? `${type} ${jsonText(detail.startTime ?? null).slice(0, 40)}` : type
}

/** One that lacks a part leaves the part of an earlier one as it was. */
function lastPromptType({ lastPrompt, leaf }: StateDetail): string {
  const hasPrompt = lastPrompt !== undefined
  const hasLeaf = leaf !== undefined
  if (hasPrompt && hasLeaf) return 'last-prompt'
  if (hasPrompt) return 'last-prompt (text)'
  return hasLeaf ? 'last-prompt (leaf)' : 'last-prompt (nothing)'
}

function promptOf(event: SessionEvent): string[] {
  const texts = event.blocks.flatMap(block => (block.type === 'text' ? [block.text] : []))
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  return length <= longestPrompt ? texts : [longText(texts.join('\n').trim(), typedText(event), promptHead)]
}

/** The task of an agent, by which its thread is linked to the call that started it. */
function taskOf(event: SessionEvent): string[] {
  const text = storedTask(taskText(event))
  const begins = (mark: RegExp) => event.blocks.some(block => block.type === 'text' && mark.test(block.text))
  const texts = [begins(/^\s*<teammate-message/) ? `<teammate-message>${text}</teammate-message>` : text]
  return begins(/^<system-reminder>/) ? ['<system-reminder>', ...texts] : texts
}

/** A task as it is stored on both sides: in the call that gives it and in the thread that gets it. */
function storedTask(text: string): string {
  const said = text.trim()
  return said.length <= longestTask ? said : longText(said, said, taskHead)
}

/** Its beginning, and a number by which equal texts are still equal. */
function longText(text: string, beginning: string, head: number): string {
  const mark = markOf(text)
  // Claude Code's own markup gives no title.
  return beginning === '' ? `<tick>${mark}` : `${oneLine(beginning, head)}…${mark}`
}

/** Short, and the same for the same text. */
export function markOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}

function oneLine(text: string, length: number): string {
  return text
    .slice(0, length * 8)
    .replace(/\s*\n\s*/g, ' ')
    .slice(0, length)
}

function notificationOf(event: EventOf<'notification'>): string | null {
  const notification = noteOf(event.detail?.notification)
  const kept = {
    ...(notification !== undefined && { notification }),
    ...(event.actor === 'agent' && { texts: taskOf(event) }),
  }
  return notification === undefined && event.actor !== 'agent' ? null : jsonText(kept)
}

/** Which call or task it is about, and how that ended. */
function noteOf(notification: TaskNotification | undefined): Record<string, unknown> | undefined {
  if (notification === undefined) return undefined
  const { taskId, toolUseId, status } = notification
  return { taskId, toolUseId, status }
}

function queueOf(event: EventOf<'queue'>): Record<string, unknown> {
  const { operation, task, notification } = event.detail ?? {}
  return {
    operation,
    content: task === undefined ? queuedText(event) : '',
    ...(task !== undefined && {
      task: { id: task.id, description: task.description, toolUseId: task.toolUseId },
    }),
    ...(notification !== undefined && { notification: noteOf(notification) }),
  }
}

function queuedText(event: EventOf<'queue'>): string {
  const content = event.detail?.content ?? blocksText(event.blocks)
  if (content.length <= longestPrompt) return content
  const beginning = typedText({ ...event, blocks: [{ type: 'text', text: content }] })
  return longText(content.trim(), beginning, promptHead)
}

/** Which call an agent works for. */
function progressOf({ detail }: EventOf<'progress'>): string | null {
  const { agentId, parentToolUseID } = detail ?? {}
  return agentId === undefined || parentToolUseID === undefined ? null : jsonText({ agentId, parentToolUseID })
}

/** Facts that are too long lose their long texts, so that what is left is still JSON. */
function whole(detail: object): string {
  const text = jsonText(detail)
  if (text.length <= longestDetail) return text
  const short: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(detail)) {
    if (typeof value === 'string') short[key] = oneLine(value, promptHead)
    else if (typeof value === 'number' || typeof value === 'boolean') short[key] = value
  }
  return jsonText(short)
}

/** Bits of the column `flags` above those of the flags. */
export const structuredShift = 12
export const structuredTypes = ['absent', 'object', 'string', 'array', 'number', 'boolean'] as const
export const contentShift = 15
/** The record says nothing of a parent; set only where that matters. */
export const withoutParent = 1 << 17

/** How the contents of a record's results are written: `texts`, `blocks`; other counts are in `rest`. */
export const contentForms: readonly (readonly [texts: number, blocks: number])[] = [
  [0, 0],
  [1, 0],
  [0, 1],
]
const otherForm = 3

/** What few events have, as JSON in the table `rest`. */
export interface Rest {
  logicalParent?: string
  /** How many contents of results are texts, and how many are blocks. */
  contents?: [number, number]
  /** By place of the block: input of calls that delegate, and what results say of tasks and agents. */
  calls?: Record<string, Record<string, unknown>>
  results?: Record<string, Record<string, unknown>>
  /** A notice that says that the user stopped something: 003 answers calls by such lines. */
  isStop?: true
  /** The `entrypoint` that states that a program runs the session: see `senderOf`. */
  entrypoint?: string
  /** The record that a fork copied under a new uuid. */
  copyOf?: string
}

/** Fields of a record that many events of a thread share, as JSON in their origin. */
export interface Common {
  agentId?: string
  agentName?: string
  teamName?: string
  forkedFrom?: { sessionId: string }
  parentSessionId?: string
  continuedInSessionId?: string
  /** The session is not stated under the name that counts. */
  isSessionUnsaid?: true
}

/** Makes the JSON of neighbours that have the same fields once. */
export class CommonFields {
  private last: (string | undefined)[] = []
  private json: string | undefined

  of({ stated }: SessionEvent): string | undefined {
    const { agent, team, forkedFrom, parentSession, continuedIn } = stated
    const isUnsaid = stated.session === undefined && stated.foreignSession !== undefined
    const isPlain = agent === undefined && team === undefined && forkedFrom === undefined
    if (isPlain && parentSession === undefined && continuedIn === undefined && !isUnsaid) return undefined
    const cells = [agent, team, stated.agentName, forkedFrom?.session, parentSession, continuedIn, `${isUnsaid}`]
    if (cells.some((cell, at) => cell !== this.last[at])) {
      this.last = cells
      this.json = commonText(cells, isUnsaid)
    }
    return this.json
  }
}

function commonText(cells: readonly (string | undefined)[], isUnsaid: boolean): string | undefined {
  const [agentId, teamName, agentName, fork, parentSessionId, continuedInSessionId] = cells
  const common: Common = {
    ...(agentId !== undefined && { agentId }),
    ...(teamName !== undefined && agentName !== undefined && { agentName, teamName }),
    ...(fork !== undefined && { forkedFrom: { sessionId: fork } }),
    ...(parentSessionId !== undefined && { parentSessionId }),
    ...(continuedInSessionId !== undefined && { continuedInSessionId }),
    ...(isUnsaid && { isSessionUnsaid: true }),
  }
  const text = jsonText(common)
  return text === '{}' ? undefined : text
}

/** Bits that are stored next to the flags. */
export function wireBits(event: SessionEvent): number {
  let bits = 0
  if (event.stated.parent === undefined && (event.parent !== null || hasFlag(event, 'sidechain'))) bits = withoutParent
  const { results } = event.stated
  if (event.kind !== 'tool-results' || results === undefined) return bits
  const { texts, blocks, structured } = results
  const form = contentForms.findIndex(known => known[0] === texts && known[1] === blocks)
  return (
    bits |
    (Math.max(0, structuredTypes.indexOf(structured)) << structuredShift) |
    ((form < 0 ? otherForm : form) << contentShift)
  )
}

/** Null for nearly all events. */
export function restOf(event: SessionEvent): string | null {
  const rest: Rest = {}
  if (event.logicalParent !== undefined) rest.logicalParent = event.logicalParent
  const { texts = 0, blocks = 0 } = (event.kind === 'tool-results' && event.stated.results) || {}
  if (texts + blocks > 1) rest.contents = [texts, blocks]
  if (event.dialect === 's3' && event.kind === 'notice' && isStop(event)) rest.isStop = true
  if (senderOf(event) === 'program') rest.entrypoint = event.stated.entrypoint ?? 'sdk'
  const copyOf = copiedFrom(event)?.uuid
  if (copyOf !== undefined && copyOf !== event.id) rest.copyOf = copyOf
  for (let n = 0; n < event.blocks.length; n++) addBlock(rest, event.blocks[n] as Block, n)
  for (const _ in rest) return jsonText(rest)
  return null
}

function addBlock(rest: Rest, block: Block, n: number): void {
  if (block.type === 'tool-call') {
    if (!delegatingTools.has(block.name)) return
    rest.calls ??= {}
    rest.calls[n] = taskInput(block)
  } else if (block.type === 'tool-result') {
    const named = namedBy(block)
    if (named === undefined) return
    rest.results ??= {}
    rest.results[n] = named
  }
}

function isStop(event: SessionEvent): boolean {
  const block = {
    type: 'tool-result',
    callId: '' as ToolResultBlock['callId'],
    isError: hasFlag(event, 'error'),
  } as const
  return wasStopped(event, { ...block, content: event.blocks })
}

function taskInput({ input }: ToolCallBlock): Record<string, unknown> {
  const fields = asObject(input)
  const prompt = asString(fields?.['prompt'])
  const description = asString(fields?.['description'])
  const type = asString(fields?.['subagent_type'])
  return {
    ...(prompt !== undefined && { prompt: storedTask(prompt) }),
    ...(description !== undefined && { description: storedTask(description) }),
    ...(type !== undefined && { subagent_type: type }),
  }
}

/** 0 done, 1 failed by itself, 2 stopped by a user. */
export function outcomeOf(event: SessionEvent, block: ToolResultBlock): number {
  const isError = isErrorResult(event, block)
  if (hasFlag(event, 'aborted') || (isError ? wasStopped(event, block) : isStoppedFromStart(event, block))) return 2
  return isError ? 1 : 0
}

/** A result that is not an error shows that it was stopped by a field or by how it begins. */
function isStoppedFromStart(event: SessionEvent, block: ToolResultBlock): boolean {
  const isPlain = asObject(block.structured)?.['interrupted'] !== true && event.stated.denial === undefined
  // A cheap test first: it is false for nearly all results.
  if (isPlain && !beginsLikeStop.test(headOf(block, 1))) return false
  return wasStopped(event, beginningOf(block))
}

const beginsLikeStop = /^[[TEU]/i

function beginningOf(block: ToolResultBlock): ToolResultBlock {
  return { ...block, content: [{ type: 'text', text: headOf(block, 100) }] }
}

// Which of an event's facts are kept in its row, beside kind and place: those that titles, turns, prompts and compactions are
// found by. Long texts are cut so that equal ones stay equal; all of them can be read back from the log.

import { createHash } from 'node:crypto'
import { asObject, asString, jsonText, parseJson } from '../../base/json.ts'
import { blocksText, hasFlag, type SessionEvent } from '../../model/event.ts'
import { promptText } from '../../model/title.ts'

/** Longer prompts are kept by their beginning. */
const longestPrompt = 2000
/** The same for what agents tell each other. */
const longestTask = 320
const promptHead = 400
const taskHead = 240
const longestDetail = 4000

/** Null where the kind needs none. `texts` in it stand for the event's text blocks, the rest for its detail. */
export function detailOf(event: SessionEvent): string | null {
  const json = factsOf(event)
  if (!isUntoldSide(event)) return json
  return jsonText({ ...(json === null ? {} : asObject(parseJson(json))), texts: taskOf(event) })
}

/** Which thread a record of a sidechain is on may be told by its words alone; answers do not begin one. */
function isUntoldSide(event: SessionEvent): boolean {
  if (!hasFlag(event, 'sidechain') || toldKinds.has(event.kind)) return false
  return event.record.value?.['agentId'] === undefined && event.blocks.some(block => block.type === 'text')
}

const toldKinds: ReadonlySet<string> = new Set(['prompt', 'delegation', 'answer', 'tool-results'])

function factsOf(event: SessionEvent): string | null {
  const { detail } = event
  switch (event.kind) {
    case 'prompt':
      return jsonText({ texts: hasFlag(event, 'sidechain') ? taskOf(event) : promptOf(event) })
    case 'delegation':
      return jsonText({ texts: taskOf(event) })
    case 'notification':
      return notificationOf(event)
    case 'command':
      return detail?.['command'] === undefined
        ? null
        : jsonText({ command: asString(detail['command'])?.slice(0, 500) })
    case 'queue':
      return jsonText(queueOf(event))
    case 'title':
      return detail === undefined ? null : jsonText(detail)
    case 'compaction':
    case 'preserved':
    case 'compact-summary':
    case 'link':
      return detail === undefined ? null : whole(detail)
    case 'snapshot':
      return jsonText({ messageId: detail?.['messageId'] })
    case 'progress':
      return progressOf(event)
    default:
      return detail === undefined ? null : timeOf(detail)
  }
}

/** What a turn took, and that all agents were stopped, whatever kind says it. */
function timeOf(detail: Record<string, unknown>): string | null {
  const subtype = detail['subtype']
  if (subtype === 'turn_duration') return jsonText({ subtype, durationMs: detail['durationMs'] })
  return subtype === 'agents_killed' ? jsonText({ subtype }) : null
}

/** The last of each type counts; null where the event is no such line. */
export function stateOf(event: SessionEvent): { type: string; json: string } | null {
  const { detail } = event
  if (event.kind !== 'state' || detail === undefined) return null
  const type = asString(detail['type']) ?? event.wireType
  return { type: stateType(type, detail), json: whole(detail) }
}

function stateType(type: string, detail: Record<string, unknown>): string {
  if (type === 'last-prompt') return lastPromptType(detail)
  // Each process has sums of its own: the last of each counts.
  return type === 'cost-state' ? `${type} ${jsonText(detail['startTime'] ?? null).slice(0, 40)}` : type
}

/** One that lacks a part leaves the part of an earlier one as it was. */
function lastPromptType(detail: Record<string, unknown>): string {
  const hasPrompt = asString(detail['lastPrompt']) !== undefined
  const hasLeaf = asString(detail['leaf']) !== undefined
  if (hasPrompt && hasLeaf) return 'last-prompt'
  if (hasPrompt) return 'last-prompt (text)'
  return hasLeaf ? 'last-prompt (leaf)' : 'last-prompt (nothing)'
}

function promptOf(event: SessionEvent): string[] {
  const texts = event.blocks.flatMap(block => (block.type === 'text' ? [block.text] : []))
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  return length <= longestPrompt ? texts : [longText(texts.join('\n').trim(), promptText(event), promptHead)]
}

/** What an agent was told, by which its thread is linked to the call that started it. */
function taskOf(event: SessionEvent): string[] {
  const own = event.blocks.filter(block => block.type === 'text' && !block.text.startsWith(reminder))
  const said = blocksText(own).trim()
  const plain = said.replace(teammateMarkup, '')
  const text = taskText(plain)
  const texts = [plain === said ? text : `<teammate-message>${text}</teammate-message>`]
  if (event.blocks.some(block => block.type === 'text' && block.text.startsWith(reminder))) texts.unshift(reminder)
  return texts
}

const reminder = '<system-reminder>'
const teammateMarkup = /^<teammate-message[^>]*>|<\/teammate-message>$/g

/** A task as it is kept on both sides: in the call that gives it and in the thread that gets it. */
export function taskText(text: string): string {
  const said = text.trim()
  return said.length <= longestTask ? said : longText(said, said, taskHead)
}

/** Its beginning, and a number by which equal texts are still equal. */
function longText(text: string, beginning: string, head: number): string {
  const mark = markOf(text)
  // Markup of the client's own gives no title.
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

function notificationOf(event: SessionEvent): string | null {
  const notification = noteOf(event.detail?.['notification'])
  const kept = {
    ...(notification !== undefined && { notification }),
    ...(event.actor === 'agent' && { texts: taskOf(event) }),
  }
  return notification === undefined && event.actor !== 'agent' ? null : jsonText(kept)
}

/** Which call or task it is about, and how that ended. */
function noteOf(notification: unknown): Record<string, unknown> | undefined {
  if (typeof notification !== 'object' || notification === null) return undefined
  const { taskId, toolUseId, status } = notification as Record<string, unknown>
  return { taskId, toolUseId, status }
}

function queueOf(event: SessionEvent): Record<string, unknown> {
  const { detail } = event
  const task = detail?.['task'] as Record<string, unknown> | undefined
  return {
    operation: detail?.['operation'],
    content: task === undefined ? queuedText(event) : '',
    ...(task !== undefined && {
      task: { id: task['id'], description: task['description'], toolUseId: task['toolUseId'] },
    }),
    ...(detail?.['notification'] !== undefined && { notification: noteOf(detail['notification']) ?? {} }),
  }
}

function queuedText(event: SessionEvent): string {
  const content = asString(event.detail?.['content']) ?? blocksText(event.blocks)
  if (content.length <= longestPrompt) return content
  const beginning = promptText({ ...event, blocks: [{ type: 'text', text: content }] })
  return longText(content.trim(), beginning, promptHead)
}

/** Which call an agent works for. */
function progressOf({ detail }: SessionEvent): string | null {
  const { agentId, parentToolUseID } = detail ?? {}
  return agentId === undefined || parentToolUseID === undefined ? null : jsonText({ agentId, parentToolUseID })
}

/** Facts that are too long lose their long texts, so that what is left is still JSON. */
function whole(detail: Record<string, unknown>): string {
  const text = jsonText(detail)
  if (text.length <= longestDetail) return text
  const short: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(detail)) {
    if (typeof value === 'string') short[key] = oneLine(value, promptHead)
    else if (typeof value === 'number' || typeof value === 'boolean') short[key] = value
  }
  return jsonText(short)
}

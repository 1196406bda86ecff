// Facts of records that have no column of their own, yet by which threads, calls and sessions are linked and counted. They
// are few and small: most stand once for many events, or are bits beside an event's flags.

import { asArray, asObject, asString, jsonText } from '../../base/json.ts'
import {
  type Block,
  hasFlag,
  type SessionEvent,
  type ToolCallBlock,
  type ToolResultBlock,
  wasStopped,
} from '../../model/event.ts'
import { delegatingTools } from '../../model/session.ts'
import { longestPath } from '../../session/call-target.ts'
import { taskText } from '../ingest/details.ts'

/** Bits of the column `flags` that stand behind those of the flags. */
export const structuredShift = 11
export const structuredTypes = ['absent', 'object', 'string', 'array', 'number', 'boolean'] as const
export const contentShift = 14
/** The record says nothing of a parent; set only where that matters. */
export const withoutParent = 1 << 16

/** How the contents of a record's results are written: `texts`, `blocks`; other counts stand in `rest`. */
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
  private last: unknown[] = []
  private json: string | undefined

  of({ value }: SessionEvent['record']): string | undefined {
    if (value === undefined) return undefined
    const agent = value['agentId']
    const team = value['teamName']
    const fork = value['forkedFrom']
    const parent = value['parentSessionId']
    const next = value['continuedInSessionId']
    const isUnsaid = value['sessionId'] === undefined && value['session_id'] !== undefined
    const isPlain = agent === undefined && team === undefined && fork === undefined
    if (isPlain && parent === undefined && next === undefined && !isUnsaid) return undefined
    const cells = [agent, team, value['agentName'], asObject(fork)?.['sessionId'], parent, next, isUnsaid]
    if (cells.some((cell, at) => cell !== this.last[at])) {
      this.last = cells
      this.json = commonText(cells.map(asString), isUnsaid)
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

/** What is written beside the flags. */
export function wireBits(event: SessionEvent): number {
  const { value } = event.record
  if (value === undefined) return 0
  let bits = 0
  if (!('parentUuid' in value) && (event.parent !== null || hasFlag(event, 'sidechain'))) bits = withoutParent
  if (event.kind !== 'tool-results') return bits
  const [texts, blocks] = contentsOf(event)
  const form = contentForms.findIndex(known => known[0] === texts && known[1] === blocks)
  return (
    bits | (structuredType(value['toolUseResult']) << structuredShift) | ((form < 0 ? otherForm : form) << contentShift)
  )
}

function structuredType(structured: unknown): number {
  const type = Array.isArray(structured) ? 'array' : structured === undefined ? 'absent' : typeof structured
  return Math.max(0, (structuredTypes as readonly string[]).indexOf(type))
}

function contentsOf(event: SessionEvent): [texts: number, blocks: number] {
  let texts = 0
  let blocks = 0
  for (const block of asArray(asObject(event.record.value?.['message'])?.['content'])) {
    const part = asObject(block)
    if (part?.['type'] !== 'tool_result') continue
    if (typeof part['content'] === 'string') texts++
    else if (Array.isArray(part['content'])) blocks++
  }
  return [texts, blocks]
}

/** Null for nearly all events. */
export function restOf(event: SessionEvent): string | null {
  const rest: Rest = {}
  if (event.logicalParent !== undefined) rest.logicalParent = event.logicalParent
  if (event.kind === 'tool-results') {
    const contents = contentsOf(event)
    if (contents[0] + contents[1] > 1) rest.contents = contents
  }
  if (event.dialect === 's3' && event.kind === 'notice' && isStop(event)) rest.isStop = true
  for (let n = 0; n < event.blocks.length; n++) addBlock(rest, event.blocks[n] as Block, n)
  for (const _ in rest) return jsonText(rest)
  return null
}

function addBlock(rest: Rest, block: Block, n: number): void {
  if (block.type === 'tool-call') {
    const input = delegatingTools.has(block.name) ? taskInput(block) : oddPath(block)
    if (input === undefined) return
    rest.calls ??= {}
    rest.calls[n] = input
  } else if (block.type === 'tool-result') {
    const told = toldBy(block)
    if (told === undefined) return
    rest.results ??= {}
    rest.results[n] = told
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
    ...(prompt !== undefined && { prompt: taskText(prompt) }),
    ...(description !== undefined && { description: taskText(description) }),
    ...(type !== undefined && { subagent_type: type }),
  }
}

/** The path as statistics read it, where the call's row has another or none. */
function oddPath({ input }: ToolCallBlock): Record<string, unknown> | undefined {
  const fields = asObject(input)
  if (fields === undefined) return undefined
  const path = asString(fields['file_path']) ?? asString(fields['notebook_path']) ?? asString(fields['path'])
  if (path === undefined) return fields['filePath'] === undefined ? undefined : { file_path: null }
  return path === '' || path.length > longestPath ? { file_path: path } : undefined
}

const agentInText = /\bagentId: [\w@.-]+/

/** Ids of agents, tasks and runs that a result names, and whether what it tells of goes on. */
function toldBy(block: ToolResultBlock): Record<string, unknown> | undefined {
  const told = toldFields(asObject(block.structured))
  const inText = agentNamedIn(block.content)
  const isLaunch = asObject(block.structured) === undefined && headOf(block, launched.length) === launched
  if (told === undefined && inText === undefined && !isLaunch) return undefined
  return { ...told, ...(isLaunch && { isAsync: true }), ...(inText !== undefined && { text: inText }) }
}

const launched = 'Async agent launched successfully'

/** Every field by its own name: most results have none of them, and a lookup by a variable costs several times as much. */
function toldFields(facts: ReturnType<typeof asObject>): Record<string, unknown> | undefined {
  if (facts === undefined) return undefined
  const task = asObject(facts['task'])
  const ids = facts['agentId'] ?? facts['agent_id'] ?? facts['teammate_id'] ?? facts['runId'] ?? facts['taskId']
  const shell = facts['task_id'] ?? facts['backgroundTaskId'] ?? facts['shellId'] ?? facts['shell_id']
  const status = facts['status']
  const isState = facts['isAsync'] === true || status === 'async_launched' || status === 'teammate_spawned'
  if (ids === undefined && shell === undefined && task === undefined && !isState) return undefined
  const told = picked(facts)
  if (task !== undefined) told['task'] = picked(task)
  return told
}

const toldNames = ['agentId', 'agent_id', 'teammate_id', 'runId', 'taskId', 'task_id', 'backgroundTaskId', 'shellId']
const otherNames = ['shell_id', 'status', 'agentType', 'agent_type']

function picked(facts: { readonly [key: string]: unknown }): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  for (const name of [...toldNames, ...otherNames]) {
    const text = asString(facts[name])
    if (text !== undefined && text.length <= 500) found[name] = text
  }
  if (facts['isAsync'] === true) found['isAsync'] = true
  return found
}

function agentNamedIn(content: readonly Block[]): string | undefined {
  for (const block of content) {
    const name = block.type === 'text' && mayNameAgent(block.text) ? agentInText.exec(block.text)?.[0] : undefined
    if (name !== undefined) return name
  }
  return undefined
}

/** Most outputs are long and name none: a plain search for what begins with a rare letter says so much sooner. */
function mayNameAgent(text: string): boolean {
  return text.includes('Id: ') && text.includes('agentId: ')
}

/** The beginning of a result's text, without joining long ones. */
export function headOf({ content }: ToolResultBlock, length: number): string {
  let head = ''
  for (const block of content) {
    if (head.length >= length) break
    if (block.type === 'text')
      head = head === '' ? block.text.slice(0, length) : `${head}\n${block.text.slice(0, length)}`
  }
  return head.slice(0, length)
}

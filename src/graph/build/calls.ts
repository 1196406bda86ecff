// Tool calls: request and outcome, joined by id wherever the result is (before its request, in another file, on another
// branch), with the file that a long output was spilled into. How a call is shown is decided in view.

import { toMillis } from '../../base/instant.ts'
import { asObject, asString } from '../../base/json.ts'
import {
  blocksText,
  hasFlag,
  isErrorResult,
  type SessionEvent,
  type ToolCallBlock,
  type ToolResultBlock,
  wasStopped,
} from '../../model/event.ts'
import type { Finding } from '../../model/finding.ts'
import { type CallId, callId, type EventId } from '../../model/ids.ts'
import type { CallStatus, ToolCall } from '../../model/session.ts'
import type { SideFile } from '../../model/source.ts'
import { fileOfCall } from '../touched-file.ts'
import { findingAbout } from './parents.ts'
import { childrenOf, type Skeleton } from './skeleton.ts'

/** A call with the records it was made from. */
export interface PairedCall {
  call: ToolCall
  request: SessionEvent
  result?: CallResult
}

export interface Calls {
  /** In the order of their requests. */
  list: PairedCall[]
  /** The first call with an id. */
  byId: Map<CallId, PairedCall>
  findings: Finding[]
}

export function buildCalls(skeleton: Skeleton, events: readonly SessionEvent[]): Calls {
  const calls: Calls = { list: [], byId: new Map(), findings: [] }
  const groups = collectRequests(events, calls.list)
  pairResults(groups, collectResults(events), calls.findings)
  for (const [id, group] of groups) {
    calls.byId.set(id, group[0] as PairedCall)
    if (group.length > 1) calls.findings.push(duplicateFinding(group))
  }
  pairByPlace(skeleton, calls)
  hangProgress(events, calls.byId)
  return calls
}

type Groups = Map<CallId, PairedCall[]>

/** A replayed request (same id, same message) is one call; the same id in another message is another. */
function collectRequests(events: readonly SessionEvent[], list: PairedCall[]): Groups {
  const groups: Groups = new Map()
  const seen = new Set<string>()
  for (const event of events) {
    if (hasFlag(event, 'copy')) continue
    for (const block of event.blocks) {
      if (block.type !== 'tool-call') continue
      const key = `${block.callId} ${event.message?.id ?? event.id}`
      if (seen.has(key)) continue
      seen.add(key)
      const call = newCall(event, block)
      list.push(call)
      const group = groups.get(block.callId)
      if (group) group.push(call)
      else groups.set(block.callId, [call])
    }
  }
  return groups
}

function newCall(event: SessionEvent, block: ToolCallBlock): PairedCall {
  const call: ToolCall = {
    id: block.callId,
    name: block.name,
    input: block.input,
    outcome: 'missing',
    thread: event.thread,
    requestEvent: event.id,
    pairing: block.inferredId ? 'inferred' : 'id',
    progress: [],
  }
  const file = fileOfCall(block, event.cwd)
  if (file !== undefined) call.file = file
  if (event.message) call.messageId = event.message.id
  if (hasFlag(event, 'deleted')) call.isRemoved = true
  return { call, request: event }
}

/** Results by call id; those of copied records last, for calls that have no other. */
function collectResults(events: readonly SessionEvent[]): Map<CallId, CallResult[]> {
  const results = new Map<CallId, CallResult[]>()
  for (const copies of [false, true]) {
    for (const event of events) {
      if (hasFlag(event, 'copy') !== copies) continue
      for (const block of event.blocks) {
        if (block.type !== 'tool-result') continue
        const list = results.get(block.callId)
        if (list) list.push({ event, block })
        else results.set(block.callId, [{ event, block }])
      }
    }
  }
  return results
}

function pairResults(groups: Groups, results: Map<CallId, CallResult[]>, findings: Finding[]): void {
  for (const [id, list] of results) {
    const group = groups.get(id)
    if (group) pairGroup(group, list)
    else findings.push(strayFinding(list[0] as CallResult))
  }
}

/** Several requests with one id: each takes the result that names it as its parent, the rest go by order. */
function pairGroup(group: readonly PairedCall[], results: readonly CallResult[]): void {
  const byRequest = new Map<EventId, PairedCall>()
  for (const call of group) byRequest.set(call.request.id, call)
  const rest: CallResult[] = []
  for (const result of results) {
    const call = result.event.parent === null ? undefined : byRequest.get(result.event.parent)
    if (call && call.result === undefined) setResult(call, result)
    else rest.push(result)
  }
  let next = 0
  for (const call of group) {
    const result = rest[next]
    if (call.result !== undefined || result === undefined) continue
    setResult(call, result)
    next++
  }
}

function setResult(paired: PairedCall, result: CallResult): void {
  const { call, request } = paired
  paired.result = result
  call.resultEvent = result.event.id
  call.result = result.block
  const from = toMillis(request.at)
  const to = toMillis(result.event.at)
  if (from !== null && to !== null && to >= from) call.durationMs = to - from
  if (result.block.spillFile !== undefined) call.spillFile = result.block.spillFile
  if (hasFlag(result.event, 'deleted')) call.isRemoved = true
}

function strayFinding({ event, block }: CallResult): Finding {
  const message = `It answers the tool call ${block.callId}, which is not in this session.`
  return findingAbout(event, 'tool-result-without-call', 'warning', message)
}

function duplicateFinding(group: readonly PairedCall[]): Finding {
  const second = group[1] as PairedCall
  const message = `The tool call id ${second.call.id} is used by ${group.length} messages.`
  return findingAbout(second.request, 'duplicate-tool-use-id', 'warning', message)
}

/** 003's results state no id. One that is before its call in the file is known by its parent only. */
function pairByPlace(skeleton: Skeleton, calls: Calls): void {
  const open = calls.list.filter(paired => paired.call.pairing === 'inferred' && paired.result === undefined)
  if (open.length === 0) return
  const children = childrenOf(skeleton.parent)
  for (const paired of open) {
    const node = skeleton.index.get(paired.request.id)
    const answer = (node === undefined ? [] : (children[node] ?? []))
      .map(child => skeleton.events[child])
      .find(event => event?.wireType === 'system' && event.kind === 'notice' && event.thread === paired.call.thread)
    if (answer === undefined) continue
    const block = { type: 'tool-result', callId: paired.call.id, isError: hasFlag(answer, 'error') } as const
    setResult(paired, { event: answer, block: { ...block, content: answer.blocks } })
  }
}

/** Progress lines and hooks name the call they are about; they have a progress id of their own besides. */
function hangProgress(events: readonly SessionEvent[], byId: ReadonlyMap<CallId, PairedCall>): void {
  for (const event of events) {
    if (hasFlag(event, 'copy')) continue
    const paired = callAbout(event)
      .map(id => byId.get(callId(id)))
      .find(call => call !== undefined)
    paired?.call.progress.push(event.id)
  }
}

/** Ids that may be those of the call that an event is about, the surest first. */
function callAbout(event: SessionEvent): string[] {
  switch (event.kind) {
    case 'progress':
      return [event.detail?.parentToolUseID ?? '', event.detail?.toolUseID ?? '']
    case 'hook':
    case 'notice':
    case 'attachment':
      return [event.detail?.toolUseID ?? '']
    default:
      return []
  }
}

export interface CallResult {
  event: SessionEvent
  block: ToolResultBlock
}

/** `followedByInterruption`: the user stopped the turn right at this result. */
export function resultStatus(
  request: SessionEvent,
  { event, block }: CallResult,
  followedByInterruption: boolean,
): CallStatus {
  if (hasFlag(request, 'aborted') || hasFlag(event, 'aborted')) return 'interrupted'
  if (wasStopped(event, block)) return 'interrupted'
  const isError = isErrorResult(event, block)
  if (isError && followedByInterruption) return 'interrupted'
  return isError ? 'failed' : 'done'
}

/** Whether the result only says that work has begun in the background. */
export function isLaunchOnly(block: ToolResultBlock): boolean {
  const structured = asObject(block.structured)
  if (structured?.['isAsync'] === true) return true
  const status = asString(structured?.['status'])
  if (status === 'async_launched') return true
  return structured === undefined && blocksText(block.content).startsWith('Async agent launched successfully')
}

/** Whether what the call started continues after its result: a subagent, or a command that was put into the background. */
export function runsOn(block: ToolResultBlock): boolean {
  return isLaunchOnly(block) || Boolean(asString(asObject(block.structured)?.['backgroundTaskId']))
}

/** What a task's own last word means for the call that started it; undefined where it says nothing of an end. */
export function taskStatus(status: string | undefined): CallStatus | undefined {
  switch (status?.toLowerCase()) {
    case 'completed':
    case 'success':
    case 'succeeded':
    case 'done':
      return 'done'
    case 'failed':
    case 'error':
    case 'timeout':
      return 'failed'
    case 'killed':
    case 'stopped':
    case 'cancelled':
    case 'canceled':
    case 'interrupted':
    case 'aborted':
      return 'interrupted'
    default:
      return undefined
  }
}

export function hangSpillFiles(calls: Calls, side: readonly SideFile[]): void {
  const files = side.filter(file => file.kind === 'tool-result')
  if (files.length === 0) return
  const taken = takeNamedPaths(calls, files)
  const rest = files.filter(file => !taken.has(file.path))
  const unnamed = rest.filter(file => !takeByCallId(calls, file))
  takeByMcpName(calls, unnamed)
}

/** The path in the log may be another machine's, or from before a move: the file's name is enough. */
function takeNamedPaths(calls: Calls, files: readonly SideFile[]): Set<string> {
  const byName = new Map<string, SideFile>()
  for (const file of files) byName.set(nameOf(file.path), file)
  const taken = new Set<string>()
  for (const { call } of calls.list) {
    const file = call.spillFile === undefined ? undefined : byName.get(nameOf(call.spillFile))
    if (file === undefined) continue
    call.spillFile = file.path
    taken.add(file.path)
  }
  return taken
}

function takeByCallId(calls: Calls, file: SideFile): boolean {
  const stem = nameOf(file.path).replace(/\.[^.]*$/, '')
  const parts = [stem, ...(stem.match(/toolu_[A-Za-z0-9]+/g) ?? []), ...stem.split(/[-.]/)]
  for (const part of parts) {
    const paired = calls.byId.get(callId(part))
    if (paired === undefined) continue
    paired.call.spillFile ??= file.path
    return true
  }
  return false
}

/** How far apart a result and the writing of its file may be. */
const nearMs = 60_000

/** `mcp-<server>-<tool>-<ms>.txt` belongs to the call of that tool whose result is nearest in time. */
function takeByMcpName(calls: Calls, files: readonly SideFile[]): void {
  const named = files.flatMap(file => {
    const match = /^(mcp-.+)-(\d{10,})\.[^.]*$/.exec(nameOf(file.path))
    return match ? [{ file, tool: match[1] as string, ms: Number(match[2]) }] : []
  })
  if (named.length === 0) return
  const byTool = mcpCalls(calls)
  for (const { file, tool, ms } of named.sort((one, other) => one.ms - other.ms)) {
    const nearest = nearestCall(byTool.get(tool) ?? [], ms)
    if (nearest) nearest.call.spillFile = file.path
  }
}

interface TimedCall {
  ms: number
  paired: PairedCall
}

function mcpCalls(calls: Calls): Map<string, TimedCall[]> {
  const byTool = new Map<string, TimedCall[]>()
  for (const paired of calls.list) {
    const ms = toMillis(paired.result?.event.at)
    if (ms === null || !paired.call.name.startsWith('mcp__') || paired.call.spillFile !== undefined) continue
    const tool = paired.call.name.replace(/__/g, '-').replace(/[^A-Za-z0-9_-]/g, '-')
    const list = byTool.get(tool)
    if (list) list.push({ ms, paired })
    else byTool.set(tool, [{ ms, paired }])
  }
  for (const list of byTool.values()) list.sort((one, other) => one.ms - other.ms)
  return byTool
}

/** The free call nearest to a time; `list` is sorted by time. */
function nearestCall(list: readonly TimedCall[], ms: number): PairedCall | undefined {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((list[middle] as TimedCall).ms < ms) low = middle + 1
    else high = middle
  }
  let best: TimedCall | undefined
  for (const candidate of [list[low - 1], list[low]]) {
    if (candidate === undefined || candidate.paired.call.spillFile !== undefined) continue
    if (best === undefined || Math.abs(candidate.ms - ms) < Math.abs(best.ms - ms)) best = candidate
  }
  return best && Math.abs(best.ms - ms) <= nearMs ? best.paired : undefined
}

function nameOf(path: string): string {
  return path.replace(/^.*[\\/]/, '')
}

// The counts of a check report, gathered record by record and session by session. It counts; it judges nothing.

import { toMillis } from '../base/instant.ts'
import { asArray, asString, isObject } from '../base/json.ts'
import type { SessionEvent } from '../model/event.ts'
import { hasFlag } from '../model/event.ts'
import type { LogRecord } from '../model/record.ts'
import type { SessionGraph } from '../model/session.ts'
import type { CheckCounts } from '../schema/contract-shapes.ts'
import type { FileFacts } from './rule.ts'

export function emptyCounts(): CheckCounts {
  return {
    known: 0,
    unknown: 0,
    malformed: 0,
    torn: 0,
    oversized: 0,
    blank: 0,
    glued: 0,
    orphans: 0,
    orphansWithLogicalParent: 0,
    loops: 0,
    duplicates: 0,
    callsWithoutResult: 0,
    resultsWithoutCall: 0,
    duplicateCallIds: 0,
    resultsBeforeCall: 0,
    backwardTimestamps: 0,
    compactions: 0,
  }
}

/** What represents the type of a record that has none. */
export const noType = '(none)'

/** `type`, or `type/subtype` where there is a subtype. */
export function typeKey(record: LogRecord): string {
  const type = record.type ?? noType
  return record.subtype === undefined ? type : `${type}/${record.subtype}`
}

export function countRecord(counts: CheckCounts, record: LogRecord): void {
  counts[record.status]++
  if (record.part === 2) counts.glued++
}

/** What only a whole file shows. */
export function countFile(counts: CheckCounts, facts: FileFacts): void {
  const seen = new Set<string>()
  for (const record of facts.records) {
    const uuid = asString(record.value?.['uuid'])
    if (uuid === undefined) continue
    if (seen.has(uuid)) counts.duplicates++
    seen.add(uuid)
  }
  // The record's own time: an event may have taken one from deeper inside.
  let last: number | null = null
  for (const record of facts.records) {
    const at = record.dialect === 'foreign' ? null : toMillis(record.value?.['timestamp'])
    if (at === null) continue
    if (last !== null && at < last) counts.backwardTimestamps++
    last = at
  }
}

/** What only the graph shows. */
export function countGraph(counts: CheckCounts, graph: SessionGraph): void {
  for (const node of graph.nodes.values()) if (node.link === 'loop') counts.loops++
  // Every record counts, also one that is a copy of another and so no node of its own.
  for (const event of graph.events) {
    if (!isOrphan(event, graph)) continue
    counts.orphans++
    if (event.logicalParent !== undefined) counts.orphansWithLogicalParent++
  }
  counts.compactions += graph.compactions.length
  countCalls(counts, graph)
}

/** Whether the record names a parent that is nowhere in its session. */
function isOrphan(event: SessionEvent, graph: SessionGraph): boolean {
  return event.parent !== null && !graph.nodes.has(event.parent)
}

interface Request {
  event: SessionEvent
  messageId: string | undefined
}

function countCalls(counts: CheckCounts, graph: SessionGraph): void {
  const requests = new Map<string, Request>()
  const repeated = new Set<string>()
  for (const event of graph.events) {
    if (hasFlag(event, 'copy')) continue
    for (const block of event.blocks) {
      if (block.type !== 'tool-call') continue
      const first = requests.get(block.callId)
      if (first === undefined) requests.set(block.callId, { event, messageId: event.message?.id })
      else if (first.event !== event && (first.messageId === undefined || first.messageId !== event.message?.id))
        repeated.add(block.callId)
    }
  }
  counts.duplicateCallIds += repeated.size

  const answered = new Set<string>()
  for (const event of graph.events) {
    for (const block of event.blocks) {
      if (block.type !== 'tool-result') continue
      answered.add(block.callId)
      if (hasFlag(event, 'copy')) continue
      const request = requests.get(block.callId)?.event
      if (request === undefined) counts.resultsWithoutCall++
      else if (request.source.file === event.source.file && event.source.offset < request.source.offset)
        counts.resultsBeforeCall++
    }
  }
  for (const [id, { event }] of requests) if (!answered.has(id) && isOwnCall(event, id)) counts.callsWithoutResult++
}

/** Whether Claude Code runs the call; the API's own tools may answer where no log sees it. */
function isOwnCall(event: SessionEvent, id: string): boolean {
  const message = event.record.value?.['message']
  const blocks = isObject(message) ? asArray(message['content']).filter(isObject) : []
  const block = blocks.find(each => each['id'] === id)
  return block === undefined || block['type'] === 'tool_use'
}

// Proves the laws of reading on any bytes: nothing lost, nothing thrown, nothing dependent on how the bytes came.
// Every fixture and every mutated input goes through it.

import { expect } from 'vitest'
import { concatBytes } from '../../src/base/bytes.ts'
import { jsonText } from '../../src/base/json.ts'
import { EventDecoder, RecordDecoder } from '../../src/decode/decode.ts'
import { contextOfEvents } from '../../src/graph/context/context.ts'
import { buildGraph } from '../../src/graph/graph.ts'
import type { SessionEvent } from '../../src/model/event.ts'
import { sessionId } from '../../src/model/ids.ts'
import type { LogRecord } from '../../src/model/record.ts'
import type { SessionGraph } from '../../src/model/session.ts'
import { toEventLine, toRecordLine } from '../../src/session/load.ts'

const session = sessionId('law')

/** Decodes bytes that come in the given chunks. */
export function decodeChunks(chunks: readonly Uint8Array[]): { records: LogRecord[]; events: SessionEvent[] } {
  const decoder = new RecordDecoder('law.jsonl')
  const records = [...chunks.flatMap(chunk => decoder.push(chunk)), ...decoder.end()]
  const events = new EventDecoder({ session })
  return { records, events: records.flatMap(record => events.decode(record)) }
}

/** Cuts bytes at the given places. */
export function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = [...new Set(places.map(place => place % (bytes.length + 1)))].sort((a, b) => a - b)
  const ends = [...cuts, bytes.length]
  return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end))
}

/** Law 1: records follow each other without gap or overlap, and their bytes are the file. */
export function expectWhole(bytes: Uint8Array, records: readonly LogRecord[]): void {
  let at = 0
  for (const record of records) {
    expect(record.offset).toBe(at)
    at += record.bytes
  }
  expect(at).toBe(bytes.length)
  const parts = records.map(record => bytes.subarray(record.offset, record.offset + record.bytes))
  expect(parts.length === 0 ? bytes.length === 0 : equalBytes(concatBytes(parts), bytes)).toBe(true)
}

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}

/** Everything a graph says, in a form that can be compared: no object identity, no map order. */
export function graphText(graph: SessionGraph): string {
  const nodes = [...graph.nodes].map(([id, node]) => [id, node.parent, node.link, node.children])
  const { events, nodes: _nodes, state, activePath, abandoned, ...rest } = graph
  const lists = { nodes, activePath: [...activePath], abandoned: [...abandoned], events: events.map(toEventLine) }
  return jsonText({ ...rest, ...lists, state: { ...state, other: [...state.other] } })
}

/** Laws 1 to 3 on these bytes, with the given chunking against the whole at once. */
export function expectLaws(bytes: Uint8Array, cuts: readonly number[]): void {
  const whole = decodeChunks([bytes])
  expectWhole(bytes, whole.records)
  const cut = decodeChunks(cutAt(bytes, cuts))
  expect(cut.records.map(record => jsonText(toRecordLine(record)))).toEqual(
    whole.records.map(record => jsonText(toRecordLine(record))),
  )
  const build = (events: readonly SessionEvent[]) =>
    buildGraph(session, [{ path: 'law.jsonl', role: 'session', events }])
  expect(graphText(build(cut.events))).toBe(graphText(build(whole.events)))
  const ids = whole.events.map(event => event.id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(jsonText(contextOfEvents(session, cut.events))).toBe(jsonText(contextOfEvents(session, whole.events)))
}

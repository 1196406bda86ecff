import { expect, test } from 'vitest'
import { textToBytes } from '../base/bytes.ts'
import { decodeText } from '../decode/decode.ts'
import { buildGraph } from '../graph/graph.ts'
import { sessionId } from '../model/ids.ts'
import type { GenerationId, LogFile } from '../model/source.ts'
import { GrowingLog } from './load.ts'

const id = sessionId('3f2a0000-0000-4000-8000-000000000001')
const file: LogFile = { path: '/x/s.jsonl', role: 'session', generation: 'g' as GenerationId, size: 0, modifiedMs: 0 }

const lines = [
  { type: 'user', uuid: 'u1', parentUuid: null, message: { role: 'user', content: 'Count the loaves — 三' } },
  {
    type: 'assistant',
    uuid: 'a1',
    parentUuid: 'u1',
    message: { id: 'm1', role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} }] },
  },
  {
    type: 'user',
    uuid: 'r1',
    parentUuid: 'a1',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'twelve' }] },
  },
  // The same record again, as a resume writes it.
  { type: 'user', uuid: 'u1', parentUuid: null, message: { role: 'user', content: 'Count the loaves — 三' } },
]
const text = lines
  .map(line => JSON.stringify({ ...line, sessionId: id, timestamp: '2026-03-01T10:00:00.000Z' }))
  .join('\n')
const bytes = textToBytes(`${text}\n`)

function whole(length: number) {
  return decodeText(bytes.slice(0, length), { session: id, role: 'session', file: file.path }).events
}

test('at every length it has the events of reading the file whole, also in the middle of a line', () => {
  for (const step of [1, 7, 100]) {
    const log = new GrowingLog(file, id)
    for (let at = 0; at < bytes.length; at += step) {
      log.push(bytes.slice(at, at + step))
      const length = Math.min(bytes.length, at + step)
      if (step === 1 && length % 13 !== 0) continue
      expect(log.bytes).toBe(length)
      expect(log.events()).toEqual(whole(length))
    }
  }
})

test('a graph that is made again and again of growing events is the graph of the whole', () => {
  const log = new GrowingLog(file, id)
  for (let at = 0; at < bytes.length; at += 64) {
    log.push(bytes.slice(at, at + 64))
    const made = buildGraph(id, [{ path: file.path, role: 'session', events: log.events() }])
    const fresh = buildGraph(id, [{ path: file.path, role: 'session', events: whole(at + 64) }])
    expect(made).toEqual(fresh)
  }
})

test('a log whose beginning is known elsewhere continues with the right lines and places', () => {
  const all = whole(bytes.length)
  const from = all[2]?.source.offset ?? 0
  const log = new GrowingLog(file, id, { offset: from, line: 3, before: bytes.slice(0, from) })
  log.push(bytes.slice(from))
  expect(log.events()).toEqual(all.slice(2))
})

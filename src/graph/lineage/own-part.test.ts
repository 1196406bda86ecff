import { expect, test } from 'vitest'
import type { SessionEvent } from '../../model/event.ts'
import { copiedFrom } from '../../model/origin.ts'
import type { CopiedPart } from '../../model/session.ts'
import { Sketch, type Wire } from '../testing.ts'
import { copiedParts, digestSession } from './lineage.ts'
import { markCopied } from './own-part.ts'

const at = (minute: number): Wire => ({ timestamp: new Date(Date.UTC(2026, 2, 4, 9, minute)).toISOString() })

/** Two prompts with their answers. */
const original = (id: string) =>
  new Sketch(id)
    .user('a1', null, 'Write the menu', at(0))
    .blocks('a2', 'a1', [{ type: 'text', text: 'Soup' }], 'msg_01KitchenKitchenA1', at(1))
    .user('a3', 'a2', 'Add a dessert', at(2))
    .blocks('a4', 'a3', [{ type: 'text', text: 'Plums' }], 'msg_01KitchenKitchenA2', at(3))

/** Begins with the first records of another session, without a word of where they come from. */
function copy(of: Sketch, id: string, records: number, change: (record: Wire) => Wire = record => record): Sketch {
  const copied = new Sketch(id)
  for (const record of of.records.slice(0, records)) copied.records.push(change({ ...record, sessionId: id }))
  return copied
}

const more = (sketch: Sketch, name: string, minute: number) =>
  sketch
    .user(`${name}1`, 'a4', `On with ${name}`, at(minute))
    .blocks(
      `${name}2`,
      `${name}1`,
      [{ type: 'text', text: 'Done' }],
      `msg_01KitchenKitchen${name.toUpperCase()}`,
      at(minute + 1),
    )

function partsOf(...sketches: Sketch[]): Record<string, Pick<CopiedPart, 'from' | 'until'>> {
  const parts = copiedParts(sketches.map(sketch => digestSession(sketch.graph())))
  return Object.fromEntries([...parts].map(([id, { from, until }]) => [id, { from, until }]))
}

const time = (minute: number) => at(minute)['timestamp'] as string

test.each([
  ['1', '2', '3'],
  ['9', '8', '7'],
])('a fork, a fork of the fork and the original are known whatever their ids sort like (%s)', (one, two, three) => {
  const from = original(one)
  const fork = more(copy(from, two, 4), 'b', 300)
  const second = more(copy(fork, three, 6), 'c', 700)
  const expected = { [two]: { from: one, until: time(3) }, [three]: { from: two, until: time(301) } }
  expect(partsOf(from, fork, second)).toEqual(expected)
  expect(partsOf(second, fork, from)).toEqual(expected)
})

test('of two logs the one that has lines of state between the common records is the original', () => {
  const from = original('z')
  from.records.splice(2, 0, { type: 'mode', mode: 'plan', sessionId: 'z' })
  expect(partsOf(copy(original('x'), 'a', 4), more(from, 'b', 10))).toEqual({ a: { from: 'z', until: time(3) } })
})

test('a resume that gives records new times and new uuids has copied them', () => {
  const resumed = copy(original('z'), 'a', 4, record => ({ ...record, uuid: `n${record['uuid']}`, ...at(60) }))
  expect(partsOf(more(resumed, 'b', 70), original('z'))).toEqual({ a: { from: 'z', until: time(60) } })
})

test('records that state where they come from are copied, whether their origin is there or not', () => {
  const stated = (record: Wire): Wire => ({ ...record, forkedFrom: { sessionId: 'z', messageUuid: record['uuid'] } })
  const fork = more(copy(original('z'), 'a', 4, stated), 'b', 300)
  expect(partsOf(fork)).toEqual({ a: { from: 'z', until: time(3) } })
  expect(partsOf(fork, original('z'))).toEqual({ a: { from: 'z', until: time(3) } })
})

test('a record that two sessions have after much of their own is not taken for a beginning that was copied', () => {
  const one = more(original('one'), 'b', 10)
  const other = new Sketch('other')
  for (const n of [1, 2, 3])
    other.blocks(`o${n}`, null, [{ type: 'text', text: 'Other' }], `msg_01KitchenKitchenO${n}`, at(n))
  other.blocks('b2', 'o3', [{ type: 'text', text: 'Done' }], 'msg_01KitchenKitchenB', at(11))
  expect(partsOf(one, other)).toEqual({})
})

test('two that nothing distinguishes are ordered by the last change of their files, and that is said', () => {
  const [one, other] = [original('a'), original('b')]
  const parts = copiedParts([digestSession(one.graph(), 2000), digestSession(other.graph(), 1000)])
  expect([...parts].map(([id, { from, isInferred }]) => [id, from, isInferred])).toEqual([['a', 'b', true]])
})

test('events until the last copied one are marked, and lines before them that are later are not', () => {
  const fork = copy(original('z'), 'a', 4)
  fork.records.unshift({
    type: 'queue-operation',
    operation: 'enqueue',
    content: 'On',
    sessionId: 'a',
    ...at(299),
  })
  const graph = more(fork, 'b', 300).graph()
  const part = copiedParts([digestSession(original('z').graph()), digestSession(graph)]).get(graph.session)
  const isCopied = (event: SessionEvent) => copiedFrom(event) !== undefined
  expect(markCopied(graph.session, graph.events, part).map(isCopied)).toEqual([
    ...[false, true, true, true, true, false, false],
  ])
  expect(markCopied(graph.session, graph.events, undefined).some(isCopied)).toBe(false)
})

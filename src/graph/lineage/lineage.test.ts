import { expect, test } from 'vitest'
import type { SessionId } from '../../model/ids.ts'
import { Sketch } from '../testing.ts'
import { digestSession, linkSessions, summariesBySession } from './lineage.ts'

const links = (...sketches: Sketch[]) => {
  const found = linkSessions(sketches.map(sketch => digestSession(sketch.graph())))
  return [...found].flatMap(([session, list]) => list.map(link => [session, link.relation, link.session]))
}
const base = (session: string) => new Sketch(session).user('u', null, 'Hello').answer('a', 'u', 'Hi')
const later = (sketch: Sketch) => {
  sketch.records.forEach((record, at) => {
    record['timestamp'] = new Date(Date.UTC(2026, 5, 1, 10, at)).toISOString()
  })
  return sketch
}

test('a session with the uuids of an earlier one was forked from it', () => {
  const fork = later(base('fork').user('v', 'a', 'Further'))
  expect(links(fork, base('old').user('w', 'a', 'Elsewhere'))).toEqual([['fork', 'forked-from', 'old']])
})

test('of two that begin at the same time, the one that ends where they part is the original', () => {
  const fork = base('fork').user('v', 'a', 'Further')
  expect(links(fork, base('old'))).toEqual([['fork', 'forked-from', 'old']])
  expect(links(base('old'), fork)).toEqual([['fork', 'forked-from', 'old']])
})

test('of two that begin at the same time, the one that went on first is the original, however long it is', () => {
  const old = base('old').user('w', 'a', 'On').answer('x', 'w', 'Done')
  const fork = new Sketch('fork')
    .user('u', null, 'Hello')
    .user('v', 'u', 'Again', { timestamp: '2026-02-01T00:00:00Z' })
  expect(links(fork, old)).toEqual([['fork', 'forked-from', 'old']])
  expect(links(old, fork)).toEqual([['fork', 'forked-from', 'old']])
})

test('several forks that begin at the same time come from the one original', () => {
  const fork = (id: string) => base(id).user(`${id}1`, 'a', 'Further')
  expect(links(fork('f'), fork('g'), base('old'))).toEqual([
    ['f', 'forked-from', 'old'],
    ['g', 'forked-from', 'old'],
  ])
})

test('a session that begins with a boundary continues from the session that has its logical parent', () => {
  const next = later(new Sketch('next').system('c', null, 'compact_boundary', { logicalParentUuid: 'a' }))
  expect(links(base('old'), next)).toEqual([['next', 'resumed-from', 'old']])
})

test('of two that begin at the same time, records that carry the other’s id are the copy', () => {
  const fork = new Sketch('fork').user('u', null, 'Hello', { sessionId: 'old' }).user('v', 'u', 'Further')
  const old = new Sketch('old').user('u', null, 'Hello').user('w', 'u', 'Elsewhere').user('x', 'w', 'On')
  expect(links(fork, old)).toEqual([['fork', 'forked-from', 'old']])
})

test('a session with nothing of its own is a copy', () => {
  expect(links(base('old').user('v', 'a', 'More'), later(base('copy')))).toEqual([['copy', 'copied-from', 'old']])
})

test('the same message ids under new uuids show a resume, from the nearest session', () => {
  const resumed = (session: string, uuids: string[], messages: string[]) => {
    const sketch = new Sketch(session)
    for (const [at, message] of messages.entries()) sketch.blocks(uuids[at] ?? '', null, [], message)
    return sketch
  }
  const first = resumed('first', ['a1'], ['m1'])
  const second = later(resumed('second', ['b1', 'b2'], ['m1', 'm2']))
  const third = later(later(resumed('third', ['c1', 'c2', 'c3'], ['m1', 'm2', 'm3'])))
  for (const record of third.records) record['timestamp'] = '2026-08-01T00:00:00.000Z'
  expect(links(third, first, second)).toEqual([
    ['third', 'resumed-from', 'second'],
    ['second', 'resumed-from', 'first'],
  ])
})

test('a parent that is in another session shows a resume', () => {
  const next = later(new Sketch('next').user('v', 'a', 'Further'))
  expect(links(base('old'), next)).toEqual([['next', 'resumed-from', 'old']])
})

test('what records state outright is believed, even of sessions that are not there', () => {
  const fork = new Sketch('f').user('x', null, 'Hello', { forkedFrom: { sessionId: 'old', messageUuid: 'u' } })
  fork.side({ type: 'continued-in', continuedInSessionId: 'next' })
  expect(links(fork)).toEqual([
    ['f', 'forked-from', 'old'],
    ['f', 'continued-in', 'next'],
  ])
})

test('the caveat line that Claude Code writes into every session links nothing', () => {
  const caveat = (session: string) =>
    new Sketch(session).user('same', null, 'Caveat: The messages below', { isMeta: true })
  expect(links(caveat('one').user('u', 'same', 'Hello'), later(caveat('two').user('v', 'same', 'Hi')))).toEqual([])
})

test('a summary finds the session that has its leaf', () => {
  const other = new Sketch('other').side({ type: 'summary', summary: 'Greeting', leafUuid: 'a' })
  const found = summariesBySession([other, base('old')].map(sketch => digestSession(sketch.graph())))
  expect([...found]).toEqual([['old' as SessionId, [{ leaf: 'a', title: 'Greeting' }]]])
})

test('a copied boundary shows where the original continues from, not where the copy of a copy does', () => {
  const original = base('old').system('c', null, 'compact_boundary', { logicalParentUuid: 'a' }).user('v', 'c', 'On')
  const from = (sketch: Sketch, session: string, since: number) => {
    const copy = new Sketch(session)
    for (const record of sketch.records.slice(since)) copy.records.push({ ...record, sessionId: session })
    return copy
  }
  const own = { timestamp: '2026-06-01T10:00:00.000Z' }
  // Each fork begins at the boundary and adds records of its own.
  const fork = from(original, 'fork', 2).user('w', 'v', 'Elsewhere', own).answer('x', 'w', 'Here', own)
  const second = from(fork, 'second', 0).user('y', 'x', 'Further', own).answer('z', 'y', 'There', own)
  expect(links(second, fork, original)).toEqual([
    ['second', 'forked-from', 'fork'],
    ['fork', 'forked-from', 'old'],
  ])
})

/** Records as specification 000 numbers them: in every session alike. */
const numbered = (session: string, ...texts: string[]) => {
  const sketch = new Sketch(session)
  for (const [at, text] of texts.entries()) sketch.user(`msg_${at + 1}`, at === 0 ? null : `msg_${at}`, text)
  return sketch
}

test('sessions that number their records alike are unrelated, also where they begin with the same words', () => {
  const one = numbered('one', 'Hello', 'Fix the bug', 'Thanks')
  expect(links(one, later(numbered('two', 'Hello', 'Draw a horse', 'Now a dog')))).toEqual([])
  // A parent that is missing is not that of a stranger.
  const orphan = numbered('three', 'Good morning').user('msg_9', 'msg_3', 'On')
  expect(links(one, later(orphan))).toEqual([])
})

test('answers of sessions that number their records alike are not the same, whatever their ids', () => {
  const answered = (session: string, text: string) =>
    new Sketch(session).user('u', null, text).blocks('a', 'u', [{ type: 'text', text }], 'msg_1')
  expect(links(answered('one', 'Left'), later(answered('two', 'Right')))).toEqual([])
})

test('a fork without a statement is known by equal records, in whatever form a prompt was written', () => {
  const fork = new Sketch('fork')
    .user('u', null, [{ type: 'text', text: 'Hello' }], { cwd: '/elsewhere', version: '2.1.325' })
    .answer('a', 'u', 'Hi')
    .user('v', 'a', 'Further')
  expect(links(base('old').user('w', 'a', 'Elsewhere'), later(fork))).toEqual([['fork', 'forked-from', 'old']])
})

test('a leaf that several sessions have for different records names none but the summary’s own session', () => {
  const one = numbered('one', 'Fix the bug').side({ type: 'summary', summary: 'A bug', leafUuid: 'msg_1' })
  const two = later(numbered('two', 'Draw a horse'))
  const titles = new Sketch('titles').side({ type: 'summary', summary: 'Whose?', leafUuid: 'msg_1' })
  const found = summariesBySession([titles, two, one].map(sketch => digestSession(sketch.graph())))
  expect([...found]).toEqual([['one' as SessionId, [{ leaf: 'msg_1', title: 'A bug' }]]])
})

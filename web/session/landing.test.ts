import { describe, expect, it } from 'vitest'
import { eventId, threadId } from '../../src/model/ids.ts'
import type { ErrorPlace, EventPlace } from '../../src/view/reading.ts'
import type { ViewItem } from '../../src/view/view.ts'
import { nextError } from './cursor.ts'
import { matchesIn, nextPlace } from './find.tsx'
import { itemOf, wayWithin, wordsOf } from './landing.ts'
import { neighbourOf } from './neighbours.tsx'
import { itemKey, OpenItems, slotsOfKey, threadPath } from './state.ts'

function item(part: Partial<ViewItem>): ViewItem {
  const plain = { id: eventId('e'), thread: threadId('t'), at: null, headline: 'Bash', isQuiet: false }
  return { kind: 'call', actor: 'agent', badges: [], body: [], ...plain, ...part }
}

function place(...slots: number[]): EventPlace {
  const inside = slots.slice(0, -1).map((slot, at) => ({ thread: `t${at}`, slot }))
  return { thread: `t${slots.length - 1}`, slot: slots.at(-1) ?? 0, shownIn: 'e', inside }
}

const error = (...slots: number[]): ErrorPlace => ({ ...place(...slots), event: 'e', n: 0 })

describe('the item that was asked for', () => {
  const items = [
    item({ kind: 'thinking' }),
    item({ id: eventId('a'), kind: 'answer' }),
    item({ id: eventId('a'), status: 'done', body: [{ type: 'text', text: 'All Green', tone: 'plain' }] }),
    item({ id: eventId('b'), status: 'failed' }),
    item({ id: eventId('c'), status: 'failed' }),
  ]

  it('is the one of the event, not the first of its slot', () => {
    expect(itemOf(items, { event: 'b', place: { ...place(1), shownIn: 'b' } })).toBe(3)
  })

  it('is the call where a result was asked for', () => {
    expect(itemOf(items, { event: 'result', place: { ...place(1), shownIn: 'a' } })).toBe(2)
  })

  it('is the one with the words where an event has several', () => {
    expect(itemOf(items, { event: 'a', words: ['green'] })).toBe(2)
    expect(itemOf(items, { event: 'a', words: ['absent'] })).toBe(1)
  })

  it('is each error of a slot in turn', () => {
    expect([0, 1].map(n => itemOf(items, { event: 'b', error: n }))).toEqual([3, 4])
  })
})

describe('the way to a place', () => {
  it('begins at the thread on screen', () => {
    expect(wayWithin(place(4, 2, 9), 't0').map(({ slot }) => slot)).toEqual([4, 2, 9])
    expect(wayWithin(place(4, 2, 9), 't1').map(({ slot }) => slot)).toEqual([2, 9])
    expect(wayWithin(place(4, 2, 9), 'other')).toEqual([])
  })

  it('can be read from the key of an item', () => {
    const holder = itemKey('', 12, 3)
    const inner = itemKey(threadPath(holder, 1), 40, 0)
    expect(slotsOfKey(inner)).toEqual([12, 40])
  })
})

describe('going on from here', () => {
  const places = [place(1), place(5), place(5, 3), place(8)]

  it('finds the next place after the reader, and the first one behind the last', () => {
    expect(nextPlace(places, -1, [4], 1)).toBe(1)
    expect(nextPlace(places, -1, [5, 1], 1)).toBe(2)
    expect(nextPlace(places, -1, [9], 1)).toBe(0)
    expect(nextPlace(places, -1, [5], -1)).toBe(0)
    expect(nextPlace(places, -1, [0], -1)).toBe(3)
  })

  it('goes on from the last place while the reader is there, and else from the reader', () => {
    expect(nextPlace(places, 1, [5], 1)).toBe(2)
    expect(nextPlace(places, 1, [7], 1)).toBe(3)
  })

  it('stops at every error once', () => {
    const errors = [error(1), error(5), error(5), error(5, 3)]
    const here = (...slots: number[]) => ({ item: undefined, here: () => slots })
    expect(nextError(errors, undefined, here(0), 1)).toBe(0)
    expect(nextError(errors, 1, here(5), 1)).toBe(2)
    expect(nextError(errors, 3, here(5, 3), 1)).toBe(4)
    expect(nextError(errors, undefined, here(9), -1)).toBe(3)
  })
})

describe('words', () => {
  it('are marked in order and without overlaps', () => {
    expect(matchesIn('round the rounding', ['rounding', 'round'])).toEqual([
      [0, 5],
      [10, 18],
    ])
  })

  it('come from a link, one per line', () => {
    expect(wordsOf('Cart\nrounding error\n')).toEqual(['cart', 'rounding error'])
    expect(wordsOf(undefined)).toEqual([])
  })
})

describe('sessions next to each other', () => {
  const ids = ['a', 'b', 'c']
  const next = (current: string, step: 1 | -1) => neighbourOf(at => ids[at], ids.length, current, step)

  it('follow the list, and end with it', () => {
    expect([next('a', 1), next('b', -1), next('c', 1), next('a', -1)]).toEqual(['b', 'a', undefined, undefined])
    expect(next('elsewhere', 1)).toBe('a')
  })
})

describe('what is unfolded for somebody who goes from place to place', () => {
  const isOpen = (open: OpenItems, ...keys: string[]) => keys.map(key => open.isOpen(key, false))

  it('is only the way to the last one', () => {
    const open = new OpenItems()
    open.visit(['1.0', '1.0/0:4.0'])
    open.visit(['1.0', '1.0/0:7.0'])
    expect(isOpen(open, '1.0', '1.0/0:4.0', '1.0/0:7.0')).toEqual([true, false, true])
    open.visit([])
    expect(isOpen(open, '1.0', '1.0/0:7.0')).toEqual([false, false])
  })

  it('leaves alone what the reader opened or closed', () => {
    const open = new OpenItems()
    open.set('1.0', true)
    open.visit(['1.0', '2.0'])
    open.set('2.0', true)
    open.visit(['3.0'])
    open.set('3.0', false)
    open.visit([])
    expect(isOpen(open, '1.0', '2.0', '3.0')).toEqual([true, true, false])
    open.set('4.0', false)
    open.visit(['4.0'])
    open.visit([])
    expect(open.isOpen('4.0', true)).toBe(false)
  })

  it('closes nothing that is open because everything is', () => {
    const open = new OpenItems()
    open.visit(['1.0'])
    open.setAll(true)
    open.visit(['2.0'])
    open.visit([])
    expect(isOpen(open, '1.0', '2.0', '9.0')).toEqual([true, true, true])
  })
})

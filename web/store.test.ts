import { describe, expect, it } from 'vitest'
import { eventKinds } from '../src/model/event.ts'
import { eventId, threadId } from '../src/model/ids.ts'
import type { CallStatus } from '../src/model/session.ts'
import type { Outline, SessionHead } from '../src/view/reading.ts'
import type { ViewItem } from '../src/view/view.ts'
import { pageSlots, type Reader, SessionStore } from './store.ts'

/** A session of `length` slots, each a call; counts what is asked of it. */
class Fake implements Reader {
  id = 's'
  length: number
  asked: string[] = []
  running = new Set<number>()
  fails = false
  constructor(length: number) {
    this.length = length
  }
  async head(): Promise<SessionHead> {
    this.asked.push('head')
    return { id: 's', title: 'A title', threads: [{ id: 's', kind: 'main' }] } as unknown as SessionHead
  }
  async outline(thread?: string): Promise<Outline> {
    this.asked.push(`outline ${thread ?? 'main'}`)
    const ids = Array.from({ length: this.length }, (_, at) => `e${at}`)
    return { thread: thread ?? 's', ids, kinds: ids.map(() => eventKinds.indexOf('answer')) } as unknown as Outline
  }
  async items(from: number, to: number, thread?: string) {
    this.asked.push(`items ${from} ${thread ?? 'main'}`)
    if (this.fails) throw new Error('gone')
    const end = Math.min(to, this.length)
    return {
      thread: 's',
      from,
      slots: Array.from({ length: Math.max(0, end - from) }, (_, at) => [this.item(from + at)]),
    }
  }
  item(slot: number): ViewItem {
    const status: CallStatus = this.running.has(slot) ? 'running' : 'done'
    const plain = { kind: 'call', actor: 'agent', at: null, badges: [], body: [], isQuiet: false } as const
    const named = { id: eventId(`e${slot}`), thread: threadId('s'), headline: `${slot}`, status }
    return { ...plain, badges: [], body: [], ...named }
  }
  placeOf = async () => null
  errors = async () => []
  raw = () => Promise.reject(new Error('none'))
  files = async () => []
  netDiff = async () => null
  contextAt = () => Promise.reject(new Error('none'))
  find = async () => []
  document = () => Promise.reject(new Error('none'))
}

const settle = () => new Promise(resolve => setTimeout(resolve, 5))
const itemsAsked = (fake: Fake) => fake.asked.filter(line => line.startsWith('items'))

describe('SessionStore', () => {
  it('asks for the whole session only when its beginning is there', async () => {
    const fake = new Fake(3)
    let answer = () => {}
    const first = async () => {
      fake.asked.push('first')
      await new Promise<void>(resolve => {
        answer = resolve
      })
      return { head: await fake.head(), items: { thread: 's', from: 0, slots: [] } }
    }
    const store = new SessionStore(Object.assign(fake, { first }))
    store.outline()
    await settle()
    expect(fake.asked).toEqual(['first'])
    answer()
    await settle()
    expect(fake.asked).toContain('outline main')
  })

  it('asks for a head once, however many look at it', async () => {
    const fake = new Fake(3)
    const store = new SessionStore(fake)
    expect(store.head().isLoading).toBe(true)
    store.head()
    await settle()
    expect(store.head().value?.title).toBe('A title')
    expect(fake.asked).toEqual(['head'])
  })

  it('takes head and first slots from one answer where there is one', async () => {
    const fake = new Fake(3)
    const first = async () => ({ head: await fake.head(), items: await fake.items(0, 2) })
    const store = new SessionStore(Object.assign(fake, { first }))
    store.head()
    await settle()
    expect(store.itemsOf(undefined, 1)?.[0]?.headline).toBe('1')
    expect(store.itemsOf('s', 1), 'the main thread by its id').toBe(store.itemsOf(undefined, 1))
  })

  it('asks for the pages of a range once, and not for those before it', async () => {
    const fake = new Fake(100_000)
    const store = new SessionStore(fake)
    store.want(undefined, 80_000, 80_070)
    store.want(undefined, 80_001, 80_071)
    await settle()
    store.want(undefined, 80_001, 80_071)
    expect(itemsAsked(fake)).toEqual(['items 80000 main', 'items 80064 main'])
    expect(store.itemsOf(undefined, 80_000)?.[0]?.headline).toBe('80000')
    expect(store.itemsOf(undefined, 8)).toBeUndefined()
  })

  it('reports listeners when items came', async () => {
    const store = new SessionStore(new Fake(10))
    let notified = 0
    const stop = store.subscribe(() => notified++)
    store.want(undefined, 0, 10)
    await settle()
    stop()
    expect(notified).toBe(1)
    expect(store.versionOf(undefined)).toBe(1)
  })

  it('shows what grew, looking again only at pages that growing can change', async () => {
    const fake = new Fake(pageSlots + 1)
    const store = new SessionStore(fake)
    store.outline()
    store.want(undefined, 0, pageSlots + 1)
    await settle()
    fake.length += 2
    fake.asked = []
    store.grown({ s: fake.length })
    await settle()
    expect(fake.asked.sort()).toEqual([`items ${pageSlots} main`, 'outline main'])
    expect(store.outline().value?.ids).toHaveLength(pageSlots + 3)
    expect(store.itemsOf(undefined, pageSlots + 2)).toHaveLength(1)
  })

  it('looks again at a call that was running, and keeps showing it meanwhile', async () => {
    const fake = new Fake(pageSlots)
    fake.running.add(3)
    const store = new SessionStore(fake)
    store.want(undefined, 0, 10)
    await settle()
    fake.running.clear()
    store.grown({ s: pageSlots })
    expect(store.itemsOf(undefined, 3)?.[0]?.status).toBe('running')
    await settle()
    expect(store.itemsOf(undefined, 3)?.[0]?.status).toBe('done')
  })

  it('does not ask again and again for what fails, until it is asked to', async () => {
    const fake = new Fake(10)
    fake.fails = true
    const store = new SessionStore(fake)
    store.want(undefined, 0, 10)
    await settle()
    store.want(undefined, 0, 10)
    expect(store.itemsError(undefined)?.message).toBe('gone')
    expect(itemsAsked(fake)).toHaveLength(1)
    fake.fails = false
    store.retry()
    await settle()
    expect(store.itemsError(undefined)).toBeUndefined()
    expect(store.itemsOf(undefined, 0)).toHaveLength(1)
  })
})

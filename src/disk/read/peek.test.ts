import { stat } from 'node:fs/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lines, TestHome } from '../../../test/home.ts'
import type { FoundFile } from '../discover/tree.ts'
import { type Glance, glance, planNames, windowBytes } from './peek.ts'
import { diskSource, generationOf } from './read.ts'

let folder: TestHome
beforeEach(async () => {
  folder = new TestHome()
})
afterEach(() => folder.remove())

async function found(content: string | Uint8Array, name = 'x.jsonl'): Promise<FoundFile> {
  const path = folder.write(name, content)
  const facts = await stat(path, { bigint: true })
  return { path, size: Number(facts.size), modifiedMs: 0, generation: generationOf(path, facts) }
}
const look = async (content: string | Uint8Array, name?: string): Promise<Glance> =>
  glance(await found(content), diskSource(), name)
const sessionOf = async (content: string | Uint8Array, name?: string) => (await look(content, name)).session

/** A record without an id that is longer than both windows. */
const bulk = { type: 'bulk', text: 'x'.repeat(windowBytes * 3) }

describe('the session of a log', () => {
  it('is the one the file is called after where any record names it', async () => {
    expect(await sessionOf(lines({ sessionId: 'mine' }, { sessionId: 'other' }), 'mine')).toBe('mine')
    expect(await sessionOf('{ "a": 1, "sessionId" :\t"mine" }\n{"sessionId":"other"}', 'mine')).toBe('mine')
  })

  it('is found in the head, the middle and the tail of a long file', async () => {
    const other = { sessionId: 'other' }
    const mine = { sessionId: 'mine' }
    expect(await sessionOf(lines(mine, bulk, other, bulk, other), 'mine')).toBe('mine')
    expect(await sessionOf(lines(other, bulk, mine, bulk, other), 'mine')).toBe('mine')
    expect(await sessionOf(lines(other, bulk, other, bulk, mine), 'mine')).toBe('mine')
    expect(await sessionOf(lines(bulk, mine, bulk), 'some-name')).toBe('mine')
  })

  it('is found wherever the border between two pieces falls', async () => {
    for (let shift = -40; shift <= 0; shift++) {
      const before = `{"t":"${'x'.repeat(windowBytes + shift)}"}\n`
      expect(await sessionOf(`${before}${lines({ sessionId: 'mine' }, bulk, { sessionId: 'other' })}`, 'mine')).toBe(
        'mine',
      )
    }
  })

  it('is the last one named where none is that of the file name', async () => {
    expect(await sessionOf(lines({ sessionId: 'a' }, { sessionId: 'b' }, { type: 'summary' }), 'x')).toBe('b')
    expect(await sessionOf(lines({ sessionId: 'a' }, bulk, { sessionId: 'b' }, bulk), 'x')).toBe('b')
  })

  it('is not taken from other fields, from texts, or from a session it was forked from', async () => {
    const text = JSON.stringify({ sessionId: 'quoted' })
    expect(await sessionOf(lines({ parentSessionId: 'p', message: { content: text } }), 'x')).toBeUndefined()
    expect(await sessionOf(lines({ message: { content: text } }), 'quoted')).toBeUndefined()
    const fork = { sessionId: 'own', forkedFrom: { sessionId: 'origin', messageUuid: 'u' } }
    expect(await sessionOf(lines(fork), 'x')).toBe('own')
    expect(await sessionOf(lines(fork), 'origin')).toBe('own')
    expect(await sessionOf(lines(fork).slice(0, -3), 'x')).toBe('own')
  })

  it('is read from torn, glued and damaged lines too', async () => {
    expect(await sessionOf('{"sessionId":"a","text":"unfini', 'x')).toBe('a')
    expect(await sessionOf('\ufeff{"sessionId":"a"}{"sessionId":"b"}\r\n\u0000\u0000', 'x')).toBe('b')
    expect(
      await sessionOf(Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from('{"sessionId":"a"}')]), 'x'),
    ).toBe('a')
  })

  it('is looked for in a line that never ends without running out of stack', async () => {
    const endless = '\\"'.repeat(windowBytes * 8)
    expect(await sessionOf(`{"sessionId":"a"}\n{"sessionId":"${endless}`, 'x')).toBe('a')
    expect(await sessionOf(`${lines({ sessionId: 'a' })}${'['.repeat(windowBytes * 4)}"sessionId":`, 'x')).toBe('a')
  })

  it('may have any characters', async () => {
    expect(await sessionOf(lines({ sessionId: 'sitzung-ä丸' }), 'x')).toBe('sitzung-ä丸')
    expect(await sessionOf(lines({ sessionId: 'sitzung-ä丸' }, { sessionId: 'b' }), 'sitzung-ä丸')).toBe('sitzung-ä丸')
    expect(await sessionOf('{"sessionId":"\\u4e38"}', 'x')).toBe('丸')
  })

  it('is unknown where no record names one', async () => {
    for (const content of [
      '',
      '\n\n',
      lines({ type: 'summary' }),
      'no json',
      '{"sessionId":7}',
      lines(bulk, { sessionId: '' }),
    ]) {
      expect(await sessionOf(content, 'x')).toBeUndefined()
    }
  })
})

describe('the begin of a log', () => {
  it('is the first time in its head that can be read, whatever its form', async () => {
    expect((await look(lines({ timestamp: 'soon' }, { timestamp: '2025-01-02T03:04:05.000Z' }))).firstMs).toBe(
      Date.parse('2025-01-02T03:04:05Z'),
    )
    expect((await look(lines({ timestamp: 1738160130123 }))).firstMs).toBe(1738160130123)
    expect((await look(lines({ type: 'summary' }))).firstMs).toBeUndefined()
    const odd = lines({ timestamp: 'x'.repeat(5000) }, { timestamp: null }, { timestamp: { timestamp: 1738160130123 } })
    expect((await look(odd)).firstMs).toBe(1738160130123)
  })
})

describe('the plans of a log', () => {
  it('are those that its head and its tail name, each once', async () => {
    const plan = (slug: string) => ({ sessionId: 's', slug })
    const plans = async (...records: object[]) => [...planNames(await found(lines(...records)), diskSource())]
    expect(await plans(plan('calm-plan'), plan('calm-plan'), plan('other'))).toEqual(['calm-plan', 'other'])
    expect(await plans(plan('first'), bulk, plan('between'), bulk, plan('last'))).toEqual(['first', 'last'])
    expect(await plans({ sessionId: 's' })).toEqual([])
    expect(planNames(await found(''), diskSource())).toEqual(new Set())
  })

  it('are found in any order and length, as fields only, however many logs were looked at before', async () => {
    const long = 'p'.repeat(5000)
    const text = `${lines({ slug: 'a' }, { slug: 'ab' }, { slug: 'a' }, { slug: long }, { slug: 7 }, { slug: 'b\\c' })}
      {"slug" :\t"spaced","slug":"slug","x":"\\"slug\\":\\"quoted\\""} "slug": {"slug":"inner"} {"slug":"torn`
    const file = await found(text)
    const other = await found(lines({ text: 'no plan' }), 'other.jsonl')
    for (let n = 0; n < 100; n++) {
      expect([...planNames(file, diskSource())]).toEqual(['a', 'ab', long, 'spaced', 'slug', 'inner'])
      expect(planNames(other, diskSource()).size).toBe(0)
    }
  })

  it('are reported without holding on to the bytes they were found in', async () => {
    const file = await found(lines({ slug: 'a-plan-with-a-long-name' }, { text: 'x'.repeat(windowBytes - 100) }))
    const source = diskSource()
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    collect()
    const before = process.memoryUsage().heapUsed
    const held = Array.from({ length: 400 }, () => planNames(file, source))
    collect()
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(400 * 8 * 1024)
    expect(held.length).toBe(400)
  })
})

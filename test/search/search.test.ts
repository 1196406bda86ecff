// Search over small invented histories: what is one hit, what is the original, what comes first.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BuiltIndex, buildIndex, testNow } from './build-index.ts'

let folder = ''
let index: BuiltIndex | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clew-search-small-'))
})
afterEach(() => {
  index?.close()
  index = undefined
  rmSync(folder, { recursive: true, force: true })
})

const first = '11111111-1111-4111-8111-111111111111'
const second = '22222222-2222-4222-8222-222222222222'

interface Line {
  session: string
  uuid?: string
  at?: string
  type?: 'user' | 'assistant'
  content: unknown
}

let count = 0
function line({ session, uuid, at, type = 'user', content }: Line): string {
  count++
  const message =
    type === 'user'
      ? { role: 'user', content }
      : { id: `msg_${count}`, role: 'assistant', model: 'claude-x-1', content }
  return JSON.stringify({
    type,
    uuid: uuid ?? `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`,
    parentUuid: null,
    sessionId: session,
    timestamp: at ?? '2026-05-01T10:00:00.000Z',
    cwd: '/srv/shop',
    version: '2.1.100',
    message,
  })
}

function write(session: string, lines: string[], home = 'home'): string {
  const path = join(folder, home, 'projects', '-work-shop', `${session}.jsonl`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

async function built(options: { archives?: boolean } = {}, homes = ['home']): Promise<BuiltIndex> {
  index = await buildIndex(
    homes.map(home => join(folder, home)),
    options,
  )
  return index
}

describe('copied history', () => {
  it('is one hit in the earlier session, with its copies counted', async () => {
    const copied = {
      uuid: 'aaaaaaaa-0000-4000-8000-000000000001',
      at: '2026-05-01T10:00:00.000Z',
      content: 'the quokka plan',
    }
    write(first, [line({ session: first, ...copied })])
    write(second, [
      line({ session: second, ...copied }),
      line({ session: second, at: '2026-05-02T10:00:00.000Z', content: 'something else' }),
    ])
    const { find } = await built()
    const { hits, total } = find('quokka')
    expect(total).toBe(1)
    expect(hits[0]).toMatchObject({ session: first, copies: 1 })
    expect(find('quokka session:2222').hits[0]).toMatchObject({ session: second, copies: 1 })
    unlinkSync(hits[0]?.file ?? '')
    expect(find('quokka').hits[0]).toMatchObject({ session: first, snippet: 'the quokka plan' })
  })

  it('counts what was said twice as two', async () => {
    write(first, [
      line({ session: first, content: 'run the quokka again', at: '2026-05-01T10:00:00.000Z' }),
      line({ session: first, content: 'run the quokka again', at: '2026-05-01T11:00:00.000Z' }),
    ])
    const { hits } = (await built()).find('quokka')
    expect(hits.map(({ at }) => at)).toHaveLength(2)
    expect(hits[0]?.copies).toBeUndefined()
  })

  it('counts what parallel calls said in one moment as often as they said it, and a copy of them as copies', async () => {
    const result = (n: number) => ({
      uuid: `aaaaaaaa-0000-4000-8000-00000000000${n}`,
      content: [{ type: 'tool_result', tool_use_id: `toolu_${n}`, content: 'no quokka found' }],
    })
    const said = (session: string) => [1, 2, 3].map(n => line({ session, ...result(n) }))
    write(first, said(first))
    write(second, [...said(second), line({ session: second, at: '2026-05-02T10:00:00.000Z', content: 'else' })])
    const { hits } = (await built()).find('quokka', { isGrouped: false })
    expect(hits.map(({ session, event }) => [session, event])).toEqual([1, 2, 3].map(n => [first, result(n).uuid]))
    expect(hits.map(({ copies }) => copies)).toEqual([1, 1, 1])
  })

  it('is one hit where the same home is in two places', async () => {
    const lines = [line({ session: first, content: 'quokka in two homes' })]
    write(first, lines)
    write(first, lines, 'other')
    const { hits, total } = (await built({}, ['home', 'other'])).find('quokka')
    expect(total).toBe(1)
    expect(hits[0]).toMatchObject({ session: first, copies: 1 })
  })
})

describe('earlier contents', () => {
  it('are found where a file was rewritten, with the generation that has the text', async () => {
    const path = write(first, [
      line({ session: first, content: 'the quokka was here' }),
      line({ session: first, content: 'and a wombat', at: '2026-05-01T10:01:00.000Z' }),
    ])
    const small = await built({ archives: true })
    const [, archived = ''] = readFileSync(path, 'utf8').split('\n')
    writeFileSync(
      path,
      `${archived}\n${line({ session: first, content: 'now an echidna', at: '2026-05-01T10:02:00.000Z' })}\n`,
    )
    await small.refresh()
    expect(small.find('quokka').hits[0]).toMatchObject({
      session: first,
      generation: 1,
      snippet: 'the quokka was here',
    })
    const [wombat] = small.find('wombat').hits
    expect(wombat).toMatchObject({ session: first, copies: 1 })
    expect(wombat?.generation).toBeUndefined()
    expect(small.find('quokka is:archived').total).toBe(1)
    expect(small.find('wombat is:archived').total).toBe(0)
  })
})

describe('rank', () => {
  it('puts prompts before output that has the same words', async () => {
    const call = [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'cat list' } }]
    const result = [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'quokka list' }]
    write(first, [
      line({ session: first, type: 'assistant', content: call }),
      line({ session: first, content: result }),
      line({ session: first, content: 'quokka list' }),
    ])
    const kinds = (await built()).find('quokka', { isGrouped: false }).hits.map(({ kind }) => kind)
    expect(kinds).toEqual(['prompt', 'tool-results'])
  })

  it('puts what is newer first where all else is equal', async () => {
    write(first, [line({ session: first, content: 'about the quokka', at: '2025-05-01T10:00:00.000Z' })])
    write(second, [line({ session: second, content: 'about a quokka', at: '2026-10-30T10:00:00.000Z' })])
    const { sessions } = (await built()).find('quokka')
    expect(sessions.map(({ session }) => session)).toEqual([second, first])
  })

  it('does not let a common word drown a rare one with OR', async () => {
    const lines = [line({ session: first, content: 'one quokka', at: '2025-01-01T00:00:00.000Z' })]
    for (let at = 0; at < 1500; at++) lines.push(line({ session: first, content: `common thing ${at}` }))
    write(first, lines)
    const { find } = await built()
    const answer = find('common OR quokka', { isGrouped: false, limit: 3 })
    expect(answer.isTotalLowerBound).toBe(true)
    expect(answer.hits[0]?.snippet).toBe('one quokka')
    expect(find('common quokka').problems.map(({ code }) => code)).toEqual(['never-together'])
  })

  it('shows several sessions before more of one', async () => {
    const said = (session: string, words: string[]) =>
      write(
        session,
        words.map((content, at) => line({ session, content, at: `2026-05-01T10:0${at}:00.000Z` })),
      )
    said(first, ['quokka', 'quokka one', 'quokka two', 'quokka three', 'quokka four'])
    said(second, ['a long text in which at its very end stands the word quokka'])
    const answer = (await built()).find('quokka')
    expect(answer.hits.slice(0, 2).map(({ session }) => session)).toEqual([first, second])
    expect(answer.sessions).toEqual([
      { session: first, hits: 5 },
      { session: second, hits: 1 },
    ])
    expect(answer.hits).toHaveLength(3)
  })
})

describe('filters alone', () => {
  it('give the newest first, and stop when there is enough', async () => {
    const lines = Array.from({ length: 900 }, (_, at) =>
      line({ session: first, content: `thing ${at}`, at: new Date(testNow - (900 - at) * 60_000).toISOString() }),
    )
    write(first, lines)
    const { find } = await built()
    const answer = find('kind:prompt', { isGrouped: false, limit: 3 })
    expect(answer.hits.map(({ snippet }) => snippet)).toEqual(['thing 899', 'thing 898', 'thing 897'])
    expect(find('-thing').total).toBe(0)
    expect(find('').hits).toEqual([])
  })
})

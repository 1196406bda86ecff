// What must be true of search whatever was said: over all texts of the sample history, with filters compared to a plain reading
// of the logs.

import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toMillis } from '../../src/base/instant.ts'
import { eachWord, foldWord } from '../../src/base/searchable.ts'
import { discover } from '../../src/disk/discover/discover.ts'
import { diskSource } from '../../src/disk/read/read.ts'
import { fileOfCall } from '../../src/graph/touched-file.ts'
import { type Candidate, Candidates } from '../../src/index/search/candidates.ts'
import { Facts, type Place, placesSql, readPlaces, statusField, titleField } from '../../src/index/search/facts.ts'
import { Filter } from '../../src/index/search/filter.ts'
import { type Budget, readText, rowOf, usualBudget } from '../../src/index/search/hits.ts'
import { type Expression, parseQuery, toMatch } from '../../src/index/search/query.ts'
import { isErrorMessage, type SessionEvent } from '../../src/model/event.ts'
import { indexedTexts } from '../../src/session/indexed-texts.ts'
import { loadSession, readEvents } from '../../src/session/load.ts'
import { type TextField, textKindOf } from '../../src/session/text-kinds.ts'
import fc from '../property.ts'
import { type BuiltIndex, buildIndex, testNow } from './build-index.ts'

const home = resolve('samples/home')
const context = { now: testNow, timezone: 'UTC' }
let index: BuiltIndex
let facts: Facts
let places: Place[]

beforeAll(async () => {
  index = await buildIndex([home])
  facts = new Facts(index.db)
  places = readPlaces(index.db, placesSql('text_event te'), [])
})
afterAll(() => index.close())

function textOf(place: Place): string {
  const row = rowOf(index.db, place.event)
  const text = row === null ? null : readText(place, row, facts, index.source)
  if (text === null) throw new Error(`no text at event ${place.event}`)
  return text
}

function textsWith(expression: Expression, texts: readonly number[]): Set<number> {
  const rows = index.db.prepare('SELECT rowid FROM words WHERE words MATCH ?').all([toMatch(expression)])
  const found = new Set(rows.map(([text]) => Number(text)))
  return new Set(texts.filter(text => found.has(text)))
}

function allOf(candidates: Candidates): Candidate[] {
  const found = candidates.next()
  while (!candidates.isAll) for (const place of candidates.next()) found.push(place)
  return found
}

/** As they stand in the text. */
function wordsOf(text: string): string[] {
  const words = new Set<string>()
  eachWord(text, word => words.add(word))
  return [...words]
}

/** The words of a text as search compares them, without what is between them. */
function joinedWords(text: string): string {
  let joined = ''
  eachWord(text, word => {
    joined += foldWord(word)
  })
  return joined
}

describe('words', () => {
  it('every word of every text finds that text', () => {
    expect(places.length).toBeGreaterThan(300)
    const misses: string[] = []
    for (const place of places) {
      for (const word of wordsOf(textOf(place)).slice(0, 60)) {
        const { expression } = parseQuery(`"${word}"`, context)
        if (expression === null || !textsWith(expression, [place.text]).has(place.text)) misses.push(word)
      }
    }
    expect(misses).toEqual([])
  })

  it('a snippet has the words that are highlighted in it, on one line', () => {
    fc.assert(
      fc.property(fc.nat(places.length - 1), fc.nat(), fc.integer({ min: 20, max: 160 }), (at, pick, columns) => {
        const words = wordsOf(textOf(places[at] as Place)).filter(word => word.length < columns - 4)
        const word = words[pick % Math.max(1, words.length)]
        if (word === undefined) return
        // `SessionStart` also finds its parts as a phrase, as in session-start: written together, both are the same.
        const searched = joinedWords(word)
        const { hits } = index.find(`"${word}"`, { isGrouped: false, columns, limit: 5 })
        expect(hits.length).toBeGreaterThan(0)
        for (const { snippet, highlights } of hits) {
          expect(snippet).not.toMatch(/[\n\r\t]/)
          expect(snippet).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/)
          expect(highlights.length, JSON.stringify({ word, columns, snippet })).toBeGreaterThan(0)
          for (const [from, to] of highlights) {
            // Marks that touch are one. The end of a narrow line may cut a word.
            const rest = joinedWords(snippet.slice(from, to)).replaceAll(searched, '')
            const isCut = to >= snippet.length - 1 && searched.startsWith(rest)
            expect(rest === '' || isCut, JSON.stringify({ word, columns, snippet, from, to })).toBe(true)
          }
        }
      }),
      { numRuns: 200 },
    )
  })

  it('no query is an error, whatever is typed', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '"',
        '(',
        ')',
        '-',
        '*',
        ' OR ',
        ' AND ',
        ' NOT ',
        'tool:',
        'since:',
        ':',
        '^',
        '{',
        '+',
        'NEAR(',
        "'",
      ),
      fc.constantFrom('the', 'croissant', '献', 'foo_bar', 'a*', 'kind:prompt', 'is:error', '\0', '🍱', 'body:x'),
      fc.string({ maxLength: 6, unit: 'binary' }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), pieces => {
        const answer = index.find(pieces.join(''), { limit: 2 })
        expect(answer.problems.map(({ code }) => code)).not.toContain('unsearchable')
        expect(answer.hits.length).toBeLessThanOrEqual(6)
      }),
      { numRuns: 300 },
    )
  })
})

/** What a plain reading of the logs reports of one text of one event. */
interface Said {
  key: string
  session: string
  title: string
  slug: string
  cwd: string | null
  sessionCwd: string | null
  thread: string
  isMain: boolean
  event: SessionEvent
  field: TextField
  n: number
  tools: string[]
  paths: string[]
  isError: boolean
  time: number | null
}

async function readAll(): Promise<Said[]> {
  const { sessions } = await discover(home)
  const source = diskSource()
  const all: Said[] = []
  for (const session of sessions) {
    const settled = facts.sessionOf(session.id)
    const { toolCalls } = await loadSession(source, session)
    const failed = new Set(toolCalls.flatMap(call => (call.outcome === 'failed' ? [call.resultEvent] : [])))
    for (const log of session.logs) {
      const calls = new Map<string, { name: string; path: string | undefined }>()
      for await (const event of readEvents(source, log, { session: session.id })) {
        for (const block of event.blocks) {
          if (block.type === 'tool-call')
            calls.set(block.callId, { name: block.name, path: fileOfCall(block, event.cwd)?.path })
        }
        const results = event.blocks.flatMap(block => (block.type === 'tool-result' ? [block] : []))
        const own = event.blocks.flatMap(block => (block.type === 'tool-call' ? [block.callId] : []))
        for (const [n, { field }] of indexedTexts(event).entries()) {
          const ids = field === 'input' ? own : field === 'output' ? results.map(block => block.callId) : []
          const meant = ids.flatMap(id => calls.get(id) ?? [])
          all.push({
            key: `${log.path} ${event.source.offset}`,
            session: session.id,
            title: settled.title,
            slug: session.slug,
            cwd: event.cwd ?? null,
            sessionCwd: facts.cwdOf(session.id),
            thread: event.thread,
            isMain: [session.id, event.session].some(id => String(id) === event.thread),
            event,
            field,
            n,
            tools: meant.map(({ name }) => name),
            paths: meant.flatMap(({ path }) => path ?? []),
            isError: isErrorMessage(event) || (failed.has(event.id) && (field === 'output' || results.length === 0)),
            time: toMillis(event.at) ?? settled.ended,
          })
        }
      }
    }
  }
  return all
}

const has = (text: string | null, part: string) => (text ?? '').toLowerCase().includes(part)
const labelOf = ({ event, field }: Said) => textKindOf(event.kind, field)

const filters: [filter: string, keeps: (said: Said) => boolean][] = [
  ['kind:prompt', ({ event }) => event.kind === 'prompt'],
  ['kind:answer,result', said => ['answer', 'result'].includes(labelOf(said))],
  ['kind:call', said => labelOf(said) === 'call'],
  ['kind:thinking', said => labelOf(said) === 'thinking'],
  ['-kind:answer', said => labelOf(said) !== 'answer'],
  ['tool:Bash', ({ tools }) => tools.includes('Bash')],
  ['-tool:Bash', ({ tools }) => !tools.includes('Bash')],
  ['tool:read', ({ tools }) => tools.includes('Read')],
  ['project:bakery', ({ cwd, slug, sessionCwd }) => [cwd, slug, sessionCwd].some(text => has(text, 'bakery'))],
  ['-project:hexwind', ({ cwd, slug, sessionCwd }) => ![cwd, slug, sessionCwd].some(text => has(text, 'hexwind'))],
  ['file:cart.ts', ({ paths }) => paths.some(path => has(path, 'cart.ts'))],
  ['file:src/', ({ paths }) => paths.some(path => has(path, 'src/'))],
  ['model:sonnet', ({ event }) => has(event.message?.model ?? null, 'sonnet')],
  ['is:error', ({ isError }) => isError],
  ['-is:error', ({ isError }) => !isError],
  ['session:33c7', ({ session, title }) => session.startsWith('33c7') || has(title, '33c7')],
  ['session:"fog of war"', ({ title }) => has(title, 'fog of war')],
  ['thread:main', ({ isMain }) => isMain],
  ['-thread:main', ({ isMain }) => !isMain],
  ['since:2026-05-01', ({ time }) => time !== null && time >= Date.UTC(2026, 4, 1)],
  ['until:2026-04-30', ({ time }) => time !== null && time < Date.UTC(2026, 4, 1)],
  [
    'kind:answer since:2026-05-01 project:bakery',
    said =>
      labelOf(said) === 'answer' &&
      (said.time ?? 0) >= Date.UTC(2026, 4, 1) &&
      [said.cwd, said.slug].some(text => has(text, 'bakery')),
  ],
  ['tool:Bash is:error', ({ tools, isError }) => tools.includes('Bash') && isError],
]

describe('filters', () => {
  let said: Said[]
  const budgets: [how: string, budget: Budget][] = [
    ['from where there is least', { ...usualBudget, window: 1e6, sorted: 1e6 }],
    ['along the times', { ...usualBudget, window: 1e6, sorted: -1 }],
    ['in small windows', { ...usualBudget, window: 7, sorted: -1 }],
  ]

  beforeAll(async () => {
    said = await readAll()
  })

  const isOfSession = ({ holder }: Place) => {
    const file = facts.fileOf({ event: holder })
    return file?.role !== 'history' && file?.stored === false
  }
  const placeKey = (place: Place) => `${facts.fileOf(place)?.path} ${rowOf(index.db, place.event)?.offset} ${place.n}`

  /** Titles and status texts count once a file. */
  const withoutRepeats = (found: readonly Place[]): Place[] => {
    const seen = new Set<string>()
    const inOrder = found.toSorted((one, other) => one.event - other.event)
    return inOrder.filter(place => {
      const key = `${facts.fileOf(place)?.path} ${place.text} ${place.field}`
      const isRepeat = [titleField, statusField].includes(place.field) && seen.has(key)
      seen.add(key)
      return !isRepeat
    })
  }

  it.each(filters)('%s means the same as a plain reading of the logs', (filter, keeps) => {
    const wanted = said.filter(keeps)
    const parsed = parseQuery(filter, context)
    const passing = new Filter(index.db, parsed.filters, [])
    const listed = filter.startsWith('kind:') ? wanted : wanted.filter(({ field }) => field !== 'status')
    const counted = new Set(withoutRepeats(places).map(placeKey))
    const keys = listed.flatMap(one => (counted.has(`${one.key} ${one.n}`) ? [`${one.key} ${one.n}`] : [])).sort()
    for (const [how, budget] of budgets) {
      const alone = allOf(new Candidates(parsed, passing, budget))
      expect(alone.filter(isOfSession).map(placeKey).sort(), how).toEqual(keys)
    }
    for (const word of ['the', 'test']) {
      const query = parseQuery(`${word} ${filter}`, context)
      const { expression } = query
      if (expression === null) throw new Error('there is a word')
      const texts = textsWith(expression, [...new Set(places.map(({ text }) => text))])
      const withWord = new Set(withoutRepeats(places.filter(({ text }) => texts.has(text))).map(placeKey))
      const expected = wanted.map(one => `${one.key} ${one.n}`).filter(key => withWord.has(key))
      for (const [how, budget] of budgets) {
        const found = allOf(new Candidates(query, passing, budget))
        expect(found.filter(isOfSession).map(placeKey).sort(), how).toEqual(expected.sort())
      }
    }
  })
})

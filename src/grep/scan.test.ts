import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeText } from '../decode/decode.ts'
import type { SessionEvent } from '../model/event.ts'
import { sessionId } from '../model/ids.ts'
import type { ByteSource, GenerationId, LogFile } from '../model/source.ts'
import { furtherTexts, shownTexts } from '../session/event-texts.ts'
import { ByteFilter, type Looking } from './candidates.ts'
import type { GrepHit, GrepOptions } from './events.ts'
import { expressionOf } from './expression.ts'
import { requiredTexts } from './literal.ts'
import type { Part } from './piece.ts'
import { GrepScanner } from './scan.ts'
import { sieveOf, sieveRanges, siftedAt } from './sieve.ts'
import { tallyFor } from './tally.ts'
import { Told } from './told.ts'

const session = sessionId('5e551013-0000-4000-8000-000000000001')

/** Bytes in memory. */
function sourceOf(bytes: Uint8Array): ByteSource {
  return {
    async *read(_generation, from, to) {
      yield bytes.slice(from, Math.min(to, bytes.length))
    },
    readSync: (_generation, from, to) => bytes.subarray(from, Math.min(to, bytes.length)),
  }
}

function logOf(size: number): LogFile {
  const path = `/h/projects/p/${session}.jsonl`
  return { path, role: 'session', generation: 'g' as GenerationId, size, modifiedMs: 0, nameSession: session }
}

function optionsFor(query: string, ignoresCase = false, more: Partial<GrepOptions> = {}): GrepOptions {
  const expression = expressionOf({ query, ignoresCase, isFixed: false })
  const context = { before: 0, after: 0 }
  const most = Number.POSITIVE_INFINITY
  return { expression, texts: requiredTexts(expression), context, kinds: [], most, countsOnly: false, ...more }
}

/** `cuts`: where the file is cut into parts that are searched apart from each other. */
async function grep(
  file: string,
  options: GrepOptions,
  { cuts = [], ...looking }: Looking & { cuts?: number[] } = {},
): Promise<GrepHit[]> {
  const bytes = Buffer.from(file)
  const scanner = new GrepScanner(options, sourceOf(bytes), looking)
  const borders = [...new Set(cuts.map(cut => cut % (bytes.length + 1)))].filter(cut => cut > 0).sort((a, b) => a - b)
  const log = logOf(bytes.length)
  const parts: Part[] = [0, ...borders].map((from, at) => ({ log, from, to: borders[at] ?? Number.POSITIVE_INFINITY }))
  const hits: GrepHit[] = []
  const told = new Told(false)
  for (const part of parts) {
    const piece = { session, parts: [part], countsTimeless: true, hasCopies: false }
    for await (const batch of scanner.search(piece)) hits.push(...batch.hits.filter(hit => told.isNew(hit)))
  }
  return hits
}

function count(file: string, options: GrepOptions, looking: Looking): Promise<number> {
  return countIn({ log: logOf(Buffer.byteLength(file)), from: 0, to: Number.POSITIVE_INFINITY }, file, options, looking)
}

/** What can be is counted where it is found; only the rest is decoded. */
function countAtOnce(file: string, options: GrepOptions, looking: Looking): Promise<number> {
  const bytes = Buffer.from(file)
  const log = logOf(bytes.length)
  const range = { generation: log.generation, from: 0, to: Number.POSITIVE_INFINITY, bytes: bytes.length }
  const filter = new ByteFilter(options.texts ?? [], options.expression.flags.includes('i'), looking)
  const sieve = sieveOf([range])
  const source = sourceOf(bytes)
  sieveRanges(sieve, { source, filter, tally: tallyFor({ ...options, countsAtOnce: true }, filter, looking) })
  const { lines, matches } = siftedAt(sieve, 0) ?? { lines: [], matches: Number.NaN }
  return countIn({ log, from: 0, to: Number.POSITIVE_INFINITY, lines, counted: matches }, file, options, looking)
}

async function countIn(part: Part, file: string, options: GrepOptions, looking: Looking): Promise<number> {
  const bytes = Buffer.from(file)
  const parts: Part[] = [part]
  const piece = { session, parts, countsTimeless: true, hasCopies: false }
  let sum = 0
  for await (const batch of new GrepScanner(options, sourceOf(bytes), looking).search(piece)) {
    sum += batch.count + batch.keys.length + batch.hits.length
  }
  return sum
}

const repeated = new Set(['title', 'state', 'progress', 'queue'])

/** Every line of every decoded text, tried one by one. */
function naive(file: string, { expression }: GrepOptions): string[] {
  const matches = (line: string) => new RegExp(expression.source, expression.flags).test(line)
  const linesIn = (texts: readonly string[]) =>
    texts.flatMap(text => text.split(/\r?\n/).filter((line, at, all) => line !== '' || at < all.length - 1 || at === 0))
  const told = new Set<string>()
  const { events } = decodeText(Buffer.from(file), { file: logOf(0).path, session, role: 'session' })
  return events.flatMap((event: SessionEvent) => {
    const shown = linesIn(shownTexts(event).map(({ text }) => text)).filter(matches)
    const found = shown.length > 0 ? shown : linesIn(furtherTexts(event)).filter(matches)
    return found.flatMap(line => {
      const key = `${event.kind} ${line}`
      if (repeated.has(event.kind) && told.has(key)) return []
      told.add(key)
      return [`${event.id} ${event.thread} ${event.kind} ${line}`]
    })
  })
}

const hitText = (hit: GrepHit) => `${hit.event} ${hit.thread} ${hit.kind} ${hit.snippet}`

const words = ['cart', 'Cart', 'a.b', 'till', 'x/y', 'say "hi"', 'back\\slash', '島', 'ſtill', 'Kart', '', 'car', 't']
const aText = fc
  .array(fc.constantFrom(...words, '\n', '\r\n', ' ', '\t', '\u001b[1m', '\0'), { maxLength: 8 })
  .map(parts => parts.join(''))
const anId = fc.constantFrom('u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'u7', undefined)

const aRecord = fc
  .tuple(fc.nat(11), aText, aText, anId, fc.constantFrom(true, false, undefined), fc.constantFrom('a1', undefined))
  .map(([form, one, two, uuid, isSidechain, agentId]): Record<string, unknown> => {
    const common = { uuid, isSidechain, agentId, parentUuid: 'u1', sessionId: session }
    const user = (content: unknown) => ({ type: 'user', ...common, message: { role: 'user', content } })
    const answer = (block: unknown) => ({
      type: 'assistant',
      ...common,
      message: { role: 'assistant', content: [block] },
    })
    const forms: Record<string, unknown>[] = [
      user(one),
      answer({ type: 'text', text: one }),
      answer({ type: 'thinking', thinking: one, signature: two }),
      answer({ type: 'tool_use', id: 'c1', name: 'Bash', input: { command: one, deep: [{ more: two }] } }),
      {
        ...user([{ type: 'tool_result', tool_use_id: 'c1', content: one }]),
        toolUseResult: { stdout: one, stderr: two },
      },
      { type: 'attachment', ...common, attachment: { type: 'hook_success', stdout: one, stderr: two } },
      { type: 'custom-title', sessionId: session, customTitle: one },
      { type: 'last-prompt', sessionId: session, lastPrompt: one, leafUuid: 'u2' },
      { type: 'user', ...common, userType: 'human', message: one },
      { type: 'assistant', ...common, text: one },
      { type: 'from-the-future', ...common, payload: { one, list: [two] } },
      { type: 'human', ...common, message: { type: 'message', content: one } },
    ]
    return forms[form] ?? {}
  })

/** Any spelling that JSON allows: letters as escapes, slashes with a backslash, blanks between. */
function spell(record: Record<string, unknown>, way: number): string {
  const text = JSON.stringify(record)
  if (way === 1)
    return text.replace(/[a-z](?=[^"]*"[,}])/g, (letter, at) =>
      at % 3 === 0 ? `\\u00${letter.charCodeAt(0).toString(16)}` : letter,
    )
  if (way === 2) return text.replaceAll('/', '\\/')
  if (way === 3) return text.replace(/":/g, '" : ')
  if (way === 4) return text.replace('car', 'ca\0r')
  return text
}

const aFile = fc
  .array(
    fc
      .tuple(aRecord, fc.nat(9), fc.constantFrom('\n', '\n', '\n', '\r\n', '', '\n\n', ',\n'))
      .map(([record, way, end]) => spell(record, way) + end),
    { maxLength: 14 },
  )
  .map(lines => lines.join(''))

const queries = [
  'cart',
  'car',
  'Cart|till',
  'ca+rt',
  'car?t',
  'c[a]rt',
  '^cart$',
  'cart\\b',
  'a\\.b',
  '(cart)+',
  'x/y',
  'slash',
  'say "hi"',
  'cart(?!\\n)',
  '(?<=t)ill',
  '島',
  '.',
  '$',
  'till$',
  'till{2}',
  'cart{1}',
  'cart.*till',
  '\\u0063art',
  'k',
  'kart',
  '[kc]a',
  '[^a]r',
  '\\S+ill',
  'c.r',
  '^.$',
  '^.{2}$',
  '\\s',
  '[^\\s]t$',
  '島.',
  '(?:c.)?r',
  '(.a)+r',
  '^\\W+$',
]

describe('searching a session', () => {
  it('finds what a search over all decoded texts finds, whatever the spelling and the parts', async () => {
    await fc.assert(
      fc.asyncProperty(
        aFile,
        fc.constantFrom(...queries),
        fc.boolean(),
        fc.constantFrom(300, 2000, 1 << 20),
        fc.array(fc.nat(3000), { maxLength: 3 }),
        async (file, query, ignoresCase, placeBytes, cuts) => {
          const options = optionsFor(query, ignoresCase)
          const wanted = naive(file, options)
          const found = async (asked: GrepOptions, looking: Looking) =>
            (await grep(file, asked, { cuts, placeBytes, ...looking })).map(hitText)
          expect(await found(options, {})).toEqual(wanted)
          // Every text cut to what may match.
          expect(await found(options, { leanBytes: 1 })).toEqual(wanted)
          expect(await found(options, { usesVectors: false })).toEqual(wanted)
          // The same without looking at bytes first.
          expect(await found({ ...options, texts: null }, {})).toEqual(wanted)
        },
      ),
      { numRuns: 1500 },
    )
  }, 60_000)

  it('gives the same neighbours whether or not texts were cut before', async () => {
    const aLine = fc.constantFrom(
      'cart',
      'a cart',
      'till',
      'x',
      '',
      'back\\slash',
      'say "hi"',
      '島',
      'n',
      '\\',
      '\\n',
      'cart\r',
    )
    const aLong = fc.array(aLine, { maxLength: 12 }).map(lines => lines.join('\n'))
    await fc.assert(
      fc.asyncProperty(aLong, aLong, fc.nat(3), fc.nat(3), async (shown, copied, before, after) => {
        const content = [{ type: 'tool_result', tool_use_id: 'c1', content: shown }]
        const toolUseResult = { stdout: copied, stderr: '' }
        const line = { type: 'user', uuid: 'u1', sessionId: session, message: { role: 'user', content }, toolUseResult }
        const file = `${JSON.stringify(line)}\n`
        const options = optionsFor('cart', false, { context: { before, after } })
        const looking = { leanBytes: 1, placeBytes: 4096 }
        expect(await grep(file, options, looking)).toEqual(await grep(file, { ...options, texts: null }, looking))
      }),
      { numRuns: 500 },
    )
  })

  it('counts what it would give one by one', async () => {
    await fc.assert(
      fc.asyncProperty(aFile, fc.constantFrom(...queries), fc.boolean(), async (file, query, ignoresCase) => {
        const options = optionsFor(query, ignoresCase)
        const wanted = naive(file, options).length
        for (const asked of [options, { ...options, texts: null }]) {
          expect(await count(file, { ...asked, countsOnly: true }, { leanBytes: 1, placeBytes: 4096 })).toBe(wanted)
        }
      }),
      { numRuns: 500 },
    )
  }, 60_000)

  it('counts the same where it counts what it finds at once', async () => {
    const ways = [true, false].flatMap(usesVectors => [1, 100].map(leanBytes => ({ usesVectors, leanBytes })))
    await fc.assert(
      fc.asyncProperty(aFile, fc.constantFrom(...queries), fc.boolean(), async (file, query, ignoresCase) => {
        const options = optionsFor(query, ignoresCase)
        if (options.texts === null) return
        const wanted = naive(file, options).length
        for (const way of ways) {
          expect(await countAtOnce(file, { ...options, countsOnly: true }, { ...way, placeBytes: 4096 })).toBe(wanted)
        }
      }),
      { numRuns: 500 },
    )
  }, 60_000)

  const prompt = (uuid: string, text: string) =>
    `${JSON.stringify({ type: 'user', uuid, sessionId: session, message: { role: 'user', content: text } })}\n`

  it('stops when enough is found', async () => {
    const file = prompt('u1', 'cart\ncart\ncart') + prompt('u2', 'cart')
    expect(await grep(file, optionsFor('cart', false, { most: 2 }))).toHaveLength(2)
    expect(await grep(file, optionsFor('c[a]rt', false, { most: 2 }))).toHaveLength(2)
  })

  it('names the second record with one uuid as such', async () => {
    const file = prompt('u1', 'till') + prompt('u1', 'cart')
    expect((await grep(file, optionsFor('cart'))).map(hit => hit.event)).toEqual(['u1~2'])
  })

  it('gives lines before and after a match, and cuts long ones around it', async () => {
    const long = `${'a'.repeat(5000)}cart${'b'.repeat(5000)}`
    const [hit] = await grep(prompt('u1', `one\ntwo\n${long}\nfour\nfive`), {
      ...optionsFor('cart'),
      context: { before: 1, after: 9 },
    })
    expect(hit).toMatchObject({ before: ['two'], after: ['four', 'five'] })
    const [from, to] = hit?.spans[0] ?? [0, 0]
    expect(hit?.snippet.slice(from, to)).toBe('cart')
    expect(hit?.snippet.length).toBeLessThan(410)
  })

  it('keeps to the input and output of one tool', async () => {
    const call = (id: string, name: string) => ({ type: 'tool_use', id, name, input: { command: 'cart' } })
    const line = (type: string, content: unknown[]) =>
      `${JSON.stringify({ type, sessionId: session, message: { role: type, content } })}\n`
    const file = [
      line('assistant', [{ type: 'text', text: 'the cart' }, call('c1', 'Bash'), call('c2', 'Read')]),
      line('user', [{ type: 'tool_result', tool_use_id: 'c1', content: 'a cart' }]),
      line('user', [{ type: 'tool_result', tool_use_id: 'c2', content: 'no cart' }]),
    ].join('')
    const hits = await grep(file, { ...optionsFor('cart'), tool: 'bash' })
    expect(hits.map(hit => hit.snippet)).toEqual(['cart', 'a cart'])
  })
})

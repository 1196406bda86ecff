import { describe, expect, it } from 'vitest'
import { isDeep } from '../../test/needs.ts'
import fc from '../../test/property.ts'
import { decodeText } from '../decode/decode.ts'
import type { SessionEvent } from '../model/event.ts'
import { sessionId } from '../model/ids.ts'
import type { ByteSource, GenerationId, LogFile } from '../model/source.ts'
import { furtherTexts, shownTexts } from '../session/event-texts.ts'
import { expressionOf } from './expression.ts'
import type { GrepHit, GrepOptions } from './hits.ts'
import { compileOptions, searchSession } from './search-session.ts'

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
  return { expression, context, kinds: [], most: Number.POSITIVE_INFINITY, countsOnly: false, ...more }
}

async function grep(file: string, options: GrepOptions): Promise<{ hits: GrepHit[]; count: number }> {
  const bytes = Buffer.from(file)
  const search = { session, logs: [logOf(bytes.length)], spills: [], earlier: [], countsTimeless: true }
  const all = { hits: [] as GrepHit[], count: 0 }
  for (const batch of searchSession(search, compileOptions(options), sourceOf(bytes))) {
    all.hits.push(...(batch?.hits ?? []))
    all.count += batch?.count ?? 0
  }
  return all
}

const repeated = new Set(['title', 'state', 'progress', 'queue'])

/** Every line of every decoded text, tried one by one. */
function naive(file: string, { expression }: GrepOptions): string[] {
  const matches = (line: string) => new RegExp(expression.source, expression.flags).test(line)
  const linesIn = (texts: readonly string[]) =>
    texts.flatMap(text => text.split(/\r?\n/).filter((line, at, all) => line !== '' || at < all.length - 1 || at === 0))
  const seen = new Set<string>()
  const { events } = decodeText(Buffer.from(file), { file: logOf(0).path, session, role: 'session' })
  return events.flatMap((event: SessionEvent) => {
    const shown = linesIn(shownTexts(event).map(({ text }) => text)).filter(matches)
    const found = shown.length > 0 ? shown : linesIn(furtherTexts(event)).filter(matches)
    return found.flatMap(line => {
      const key = `${event.kind} ${line}`
      if (repeated.has(event.kind) && seen.has(key)) return []
      seen.add(key)
      return [`${event.id} ${event.thread} ${event.kind} ${line}`]
    })
  })
}

const hitText = (hit: GrepHit) => `${hit.event} ${hit.thread} ${hit.kind} ${hit.snippet}`

const words = [
  'cart',
  'Cart',
  'a.b',
  'till',
  'x/y',
  'say "hi"',
  'back\\slash',
  '島',
  'é',
  '😀',
  'ſtill',
  'Kart',
  '',
  'car',
  't',
]
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
  if (way === 5)
    return text.replace(/[^ -~]/g, (letter, at) => {
      const code = letter.charCodeAt(0).toString(16).padStart(4, '0')
      return `\\u${at % 2 === 0 ? code : code.toUpperCase()}`
    })
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
  '島|cart',
  'é',
  '😀t',
  '[c-t]{3}',
  '\\bt\\w+l',
  'back\\\\slash',
  '"hi"|x/y',
  '(?:ca|ti)[lr]+',
  '[😀é]',
]

describe('searching a session', () => {
  it('finds what a search over all decoded texts finds, whatever the spelling', async () => {
    await fc.assert(
      fc.asyncProperty(aFile, fc.constantFrom(...queries), fc.boolean(), async (file, query, ignoresCase) => {
        const options = optionsFor(query, ignoresCase)
        const expected = naive(file, options)
        expect((await grep(file, options)).hits.map(hitText)).toEqual(expected)
        expect((await grep(file, { ...options, countsOnly: true })).count).toBe(expected.length)
      }),
      { numRuns: isDeep ? 3000 : 600 },
    )
  }, 60_000)

  const prompt = (uuid: string, text: string) =>
    `${JSON.stringify({ type: 'user', uuid, sessionId: session, message: { role: 'user', content: text } })}\n`

  it('stops when enough is found', async () => {
    const file = prompt('u1', 'cart\ncart\ncart') + prompt('u2', 'cart')
    expect((await grep(file, optionsFor('cart', false, { most: 2 }))).hits).toHaveLength(2)
    expect((await grep(file, optionsFor('c[a]rt', false, { most: 2 }))).hits).toHaveLength(2)
  })

  it('gives the second record with the same uuid an id of its own', async () => {
    const file = prompt('u1', 'till') + prompt('u1', 'cart')
    expect((await grep(file, optionsFor('cart'))).hits.map(hit => hit.event)).toEqual(['u1~2'])
  })

  it('gives lines before and after a match, and cuts long ones around it', async () => {
    const long = `${'a'.repeat(5000)}cart${'b'.repeat(5000)}`
    const options = optionsFor('cart', false, { context: { before: 1, after: 9 } })
    const [hit] = (await grep(prompt('u1', `one\ntwo\n${long}\nfour\nfive`), options)).hits
    expect(hit).toMatchObject({ before: ['two'], after: ['four', 'five'] })
    const [from, to] = hit?.spans[0] ?? [0, 0]
    expect(hit?.snippet.slice(from, to)).toBe('cart')
    expect(hit?.snippet.length).toBeLessThan(410)
  })

  it('searches only input and output of one tool', async () => {
    const call = (id: string, name: string) => ({ type: 'tool_use', id, name, input: { command: 'cart' } })
    const line = (type: string, content: unknown[]) =>
      `${JSON.stringify({ type, sessionId: session, message: { role: type, content } })}\n`
    const file = [
      line('assistant', [{ type: 'text', text: 'the cart' }, call('c1', 'Bash'), call('c2', 'Read')]),
      line('user', [{ type: 'tool_result', tool_use_id: 'c1', content: 'a cart' }]),
      line('user', [{ type: 'tool_result', tool_use_id: 'c2', content: 'no cart' }]),
    ].join('')
    const { hits } = await grep(file, { ...optionsFor('cart'), tool: 'bash' })
    expect(hits.map(hit => hit.snippet)).toEqual(['cart', 'a cart'])
  })
})

describe('a slow expression', () => {
  it('reports a slow line once, before it searches the next record', () => {
    const lineOf = (n: number) =>
      JSON.stringify({ type: 'queue-operation', operation: 'enqueue', uuid: `u${n}`, content: `${'a'.repeat(60)}!` })
    const bytes = Buffer.from([1, 2, 3].map(n => `${lineOf(n)}\n`).join(''))
    const search = { session, logs: [logOf(bytes.length)], spills: [], earlier: [], countsTimeless: true }
    for (const batch of searchSession(search, compileOptions(optionsFor('(a+)+b')), sourceOf(bytes), true)) {
      if (batch === null) continue
      expect(batch.skipped).toEqual([{ event: 'u1', line: 1 }])
      break
    }
  })
})

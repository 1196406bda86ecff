import { describe, expect, it } from 'vitest'
import fc from '../../../test/property.ts'
import { parseQuery, type SearchQuery, toMatch } from './query.ts'

const now = Date.UTC(2026, 5, 15, 12)
const day = 86_400_000
const parse = (text: string): SearchQuery => parseQuery(text, { now, timezone: 'UTC' })
const matchOf = ({ expression }: SearchQuery) => (expression === null ? null : toMatch(expression))
const codesOf = ({ problems }: SearchQuery) => problems.map(({ code }) => code)

describe('words and operators', () => {
  const cases: [query: string, match: string | null, codes?: string[]][] = [
    ['rounding', '"rounding"'],
    ['Rounding', '"Rounding"'],
    ['rounding invoice', '("rounding" AND "invoice")'],
    ['rounding AND invoice', '("rounding" AND "invoice")'],
    ['a b c', '("a" AND "b" AND "c")'],
    ['"rounding error"', '"rounding error"'],
    ['“rounding error”', '"rounding error"'],
    ['"rounding err"*', '"rounding err" *'],
    ['round*', '"round" *'],
    ['round**', '"round" *'],
    ['foo_bar', '"foo bar"'],
    ['foo_b*', '"foo b" *'],
    ['camelCase', '("camelCase" OR "camel Case")'],
    ['getUser*', '("getUser" * OR "get User" *)'],
    ['HTTPServer', '("HTTPServer" OR "HTTP Server")'],
    ['src/camelCase.ts', '"src camelCase ts"'],
    ['src/cli/main.ts', '"src cli main ts"'],
    ['main.ts', '"main ts"'],
    ['2.1.219', '"2 1 219"'],
    ['2.1*', '"2 1" *'],
    ['3f2a91bc-1234-4abc-8def-0123456789ab', '"3f2a91bc 1234 4abc 8def 0123456789ab"'],
    ['3f2a91bc-12*', '"3f2a91bc 12" *'],
    ['丸め', '"丸 め"'],
    ['丸', '"丸"'],
    ['四捨五入', '"四 捨 五 入"'],
    ['Straße', '"Straße"'],
    ['ＡＢＣ', '"ABC"'],
    ['a OR b', '("a" OR "b")'],
    ['a OR b OR c', '("a" OR "b" OR "c")'],
    ['a b OR c', '(("a" AND "b") OR "c")'],
    ['a (b OR c)', '("a" AND ("b" OR "c"))'],
    ['(a OR b) (c OR d)', '(("a" OR "b") AND ("c" OR "d"))'],
    ['((a))', '"a"'],
    ['a or b', '("a" AND "or" AND "b")'],
    ['a and not b', '("a" AND "and" AND "not" AND "b")'],
    ['a -b', '("a" NOT "b")'],
    ['a NOT b', '("a" NOT "b")'],
    ['a AND NOT b', '("a" NOT "b")'],
    ['-b a', '("a" NOT "b")'],
    ['a -b -c', '("a" NOT ("b" OR "c"))'],
    ['a b -"c d"', '(("a" AND "b") NOT "c d")'],
    ['a -(b c)', '("a" NOT ("b" AND "c"))'],
    ['a -(b OR c)', '("a" NOT ("b" OR "c"))'],
    ['a (-b)', '("a" NOT "b")'],
    ['a -(-b)', '("a" AND "b")'],
    ['a NOT NOT b', '("a" AND "b")'],
    ['a OR (b -c)', '("a" OR ("b" NOT "c"))'],
    ['main(argv)', '"main argv"'],
    ['(main(argv))', '"main argv"'],
    ['--no-verify', '"no verify"'],
    ['C:\\Users\\x', '"C Users x"'],
    ['https://example.org/x', '"https example org x"'],
    ['std::vector', '"std vector"'],
    ['"tool:Bash"', '"tool Bash"'],
    ['foo"bar baz"', '("foo" AND "bar baz")'],
    ['', null, ['empty']],
    ['   ', null, ['empty']],
    ['()', null, ['empty']],
    ['"unclosed words', '"unclosed words"', ['quote']],
    ['a "', '"a"', ['quote', 'no-words']],
    ['OR', null, ['operator']],
    ['a OR', '"a"', ['operator']],
    ['OR a', '"a"', ['operator']],
    ['a OR OR b', '("a" OR "b")', ['operator']],
    ['AND a', '"a"', ['operator']],
    ['a NOT', '"a"', ['operator']],
    ['(a b', '("a" AND "b")', ['parenthesis']],
    ['a) b', '("a" AND "b")', ['parenthesis']],
    ['a -> b', '("a" AND "b")', ['no-words']],
    ['***', null, ['no-words']],
    ['r*', '"r"', ['prefix-short']],
    ['🎉', null, ['no-words']],
    ['foo.*bar', '"foo bar"', ['star']],
    ['a OR -b', '"a"', ['only-excluded']],
    ['tol:Bash', '"tol Bash"', ['filter-name']],
    ['proj:shop', '"proj shop"', ['filter-name']],
  ]
  it.each(cases)('reads %j as %j', (query, match, codes = []) => {
    const read = parse(query)
    expect(matchOf(read)).toBe(match)
    expect(codesOf(read)).toEqual(codes)
    expect(read.filters).toEqual({})
  })

  it('keeps words that are only excluded apart, for filters to be searched without them', () => {
    const read = parse('kind:prompt -draft -test')
    expect(read.expression).toBeNull()
    expect(read.excluded && toMatch(read.excluded)).toBe('("draft" OR "test")')
    expect(read.problems).toEqual([])
    expect(codesOf(parse('-draft'))).toEqual(['empty'])
  })

  it('cuts queries that no one types, and reports it', () => {
    const long = parse('word '.repeat(5000))
    expect(codesOf(long)).toEqual(['too-long'])
    expect(matchOf(long)?.match(/"word"/g)).toHaveLength(256)
    const phrase = parse(`"${'word '.repeat(5000)}"`)
    expect(matchOf(phrase)?.split(' ')).toHaveLength(256)
    const deep = parse(`${'(a OR (b '.repeat(5000)}${'))'.repeat(5000)}`)
    expect(codesOf(deep)).toContain('too-deep')
  })
})

describe('filters', () => {
  const cases: [query: string, filters: SearchQuery['filters'], codes?: string[]][] = [
    ['tool:Bash', { tool: { any: ['Bash'], none: [] } }],
    ['TOOL:Bash', { tool: { any: ['Bash'], none: [] } }],
    ['tool:Bash tool:Edit', { tool: { any: ['Bash', 'Edit'], none: [] } }],
    ['tool:Bash OR tool:Edit', { tool: { any: ['Bash', 'Edit'], none: [] } }],
    ['(tool:Bash OR tool:Edit)', { tool: { any: ['Bash', 'Edit'], none: [] } }],
    ['tool:Bash,Edit', { tool: { any: ['Bash', 'Edit'], none: [] } }],
    ['-tool:Bash', { tool: { any: [], none: ['Bash'] } }],
    ['NOT tool:Bash', { tool: { any: [], none: ['Bash'] } }],
    ['kind:prompt', { kind: { any: ['prompt'], none: [] } }],
    ['kind:Prompts', { kind: { any: ['prompt'], none: [] } }],
    ['kind:tool-results', { kind: { any: ['result'], none: [] } }],
    ['kind:calls,thinking', { kind: { any: ['call', 'thinking'], none: [] } }],
    ['kind:promt', {}, ['filter-value']],
    ['project:shop', { project: { any: ['shop'], none: [] } }],
    ['project:"my shop, new"', { project: { any: ['my shop, new'], none: [] } }],
    ['file:src/a,b.ts', { file: { any: ['src/a,b.ts'], none: [] } }],
    ['file:main.ts model:opus', { file: { any: ['main.ts'], none: [] }, model: { any: ['opus'], none: [] } }],
    ['is:error is:archived', { is: { any: ['error', 'archived'], none: [] } }],
    ['is:green', {}, ['filter-value']],
    ['session:3f2a thread:main', { session: { any: ['3f2a'], none: [] }, thread: { any: ['main'], none: [] } }],
    ['since:7d', { since: now - 7 * day }],
    ['since:today', { since: Date.UTC(2026, 5, 15) }],
    ['until:2026-01-01', { until: Date.UTC(2026, 0, 2) }],
    ['since:2026-01', { since: Date.UTC(2026, 0, 1) }],
    ['since:"2026-02-17 14:30"', { since: Date.UTC(2026, 1, 17, 14, 30) }],
    ['since:soon', {}, ['filter-time']],
    ['-since:7d', {}, ['filter-excluded']],
    ['since:1d until:2d', { since: now - day, until: now - 2 * day }, ['filter-span']],
    ['tool:', {}, ['filter-empty']],
    ['tool:"Bash', { tool: { any: ['Bash'], none: [] } }, ['quote']],
  ]
  it.each(cases)('reads %j', (query, filters, codes = []) => {
    const read = parse(query)
    expect(read.filters).toEqual(filters)
    expect(codesOf(read)).toEqual(codes)
    expect(read.expression).toBeNull()
  })

  it('are anywhere between words', () => {
    const read = parse('rounding tool:Bash (invoice is:error)')
    expect(matchOf(read)).toBe('("rounding" AND "invoice")')
    expect(Object.keys(read.filters)).toEqual(['tool', 'is'])
    expect(read.problems).toEqual([])
  })

  it('say that they apply to all of a query with OR', () => {
    expect(codesOf(parse('rounding OR tool:Bash'))).toEqual(['filter-or'])
  })

  it('say what was probably meant, and where', () => {
    const [problem] = parse('x tol:Bash').problems
    expect(problem).toMatchObject({ from: 2, to: 10, instead: 'tool:Bash' })
    expect(problem?.message).toContain('did you mean tool:?')
    expect(parse('kind:promt').problems[0]).toMatchObject({ instead: 'kind:prompt' })
  })

  it('treat a time in an unknown zone as no time', () => {
    expect(codesOf(parseQuery('since:today', { now, timezone: 'Mars/Base' }))).toEqual(['filter-time'])
  })
})

describe('any text at all', () => {
  const piece = fc.constantFrom(
    ...['(', ')', '"', '-', '*', ' ', ' OR ', ' AND ', ' NOT ', 'NOT ', 'foo', 'foo_bar', 'tool:', 'since:', 'kind:'],
    ...['丸め', 'é', '\0', '\ud800', ':', '^', '+', '{', '}', ',', 'NEAR', "'", '\n', '🎉', '2.1', '“', '((', '-('],
  )
  const anyText = fc.oneof(
    fc.array(piece, { maxLength: 40 }).map(parts => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 60 }),
  )

  it('is read without an error and makes a balanced match of quoted tokens', () => {
    fc.assert(
      fc.property(anyText, text => {
        const read = parse(text)
        for (const expression of [read.expression, read.excluded]) {
          if (expression !== null) expectValid(toMatch(expression))
        }
        for (const { from, to, message } of read.problems) {
          expect(from >= 0 && from <= to && to <= Math.max(text.length, 1) && message.length > 0).toBe(true)
        }
        if (read.expression === null && read.excluded === null && Object.keys(read.filters).length === 0) {
          expect(read.problems.length).toBeGreaterThan(0)
        }
      }),
      { numRuns: 3000 },
    )
  })
})

/** The grammar of what `toMatch` may write, reduced until one operand is left. */
function expectValid(match: string): void {
  expect(match).not.toMatch(/[\0\ud800-\udfff]/u)
  let rest = match.replace(/"[^"]+"( \*)?/g, 'T')
  for (let before = ''; before !== rest; ) {
    before = rest
    rest = rest.replace(/\((?:T(?: AND T)+|T(?: OR T)+|T NOT T)\)/g, 'T')
  }
  expect(rest).toBe('T')
}

import { describe, expect, it } from 'vitest'
import { ByteFilter } from './candidates.ts'
import { expressionOf } from './expression.ts'
import { tallyFor } from './tally.ts'

const most = Number.POSITIVE_INFINITY
const context = { before: 0, after: 0 }

/** What is counted of one line; null where nothing is counted at once. */
function counted(line: object | string, query = 'plum', asked: { countsAtOnce?: true } = { countsAtOnce: true }) {
  const expression = expressionOf({ query, ignoresCase: false, isFixed: true })
  const filter = new ByteFilter([query], false)
  const tally = tallyFor({ expression, texts: [query], context, kinds: [], most, countsOnly: true, ...asked }, filter)
  const text = typeof line === 'string' ? line : `${JSON.stringify(line)}\n`
  return tally === null ? null : tally.count(Buffer.from(text))
}

const common = { parentUuid: null, sessionId: 's1', uuid: 'u1', timestamp: '2026-03-01T10:00:00.000Z' }
const said = (content: unknown) => ({ ...common, type: 'user', message: { role: 'user', content } })
const answer = (...content: unknown[]) => ({ ...common, message: { role: 'assistant', content }, type: 'assistant' })
const result = (content: string) => said([{ type: 'tool_result', tool_use_id: 'c1', content }])

describe('what is counted where it is found', () => {
  it('is lines of texts, not places in them', () => {
    expect(counted(said('plum plum\nfig\r\na plum'))).toBe(2)
    expect(counted(said([{ type: 'text', text: 'plum' }, 'plum']))).toBe(2)
    expect(counted(answer({ type: 'thinking', thinking: 'plum', signature: 'plum' }))).toBe(1)
    expect(
      counted(answer({ type: 'tool_use', id: 'c1', name: 'Bash', input: { a: 'plum', b: [{ c: 'plum' }] } })),
    ).toBe(2)
  })

  it('is what the texts say, not how they are written', () => {
    expect(counted(said('\n um'), 'n um')).toBe(0)
    expect(counted('{"type":"user","message":{"role":"user","content":"pl\\u0075m"}}\n')).toBe(1)
    expect(counted(said('Grüße, plum'), 'ße, pl')).toBe(1)
  })

  it('is the output of a tool once, and its other form where the output itself does not match', () => {
    expect(counted({ ...result('plum'), toolUseResult: { stdout: 'plum' } })).toBe(1)
    expect(counted({ ...result('fig'), toolUseResult: { stdout: 'plum' } })).toBe(1)
    expect(counted({ ...result('fig'), toolUseResult: { originalFile: 'plum' } })).toBe(0)
    expect(counted({ ...result('fig'), slug: 'plum' })).toBe(0)
  })

  it('is the same where long texts are cut before', () => {
    const long = `${'fig\n'.repeat(3000)}plum\n${'fig\n'.repeat(3000)}plum`
    expect(counted({ ...result(long), toolUseResult: { stdout: long } })).toBe(2)
  })

  it('is nothing of lines that only decoding understands', () => {
    expect(counted({ type: 'custom-title', sessionId: 's1', customTitle: 'plum' })).toBe(-1)
    expect(counted({ ...common, type: 'progress', data: { output: 'plum' } })).toBe(-1)
    expect(counted({ ...said('plum'), userType: 'human' })).toBe(-1)
    expect(counted({ ...common, type: 'user', message: { type: 'message', content: 'plum' } })).toBe(-1)
    expect(counted({ ...common, type: 'user', message: 'plum' })).toBe(-1)
    expect(counted('{"type":"user","message":{"role":"user","content":"plum')).toBe(-1)
    expect(counted(`\u0000${JSON.stringify(said('plum'))}\n`)).toBe(-1)
  })

  it('is nothing at all where not every match counts', () => {
    expect(counted(said('plum'), 'plum', {})).toBe(null)
  })
})

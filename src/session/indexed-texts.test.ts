import { describe, expect, it } from 'vitest'
import fc from '../../test/property.ts'
import { decodeText } from '../decode/decode.ts'
import { furtherTexts, shownTexts } from './event-texts.ts'
import { indexedTexts } from './indexed-texts.ts'

const say = fc.constantFrom('in', 'the log', 'the login', 'logs', 'a\nlog', 'log', 'élan', '船の log', 'log_in')
const content = fc.array(
  fc.oneof(
    say.map(text => ({ type: 'text', text })),
    say.map(thinking => ({ type: 'thinking', thinking })),
    fc.array(say).map(input => ({ type: 'tool_use', id: 'c', name: 'Bash', input })),
    say.map(text => ({ type: 'tool_result', tool_use_id: 'c', content: text })),
    fc.array(say.map(text => ({ type: 'text', text }))).map(parts => ({
      type: 'tool_result',
      tool_use_id: 'c',
      content: parts,
    })),
    say.map(note => ({ type: 'from-the-future', note })),
  ),
)
const record = fc.oneof(
  fc.record({ type: fc.constantFrom('user', 'assistant'), message: fc.record({ content }), toolUseResult: say }),
  fc.record({ type: fc.constantFrom('progress', 'attachment', 'system', 'future'), data: fc.array(say), content: say }),
  fc.record({ type: fc.constantFrom('queue-operation'), operation: say, content: fc.oneof(say, content) }),
  fc.record({ type: fc.constantFrom('custom-title'), customTitle: say, more: say }),
  fc.record({ type: fc.constantFrom('mode', 'last-prompt', 'agent-name'), mode: say, lastPrompt: say, agentName: say }),
)

const wordsOf = (text: string) => text.match(/[\p{L}\p{N}]+/gu) ?? []

describe('the texts in the index', () => {
  it('have every word of the texts that grep looks into', () => {
    fc.assert(
      fc.property(record, value => {
        const [event] = decodeText(JSON.stringify({ sessionId: 's', uuid: 'u', ...value })).events
        if (event === undefined) return
        const indexed = new Set(indexedTexts(event).flatMap(({ text }) => wordsOf(text)))
        const texts = [...shownTexts(event).map(({ text }) => text), ...furtherTexts(event)]
        expect(texts.flatMap(wordsOf).filter(word => !indexed.has(word))).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  it('are one for each block, and one of what the rest of the record adds', () => {
    const message = {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'one' }, 'two'] },
        { type: 'text', text: 'three' },
      ],
    }
    const toolUseResult = { stdout: 'one', stderr: 'four', note: 'thr' }
    const [event] = decodeText(
      JSON.stringify({ type: 'user', uuid: 'u', sessionId: 's', message, toolUseResult }),
    ).events
    expect(event && indexedTexts(event)).toEqual([
      { field: 'output', text: 'one\ntwo' },
      { field: 'text', text: 'three' },
      { field: 'output', text: 'four\nthr' },
    ])
  })

  it('have a title and a queued prompt once', () => {
    const indexed = (value: object) => decodeText(JSON.stringify({ sessionId: 's', ...value })).events.map(indexedTexts)
    expect(indexed({ type: 'custom-title', customTitle: 'Cart' })).toEqual([[{ field: 'title', text: 'Cart' }]])
    const [queued] = indexed({ type: 'queue-operation', operation: 'enqueue', content: 'Go on' })
    expect(queued).toEqual([
      { field: 'text', text: 'Go on' },
      { field: 'status', text: 'enqueue' },
    ])
  })
})

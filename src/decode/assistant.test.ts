import { describe, expect, it } from 'vitest'
import { assistant, one } from './testing.ts'

describe('assistant records', () => {
  it('give blocks, the message and its usage', () => {
    const usage = {
      input_tokens: 3,
      output_tokens: 11,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 7,
      cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 4 },
      server_tool_use: { web_search_requests: 1 },
    }
    const event = one(
      assistant([{ type: 'text', text: 'Hi' }], { requestId: 'r1' }, { usage, stop_reason: 'end_turn' }),
    )
    expect(event.message).toEqual({
      id: 'm1',
      requestId: 'r1',
      model: 'claude-opus-4-6',
      stopReason: 'end_turn',
      usage: {
        inputTokens: 3,
        outputTokens: 11,
        cacheCreationTokens: 6,
        cacheReadTokens: 7,
        cacheCreation5mTokens: 2,
        cacheCreation1hTokens: 4,
        webSearches: 1,
        outputFinal: true,
      },
    })
  })

  it.each([
    ['2.1.45', null, false],
    ['2.1.97', null, true],
    ['2.2.0', null, true],
    ['2.1.45', 'tool_use', true],
  ])('of version %s with stop reason %s have final output: %s', (version, stop_reason, isFinal) => {
    const event = one(assistant([], { version }, { stop_reason, usage: { input_tokens: 1, output_tokens: 1 } }))
    expect(event.message?.usage?.outputFinal).toBe(isFinal)
  })

  it('tell thinking that was logged from thinking that was not', () => {
    const event = one(
      assistant([
        { type: 'thinking', thinking: 'Hm', signature: 'x' },
        { type: 'thinking', thinking: '', signature: 'x' },
        { type: 'redacted_thinking', data: 'x' },
      ]),
    )
    expect(event.blocks).toEqual([
      { type: 'thinking', text: 'Hm', logged: true },
      { type: 'thinking', text: '', logged: false },
      { type: 'thinking', text: '', logged: false, redacted: true },
    ])
  })

  it('read calls and results of server and MCP tools like any other', () => {
    const event = one(
      assistant([
        { type: 'server_tool_use', id: 'st1', name: 'web_search', input: { query: 'x' } },
        { type: 'web_search_tool_result', tool_use_id: 'st1', content: [{ type: 'web_search_result', url: 'u' }] },
        { type: 'mcp_tool_result', tool_use_id: 'mt1', is_error: true, content: [{ type: 'text', text: 'no' }] },
      ]),
    )
    expect(event.blocks.map(block => block.type)).toEqual(['tool-call', 'tool-result', 'tool-result'])
  })

  it('keep unknown blocks whole', () => {
    const raw = { type: 'hologram', beam: 7 }
    expect(one(assistant([raw])).blocks).toEqual([{ type: 'other', wireType: 'hologram', raw }])
  })

  it('of API errors are Claude Code speaking', () => {
    const event = one(
      assistant([{ type: 'text', text: 'API Error' }], { isApiErrorMessage: true }, { model: '<synthetic>' }),
    )
    expect([event.kind, event.actor, event.flags]).toEqual(['api-error', 'client', ['synthetic', 'error']])
  })
})

describe('odd answers', () => {
  it('keep a call without a name and thinking without a text as what they are', () => {
    const found = one(
      assistant([
        { type: 'tool_use', id: 't1', input: 'x' },
        { type: 'thinking', signature: 's' },
      ]),
    )
    expect(found.blocks).toEqual([
      { type: 'tool-call', callId: 't1', name: '', input: 'x' },
      { type: 'thinking', text: '', logged: false },
    ])
  })

  it('count only numbers that can be counts', () => {
    const usage = {
      input_tokens: '3',
      output_tokens: -1,
      cache_read_input_tokens: null,
      cache_creation: { ephemeral_5m_input_tokens: 1e308, ephemeral_1h_input_tokens: 1e308 },
    }
    const found = one(assistant([], {}, { id: null, usage })).message
    expect(found).toMatchObject({ id: 'u1', usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 } })
    expect(Number.isFinite(found?.usage?.cacheCreationTokens)).toBe(true)
  })
})

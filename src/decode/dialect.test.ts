import { describe, expect, it } from 'vitest'
import { decodeText } from './decode.ts'

function first(value: object, file = 'a.jsonl') {
  return decodeText(`${JSON.stringify(value)}\n`, { file }).records[0]
}
const envelope = { uuid: 'u', parentUuid: null, sessionId: 's', timestamp: '2026-01-01T00:00:00.000Z' }

describe('the dialect of a line', () => {
  it.each([
    ['client', { ...envelope, type: 'user', message: { role: 'user', content: 'x' } }],
    ['client', { type: 'summary', summary: 'x', leafUuid: 'y' }],
    ['client', { type: 'user', message: { role: 'user', content: 'x' }, isMeta: true }],
    ['client', { ...envelope, type: 'newest-chain-type' }],
    ['client', { summary: 'x', leafUuid: 'y' }],
    ['client', { messageId: 'x', snapshot: {} }],
    ['s0', { ...envelope, type: 'human', timestamp: 1738160130123, message: { type: 'message', content: 'x' } }],
    ['s0', { ...envelope, type: 'assistant', timestamp: 1738160130123, message: { type: 'message', content: [] } }],
    [
      's0',
      { ...envelope, type: 'compact_recap', timestamp: 1738160130123, message: { type: 'message', content: 'x' } },
    ],
    ['s3', { ...envelope, type: 'user', message: 'x' }],
    ['s3', { ...envelope, type: 'assistant', subtype: 'tool_use', toolName: 'Read', toolArguments: {} }],
    ['s3', { ...envelope, type: 'compact_system', message: 'conversation_compacted' }],
    ['s3', { ...envelope, type: 'user', message: 'x', userType: 'human' }],
    ['s3', { uuid: 'a', parentUuid: 'b', message: 'no type' }],
    ['history', { display: '/plugin', pastedContents: {}, timestamp: 1770654699405, project: '/p' }],
    ['journal', { type: 'started', key: 'k', agentId: 'a1' }],
    ['history', { display: 'hi', timestamp: 1770654699405 }],
    ['client', { ...envelope, type: 'user', message: { content: 'no role' } }],
    [
      'client',
      { ...envelope, type: 'user', version: '0.2.126', userType: 'external', message: { role: 'user', content: 'x' } },
    ],
    ['client', { ...envelope, type: 'system', subtype: 'compact_boundary', message: 'x' }],
    ['client', { type: 'api-request-blob', sessionId: 's', message: 'x' }],
    ['unknown', { ...envelope, message: { role: 'user', content: 'no type' } }],
    ['unknown', { type: 'brand-new', sessionId: 's' }],
    ['unknown', { hello: 'world' }],
  ])('is %s for %j', (dialect, value) => {
    expect(first(value)?.dialect).toBe(dialect)
  })

  it.each([
    ['entire', { v: 1, agent: 'claude', ts: '2026' }],
    ['codex', { type: 'session_meta', timestamp: '2026', payload: { id: 'x' } }],
    ['codex', { type: 'response_item', payload: { type: 'message' } }],
    ['copilot', { type: 'session.start', data: { sessionId: 'x' }, id: '1' }],
    ['opencode', { info: { id: 'ses_123', role: 'user' }, parts: [] }],
    ['qwen', { ...envelope, type: 'user', message: { role: 'user', parts: [{ text: 'x' }] } }],
    ['qwen', { ...envelope, type: 'system', version: '0.5.0', subtype: 'x' }],
    ['copilot', { type: 'session.start', id: '1', sessionId: 'x' }],
    ['sdk-stream', { type: 'assistant', uuid: 'u', session_id: 's', message: { role: 'assistant', content: [] } }],
    ['sdk-stream', { type: 'user', message: { role: 'user', content: 'x' }, parent_tool_use_id: null }],
    ['sdk-stream', { type: 'control_request', request_id: 'r' }],
    ['sdk-stream', { type: 'system', subtype: 'init', session_id: 's', tools: [] }],
    ['sdk-stream', { type: 'result', subtype: 'success', session_id: 's' }],
  ])('is foreign, named %s, for %j', (tool, value) => {
    const record = first(value)
    expect([record?.dialect, record?.foreign]).toEqual(['foreign', tool])
  })

  it('is the journal for every line of a file of that name that has no place in a conversation', () => {
    expect(first({ type: 'launched', runId: 'r' }, 'w/journal.jsonl')).toMatchObject({
      dialect: 'journal',
      status: 'known',
    })
    expect(first({ type: 'paused' }, 'w/journal.jsonl')).toMatchObject({ dialect: 'journal', status: 'unknown' })
    expect(first({ type: 'paused' })?.dialect).toBe('unknown')
  })

  it('keeps a client line that carries its session in snake case too', () => {
    const record = first({ ...envelope, session_id: 's', type: 'user', message: { role: 'user', content: 'x' } })
    expect(record?.dialect).toBe('client')
  })

  it('is decided line by line in a mixed file', () => {
    const lines = [
      { ...envelope, type: 'user', message: { role: 'user', content: 'x' } },
      { ...envelope, uuid: 'v', type: 'user', message: 'x' },
      { ...envelope, uuid: 'w', type: 'human', timestamp: 1, message: { type: 'message', content: 'x' } },
    ]
    const { records } = decodeText(lines.map(line => JSON.stringify(line)).join('\n'))
    expect(records.map(record => record.dialect)).toEqual(['client', 's3', 's0'])
  })

  it('follows the rest of the file where a line itself does not tell', () => {
    const bare = { type: 'user', uuid: 'b', timestamp: '2026-01-01T00:00:00.000Z', sessionId: 's' }
    const text = { type: 'user', uuid: 'a', message: 'x', sessionId: 's' }
    const { records } = decodeText(`${JSON.stringify(text)}\n${JSON.stringify(bare)}\n`)
    expect(records[1]?.dialect).toBe('s3')
    expect(first(bare)?.dialect).toBe('client')
  })

  it('calls unknown types, subtypes, attachments and progress by name', () => {
    expect(first({ ...envelope, type: 'system', subtype: 'sky_opened' })).toMatchObject({
      status: 'unknown',
      subtype: 'sky_opened',
    })
    expect(first({ ...envelope, type: 'attachment', attachment: { type: 'hologram' } })).toMatchObject({
      status: 'unknown',
      subtype: 'hologram',
    })
    expect(first({ ...envelope, type: 'progress', data: { type: 'bash_progress' } })).toMatchObject({ status: 'known' })
  })
})

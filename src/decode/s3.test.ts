import { describe, expect, it } from 'vitest'
import { detailFields } from '../model/detail.ts'
import { events, one } from './testing.ts'

describe('the vocabulary of 003', () => {
  const line = (type: string, uuid: string, parentUuid: string | undefined, more: object) => ({
    type,
    uuid,
    ...(parentUuid === undefined ? {} : { parentUuid }),
    timestamp: '2025-01-27T10:00:00Z',
    sessionId: 's',
    ...more,
  })
  const call = (uuid: string, parent: string | undefined, more: object = {}) =>
    line('assistant', uuid, parent, {
      subtype: 'tool_use',
      toolName: 'Read',
      toolArguments: { file_path: '/a' },
      ...more,
    })

  it('pairs a call with the system line that hangs on it', () => {
    const found = events([call('a', undefined), line('system', 'b', 'a', { message: 'done' })])
    expect(found[0]?.blocks[0]).toEqual({
      type: 'tool-call',
      callId: 's3:a',
      name: 'Read',
      input: { file_path: '/a' },
      inferredId: true,
    })
    expect(found[1]).toMatchObject({
      kind: 'tool-results',
      actor: 'tool',
      flags: ['inferred'],
      blocks: [{ callId: 's3:a' }],
    })
  })

  it('pairs by place where parents are missing, and not across the next answer', () => {
    const bare = (type: string, more: object) => ({ type, ...more })
    const found = events([
      bare('user', { message: 'Fix it' }),
      bare('assistant', { subtype: 'tool_use', toolName: 'Read' }),
      bare('system', { message: '[File contents]' }),
      bare('assistant', { message: 'Found it', subtype: 'response' }),
      bare('system', { message: 'A note' }),
    ])
    expect(found.map(event => event.kind)).toEqual(['prompt', 'answer', 'tool-results', 'answer', 'notice'])
    expect(
      found.slice(1).every((event, index) => event.parent === found[index]?.id && event.flags.includes('inferred')),
    ).toBe(true)
  })

  it('does not answer an aborted call by place', () => {
    const found = events([
      call('a', undefined, { isAborted: true }),
      line('system', 'b', undefined, { message: 'A note' }),
    ])
    expect([found[0]?.flags, found[1]?.kind]).toEqual([['aborted'], 'notice'])
  })

  it('reads the three lines of a compaction', () => {
    const found = ['compacting', 'compacted', 'restored'].map(phase =>
      one(
        line('compact_system', phase, undefined, {
          message: `conversation_${phase}`,
          metadata: { preservedMessages: 10, totalMessages: 100 },
        }),
      ),
    )
    expect(found.map(event => [event.kind, detailFields(event)['phase']])).toEqual([
      ['compaction', 'start'],
      ['compaction', 'done'],
      ['compaction', 'restored'],
    ])
    expect(found[1]?.detail).toMatchObject({ preservedMessages: 10, totalMessages: 100 })
  })

  it('takes "external" for an agent once people are called "human"', () => {
    const found = events([
      line('user', 'a', undefined, { message: 'Hello', userType: 'human' }),
      line('user', 'b', 'a', { message: 'Analyse', userType: 'external', isSidechain: true }),
      line('user', 'c', 'a', { message: 'Analyse', userType: 'external' }),
    ])
    expect(found.map(event => [event.kind, event.actor])).toEqual([
      ['prompt', 'human'],
      ['delegation', 'agent'],
      ['delegation', 'agent'],
    ])
  })

  it('reads thinking lines, and keeps the thread of the main line apart from a sidechain', () => {
    const found = events([
      line('assistant', 'a', undefined, { message: 'Hm', subtype: 'thinking' }),
      line('user', 'b', 'a', { message: 'Analyse', isSidechain: true }),
      line('assistant', 'c', 'b', { message: 'Done', isSidechain: true }),
      line('assistant', 'd', 'c', { message: 'So' }),
    ])
    expect(found[0]?.blocks).toEqual([{ type: 'thinking', text: 'Hm', logged: true }])
    expect(found.map(event => event.thread)).toEqual(['s', 'b', 'b', 's'])
  })

  it('pairs by parent across the next answer', () => {
    const found = events([
      call('a', undefined),
      line('assistant', 'b', 'a', { message: 'Meanwhile' }),
      line('system', 'c', 'a', { message: 'done' }),
    ])
    expect(found[2]).toMatchObject({ kind: 'tool-results', blocks: [{ callId: 's3:a' }] })
  })

  it('pairs many waiting calls in one pass', () => {
    const calls = Array.from({ length: 20_000 }, (_, i) => call(`c${i}`, undefined))
    const results = calls.map((_, i) => line('system', `r${i}`, `c${calls.length - 1 - i}`, { message: 'ok' }))
    const found = events([...calls, ...results])
    expect(found.every((event, i) => event.kind === (i < calls.length ? 'answer' : 'tool-results'))).toBe(true)
  })

  it('reads a message that is an object like any other', () => {
    const results = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }] }
    const answer = { id: 'm', role: 'assistant', model: 'x', content: [{ type: 'text', text: 'Hi' }] }
    expect(one(line('user', 'a', undefined, { userType: 'human', message: results })).kind).toBe('tool-results')
    expect(one(line('assistant', 'a', undefined, { toolName: 'Read', message: answer }))).toMatchObject({
      message: { id: 'm', model: 'x' },
      blocks: [{ type: 'text' }, { type: 'tool-call' }],
    })
  })

  it('begins a second thread when the main thread gives a new task, though no line has an id', () => {
    const side = (type: string, message: string) => ({ type, message, isSidechain: true })
    const found = events([
      { type: 'assistant', message: 'Delegating' },
      side('user', 'First task'),
      side('assistant', 'Working'),
      side('user', 'More of it'),
      side('assistant', 'Done'),
      { type: 'assistant', message: 'And now' },
      side('user', 'Second task'),
      side('assistant', 'Done'),
    ])
    const threads = found.map(event => event.thread)
    expect(new Set(threads.slice(1, 5)).size).toBe(1)
    expect(threads[6]).toBe(found[6]?.id)
    expect(threads[7]).toBe(threads[6])
    expect(found[6]?.parent).toBeNull()
  })
})

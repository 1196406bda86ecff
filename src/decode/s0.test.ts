import { describe, expect, it } from 'vitest'
import { events, one } from './testing.ts'

describe('the vocabulary of 000', () => {
  const line = (type: string, content: unknown, more: object = {}) => ({
    uuid: `u-${type}`,
    parentUuid: null,
    sessionId: 's',
    type,
    timestamp: 1738160130123,
    version: '1.0.128',
    message: { type: 'message', content },
    ...more,
  })

  it.each([
    ['prompt', 'human', line('human', 'Do it')],
    ['answer', 'agent', line('assistant', [{ type: 'text', text: 'Yes' }])],
    ['tool-results', 'tool', line('tool_result', [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }])],
    ['preserved', 'client', line('compact_prelude', 'Before')],
    ['compact-summary', 'client', line('compact_recap', 'Recap')],
    ['delegation', 'agent', line('human', 'Analyse', { isSidechain: true, userType: 'external' })],
  ])('gives %s by %s for %j', (kind, actor, value) => {
    const event = one(value)
    expect([event.kind, event.actor, event.at]).toEqual([kind, actor, '2025-01-29T14:15:30.123Z'])
  })

  it('keeps its flags', () => {
    const event = one(line('human', 'x', { isDeleted: true, isAborted: true, isError: true, is_active: true }))
    expect(event.flags).toEqual(['deleted', 'aborted', 'error', 'active'])
  })
})

describe('lines of 000 in an odd form', () => {
  const human = { uuid: 'a', parentUuid: null, sessionId: 's', type: 'human', timestamp: 1738160130123 }
  const answer = { uuid: 'b', parentUuid: 'a', sessionId: 's', type: 'assistant', timestamp: '2025-01-29T14:15:30Z' }

  it('are results by their type, whatever their content', () => {
    const event = one({ ...human, type: 'tool_result', message: { type: 'message', content: 'done' } })
    expect([event.kind, event.actor]).toEqual(['tool-results', 'tool'])
  })

  it('are still of 000 when only the time is written as Claude Code does', () => {
    const message = { type: 'message', content: 'x' }
    const found = events([
      { ...human, message },
      { ...answer, message },
    ])
    expect(found.map(event => event.dialect)).toEqual(['s0', 's0'])
    expect(one({ ...answer, message }).dialect).toBe('client')
  })

  it('tell their subtype', () => {
    expect(one({ ...human, subtype: 'edited', message: { type: 'message', content: 'x' } }).detail).toEqual({
      subtype: 'edited',
    })
  })
})

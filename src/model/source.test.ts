import { describe, expect, it } from 'vitest'
import { sessionId } from './ids.ts'
import { type ClaudeArchived, type GenerationId, type SessionFiles, setAsideOf } from './source.ts'

const at = '2026-01-02T00:00:00.000Z'
const withStates = (...states: ClaudeArchived[]): SessionFiles => ({
  id: sessionId('s'),
  slug: '',
  logs: [],
  side: states.map(claudeArchived => ({
    path: 'archived.json',
    kind: 'other',
    generation: 'g' as GenerationId,
    size: 1,
    modifiedMs: 0,
    claudeArchived,
  })),
})

describe('a session', () => {
  it('is set aside until it is taken back or a prompt follows, as in Claude Code', () => {
    const files = withStates({ archived: true, at, by: 'sdk' })
    expect(setAsideOf(files, null)).toEqual({ at, by: 'sdk' })
    expect(setAsideOf(files, '2026-01-01T00:00:00.000Z')).toEqual({ at, by: 'sdk' })
    expect(setAsideOf(files, '2026-01-02T00:00:00.001Z')).toBeUndefined()
    expect(setAsideOf(withStates({ archived: false, at }), null)).toBeUndefined()
    expect(setAsideOf(withStates(), null)).toBeUndefined()
  })

  it('is what the latest of several copies states', () => {
    const later = { archived: false, at: '2026-01-03T00:00:00.000Z' }
    expect(setAsideOf(withStates(later, { archived: true, at }), null)).toBeUndefined()
  })
})

import { describe, expect, it } from 'vitest'
import { sessionId } from './ids.ts'
import {
  type ClaudeArchived,
  type GenerationId,
  isBeingWritten,
  type LogFile,
  type SessionFiles,
  setAsideOf,
} from './source.ts'

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

  it('is being written while it waits for a subagent, but not when that is all that is left', () => {
    const now = Date.parse('2026-03-01T12:00:00Z')
    const log = (path: string, role: LogFile['role'], minutes: number): LogFile => {
      return { path, role, generation: 'g' as GenerationId, size: 1, modifiedMs: now - minutes * 60_000 }
    }
    const main = log('p/a.jsonl', 'session', 20)
    const agent = log('p/a/subagents/agent-1.jsonl', 'agent', 1)
    const isWritten = (...logs: LogFile[]) => isBeingWritten({ logs }, '2026-03-01T11:40:00Z', now)
    expect(isWritten(main)).toBe(false)
    expect(isWritten(main, agent)).toBe(true)
    expect(isWritten(agent)).toBe(false)
    expect(isWritten({ ...main, isArchiveOnly: true }, agent)).toBe(false)
  })

  it('is not being written where its files are empty', () => {
    const now = Date.parse('2026-03-01T12:00:00Z')
    const log: LogFile = { path: 'a', role: 'session', generation: 'g' as GenerationId, size: 0, modifiedMs: now }
    expect(isBeingWritten({ logs: [log] }, null, now)).toBe(false)
    expect(isBeingWritten({ logs: [{ ...log, size: 1 }] }, null, now)).toBe(true)
  })
})

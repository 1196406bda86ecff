import { describe, expect, it } from 'vitest'
import type { ArchiveAnswer } from '../../src/server/api/api.ts'
import { dueText, isSoon } from '../shell/format.ts'
import {
  archivedText,
  changeText,
  doneText,
  dueGroups,
  dueSummary,
  isMixed,
  isTyped,
  lockText,
  modeText,
  nowText,
  safetyText,
  savedText,
  storedText,
} from './words.ts'

const now = Date.parse('2026-11-18T12:00:00Z')
const change = { session: 's', title: 'Cart' }

const expiring = (days: number | null, isArchived: boolean) => ({
  session: `s${days}`,
  title: 'Cart',
  deletedOn: days === null ? null : new Date(now + days * 86_400_000).toISOString(),
  isArchived,
})
const archive = (part: Partial<ArchiveAnswer>): ArchiveAnswer => ({
  hasArchive: true,
  mode: 'auto',
  isModeChosen: true,
  files: 12,
  bytes: 4000,
  storedBytes: 1000,
  unarchivedBytes: 0,
  unarchivedSessions: 0,
  expiring: [],
  gone: [],
  isReadOnly: false,
  ...part,
})

describe('the overview', () => {
  it('says in one sentence whether everything is safe', () => {
    expect(safetyText(archive({ expiring: [expiring(3, true)] }), now)).toEqual({
      isSafe: true,
      text: 'Everything is archived.',
    })
    expect(
      safetyText(archive({ expiring: [expiring(2, false), expiring(9, false)], unarchivedSessions: 2 }), now),
    ).toEqual({
      isSafe: false,
      text: '2 sessions are not archived. Claude Code deletes the next one in 2 days.',
    })
    expect(safetyText(archive({ unarchivedBytes: 2000 }), now).isSafe).toBe(false)
    expect(storedText(archive({}))).toBe('12 files, 4.0 kB in 1.0 kB (75% smaller).')
    expect(storedText(archive({ hasArchive: false }))).toBe('There is no archive yet.')
  })

  it('puts what will be deleted together by when, what is near open', () => {
    const rows = [expiring(-1, true), expiring(0.5, true), expiring(5, false), expiring(20, true), expiring(null, true)]
    expect(dueGroups(rows, now).map(({ name, rows, isOpen }) => [name, rows.length, isOpen])).toEqual([
      ['Within a day', 2, true],
      ['Within a week', 1, true],
      ['Within a month', 1, false],
      ['At a time that is not known', 1, false],
    ])
    expect(dueSummary(rows)).toBe('5 sessions, 1 not archived')
    expect(dueSummary(rows.slice(0, 1))).toBe('1 session, all archived')
    expect([isMixed(rows), isMixed(rows.slice(0, 1))]).toEqual([true, false])
  })
})

describe('the figures', () => {
  it('says when a session will be deleted', () => {
    expect(dueText('2026-11-21T19:00:00Z', now)).toBe('in 3 days')
    expect(dueText('2026-11-18T20:00:00Z', now)).toBe('in 8 h')
    expect(dueText('2026-11-18T11:00:00Z', now)).toBe('any time now')
    expect([isSoon('2026-11-20T11:00:00Z', now), isSoon('2026-12-20T11:00:00Z', now), isSoon(null, now)]).toEqual([
      true,
      false,
      false,
    ])
  })

  it('says why nothing can be changed, and nothing where it can', () => {
    expect(lockText(false, false)).toBeUndefined()
    expect(lockText(true, false)).toMatch(/read-only/)
    expect(lockText(false, true)).toMatch(/sample/)
    expect(modeText({ mode: 'off', isModeChosen: true })).toMatch(/switched off/)
  })

  it('says how much space is saved, where any is', () => {
    expect([savedText(1000, 250), savedText(0, 0), savedText(10, 12)]).toEqual(['75% smaller', undefined, undefined])
  })
})

describe('changes', () => {
  it('say what they leave before they are made', () => {
    const gone = changeText({ kind: 'forget', ...change }).join(' ')
    expect(gone).toMatch(/nothing will be left/)
    const there = changeText({ kind: 'forget', ...change, deletedOn: '2026-11-20T11:00:00Z' }).join(' ')
    expect(there).toMatch(/own files stay/)
    expect(there).not.toMatch(/nothing will be left/)
    expect(changeText({ kind: 'restore', ...change })[0]).toMatch(/writes the files/)
  })

  it('report their result', () => {
    expect(doneText({ kind: 'restore', ...change }, 3)).toBe('Restored “Cart”: 3 files written.')
    expect(doneText({ kind: 'restore', ...change }, 0)).toMatch(/there already/)
    expect(doneText({ kind: 'forget', ...change }, 1)).toBe('Forgot “Cart”: 1 archived file deleted.')
    expect([archivedText({ files: 0, bytes: 0 }), archivedText({ files: 2, bytes: 1500 })]).toEqual([
      'Everything was archived already.',
      '2 files archived, 1.5 kB.',
    ])
  })

  it('need the word itself', () => {
    expect([isTyped(' Forget '), isTyped('forge'), isTyped('')]).toEqual([true, false, false])
  })
})

it('says that the first archive decides only where nobody has chosen', () => {
  expect(modeText({ mode: 'manual', isModeChosen: true })).toMatch(/on request/)
  expect(modeText({ mode: 'manual', isModeChosen: false })).toMatch(/for the first time, and from then on/)
  expect(modeText({ mode: 'auto', isModeChosen: false })).toMatch(/whenever it runs/)
})

it('says before the first archive that more will be archived later, unless somebody decided', () => {
  const first = { hasArchive: false, isModeChosen: false }
  expect(nowText(archive(first))).toContain('from then on')
  for (const part of [{}, { ...first, isModeChosen: true }, { ...first, hasArchive: true }])
    expect(nowText(archive(part))).toMatch(/^Copies new sessions into/)
})

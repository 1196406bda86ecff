import { describe, expect, it } from 'vitest'
import { dueText, isSoon } from '../shell/format.ts'
import { archivedText, changeText, doneText, isTyped, lockText, modeText, savedText } from './words.ts'

const now = Date.parse('2026-11-18T12:00:00Z')
const change = { session: 's', title: 'Cart' }

describe('the figures', () => {
  it('says when a session will be deleted', () => {
    expect(dueText('2026-11-20T11:00:00Z', now)).toBe('in 2 days')
    expect(dueText('2026-11-18T20:00:00Z', now)).toBe('within a day')
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
    expect(modeText('off')).toMatch(/switched off/)
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

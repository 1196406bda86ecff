import { describe, expect, it } from 'vitest'
import { runsOf } from './diff.tsx'

describe('a line of a diff', () => {
  const look = (text: string, name = '') => ({ text, look: name })

  it('is cut where its colour or its mark changes', () => {
    const pieces = [
      { text: 'let a', isChanged: false },
      { text: ' = 1', isChanged: true },
    ]
    expect(runsOf('let a = 1', pieces, [look('let', 'k'), look(' a = '), look('1', 'n')])).toEqual([
      { text: 'let', look: 'k', isChanged: false },
      { text: ' a', look: '', isChanged: false },
      { text: ' = ', look: '', isChanged: true },
      { text: '1', look: 'n', isChanged: true },
    ])
  })

  it('has no colours where they are those of another text', () => {
    expect(runsOf('abc', undefined, [look('ab', 'k')])).toEqual([{ text: 'abc', look: '', isChanged: false }])
    expect(runsOf('', undefined, undefined)).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { coloured } from './text.tsx'

const esc = '\u001b'

describe('colours of a terminal', () => {
  it('become runs with a look', () => {
    expect(coloured(`a${esc}[31;1mred${esc}[22m still${esc}[0m plain`)).toEqual([
      { text: 'a', look: '' },
      { text: 'red', look: 'tc-1 tc-bold' },
      { text: ' still', look: 'tc-1' },
      { text: ' plain', look: '' },
    ])
  })

  it('of the large palettes are left out without taking their numbers for codes', () => {
    expect(coloured(`${esc}[38;5;31mx${esc}[38;2;31;32;33my`)).toEqual([
      { text: 'x', look: '' },
      { text: 'y', look: '' },
    ])
  })

  it('are the only sequences that go: others stay visible', () => {
    expect(coloured(`${esc}]0;title\u0007${esc}[2J`)[0]?.text).toBe('\\u{1b}]0;title\\u{7}\\u{1b}[2J')
  })
})

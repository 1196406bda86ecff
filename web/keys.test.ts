import { describe, expect, it } from 'vitest'
import { belongsToFocus, KeySequence, keyName, listKeys } from './keys.ts'

const pressed = { ctrlKey: false, metaKey: false, altKey: false }

describe('keyName', () => {
  it('leaves keys with Ctrl, Alt or the system key to the browser', () => {
    expect(keyName({ ...pressed, key: 'c', ctrlKey: true })).toBeUndefined()
    expect(keyName({ ...pressed, key: 'f', ctrlKey: true })).toBe('Ctrl+F')
    expect(keyName({ ...pressed, key: 'f', metaKey: true })).toBe('Ctrl+F')
    expect(keyName({ ...pressed, key: 'r', metaKey: true })).toBeUndefined()
    expect(keyName({ ...pressed, key: 'f', altKey: true })).toBeUndefined()
  })

  it('has short names for keys without a letter', () => {
    expect(['Escape', 'ArrowDown', ' ', '?'].map(key => keyName({ ...pressed, key }))).toEqual([
      'Esc',
      'Down',
      'Space',
      '?',
    ])
  })
})

describe('KeySequence', () => {
  const isPrefix = (name: string) => name === 'g'

  it('looks for both keys together first, then for the second alone', () => {
    const sequence = new KeySequence()
    expect(sequence.push('g', 0, isPrefix)).toEqual(['g'])
    expect(sequence.push('m', 300, isPrefix)).toEqual(['g m', 'm'])
    expect(sequence.push('m', 400, isPrefix)).toEqual(['m'])
  })

  it('forgets a first key that waited too long', () => {
    const sequence = new KeySequence()
    sequence.push('g', 0, isPrefix)
    expect(sequence.push('m', 2000, isPrefix)).toEqual(['m'])
  })
})

describe('belongsToFocus', () => {
  it('leaves everything but Esc to a field', () => {
    for (const tagName of ['INPUT', 'TEXTAREA', 'SELECT']) {
      expect(belongsToFocus('j', { tagName })).toBe(true)
      expect(belongsToFocus('Esc', { tagName })).toBe(false)
    }
    expect(belongsToFocus('j', { tagName: 'DIV', isContentEditable: true })).toBe(true)
  })

  it('leaves Enter and Space to links and buttons, and no more', () => {
    expect(belongsToFocus('Enter', { tagName: 'A' })).toBe(true)
    expect(belongsToFocus('Space', { tagName: 'BUTTON' })).toBe(true)
    expect(belongsToFocus('j', { tagName: 'A' })).toBe(false)
    expect(belongsToFocus('j', { tagName: 'INPUT', type: 'checkbox' })).toBe(false)
  })
})

describe('listKeys', () => {
  it('says what a part says of a key, else what the key usually does', () => {
    const nothing = () => undefined
    expect(listKeys({ n: nothing, x: ['cross out', nothing], q: nothing })).toEqual([
      { keys: 'n', says: 'next prompt' },
      { keys: 'x', says: 'cross out' },
      { keys: 'q', says: 'q' },
    ])
  })
})

import { describe, expect, it } from 'vitest'
import { windowsWord } from './windows.ts'

/** The first word of a command line, by the rules that C programs on Windows follow. */
function firstWord(line: string): string {
  let out = ''
  let isQuoted = false
  for (let at = 0; at < line.length; at++) {
    const slashes = /^\\*/.exec(line.slice(at))?.[0].length ?? 0
    const isBeforeQuote = line[at + slashes] === '"'
    out += '\\'.repeat(isBeforeQuote ? Math.floor(slashes / 2) : slashes)
    at += slashes
    const character = line[at] ?? ''
    if (character === '"' && slashes % 2 === 0) isQuoted = !isQuoted
    else if (character === ' ' && !isQuoted) break
    else out += character
  }
  return out
}

describe('windowsWord', () => {
  it.each([
    'a',
    'C:\\a\\b.js',
    'C:\\Program Files\\x',
    'C:\\end\\',
    'C:\\end here\\',
    'say "x"',
    'a\\"b',
    'a\\\\" c\\\\',
    '',
  ])('is read back as %j', word => {
    expect(firstWord(`${windowsWord(word)} next`)).toBe(word)
  })
})

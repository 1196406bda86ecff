import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { cronLine } from './cron.ts'

/** What cron gives to the shell: up to the first bare `%`, without the backslashes that are before others. */
function asCronReads(command: string): string {
  let out = ''
  let isEscaped = false
  for (const character of command) {
    if (isEscaped) {
      out = character === '%' ? `${out.slice(0, -1)}%` : out + character
      isEscaped = false
      continue
    }
    if (character === '%') break
    isEscaped = character === '\\'
    out += character
  }
  return out
}

describe('cronLine', () => {
  it.each([
    [1, '*/1 * * * *'],
    [30, '*/30 * * * *'],
    [60, '0 * * * *'],
    [360, '0 */6 * * *'],
    [1440, '0 12 * * *'],
  ])('runs every %d minutes as %s', (minutes, times) => {
    expect(cronLine({ words: ['/n', 'x'], minutes })).toBe(`${times} /n x # clew archive`)
  })

  it.each([7, 45, 90, 300, 2880])('refuses every %d minutes, which cron would run unevenly', minutes => {
    expect(() => cronLine({ words: ['/n'], minutes })).toThrow('cron cannot run it every')
  })

  it.each([
    'a b',
    '100%',
    '%h%',
    'q"uo\'te',
    'back\\slash',
    'back\\%',
    '\\\\%\\%%',
    "'%'",
    '$HOME `x`',
    'ünï 丸',
    '# no',
    '',
  ])('gives %j to the shell as it is', word => {
    const line = cronLine({ words: ['printf', '[%s]', word], minutes: 60 })
    expect(line).not.toContain('\n')
    const command = asCronReads(line.slice('0 * * * * '.length))
    expect(spawnSync('/bin/sh', ['-c', command], { encoding: 'utf8' }).stdout).toBe(`[${word}]`)
  })

  it.each(['a\nb', 'a\u001bb', 'a\u202eb'])('refuses %j', word => {
    expect(() => cronLine({ words: ['/n', word], minutes: 60 })).toThrow('control or invisible characters')
  })
})

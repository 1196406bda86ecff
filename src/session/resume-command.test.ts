import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { posixQuote, powershellQuote } from '../base/shell-quote.ts'
import { cmdQuote, resumeCommand } from './resume-command.ts'

const hostile = [
  '/home/mira/shop',
  '/home/mira/my shop',
  "/it's/$(touch x)/`id`",
  '/a"b\\c;&&|<>*?[x]!#~',
  '=cat',
  '/tab\there\nand \u001b[31m red',
  '/bidi\u202e/地図/🏝️',
  "/mix'\u001b'\\",
]

describe('a quoted word', () => {
  it('is taken by bash as it was', () => {
    for (const text of hostile) {
      const { stdout } = spawnSync('bash', ['-c', `printf %s ${posixQuote(text)}`], { encoding: 'utf8' })
      expect(stdout).toBe(text)
    }
  })

  it('has no control character', () => {
    for (const text of hostile) {
      for (const quoted of [posixQuote(text), powershellQuote(text)]) {
        expect([...quoted].filter(character => character < ' ' || character === '\u202e')).toEqual([])
      }
    }
  })

  it('is quoted only where it has to be', () => {
    expect(posixQuote('/home/mira/shop-2.0')).toBe('/home/mira/shop-2.0')
    expect(powershellQuote("O'Brien\u2019s")).toBe("'O''Brien\u2019\u2019s'")
    expect(cmdQuote('C:\\Users\\Mira Doe\\100%')).toBe('"C:\\Users\\Mira Doe\\100"^%""')
    expect(() => cmdQuote('a"b')).toThrow('powershell')
  })
})

describe('the command that resumes', () => {
  it('is written for each shell', () => {
    expect(resumeCommand('posix', '/a b', 'id1')).toBe("cd '/a b' && claude --resume id1")
    expect(resumeCommand('fish', '/a b', 'id1')).toBe("cd '/a b'; and claude --resume id1")
    expect(resumeCommand('powershell', 'C:\\a b', 'id1')).toBe(
      "Set-Location -LiteralPath 'C:\\a b'; if ($?) { claude --resume id1 }",
    )
    expect(resumeCommand('cmd', 'C:\\a b', 'id1')).toBe('cd /d "C:\\a b" && claude --resume id1')
  })

  it('takes neither folder nor id for an option', () => {
    expect(resumeCommand('posix', '-x', '-rf')).toBe('cd -- -x && claude --resume=-rf')
    expect(resumeCommand('posix', null, 'id1')).toBe('claude --resume id1')
  })
})

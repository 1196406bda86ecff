import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withFolder } from '../home.ts'
import { clew, type Result } from './run.ts'

const config = (home: string, ...words: string[]): Result => clew(['config', ...words, '--home', home])

describe('clew config', () => {
  it('sets, gets, lists and removes values', async () => {
    await withFolder(folder => {
      const home = join(folder, 'own')
      expect(config(home, 'get', 'timezone')).toMatchObject({ stdout: '', code: 1 })
      expect(config(home, 'set', 'timezone', 'Europe/Berlin')).toMatchObject({
        stdout: 'timezone set to Europe/Berlin\n',
        code: 0,
      })
      expect(config(home, 'get', 'timezone')).toMatchObject({ stdout: 'Europe/Berlin\n', code: 0 })
      config(home, 'set', 'roots', 'logs', '~/.claude')
      expect(config(home, 'get', 'roots').stdout).toBe(`${resolve('logs')}\n~/.claude\n`)
      const listed = JSON.parse(config(home, 'list', '--json').stdout)
      expect(listed.config).toEqual({ timezone: 'Europe/Berlin', roots: [resolve('logs'), '~/.claude'] })
      expect(JSON.parse(readFileSync(listed.path, 'utf8'))).toEqual(listed.config)
      expect(config(home, 'unset', 'roots').code).toBe(0)
      expect(config(home).stdout).toMatch(/^timezone +Europe\/Berlin$/m)
      if (process.platform !== 'win32') expect(statSync(listed.path).mode & 0o777).toBe(0o600)
    })
  })

  it('keeps comments and keys that it does not know', async () => {
    await withFolder(home => {
      const text = '{\n  // where I live\n  "timezone": "UTC",\n  "mine": [1, 2]\n}\n'
      writeFileSync(join(home, 'config.json'), text)
      expect(config(home, 'get', 'timezone').stdout).toBe('UTC\n')
      config(home, 'set', 'timezone', 'Europe/Berlin')
      expect(readFileSync(join(home, 'config.json'), 'utf8')).toBe(text.replace('UTC', 'Europe/Berlin'))
      config(home, 'unset', 'timezone')
      expect(readFileSync(join(home, 'config.json'), 'utf8')).toContain('// where I live')
    })
  })

  it('says where the file is, and makes none by looking', async () => {
    await withFolder(folder => {
      const home = join(folder, 'own')
      expect(config(home, 'path').stdout.trim()).toBe(join(home, 'config.json'))
      expect(clew(['config', 'path'], { env: { CLEW_HOME: home } }).stdout.trim()).toBe(join(home, 'config.json'))
      config(home, 'list')
      expect(existsSync(home)).toBe(false)
    })
  })

  it.each([
    [
      ['set', 'colour', 'red'],
      'unknown key "colour"; the keys are roots, exclude, timezone, archive, theme, prices, unknownAs, weekStart, statusline',
    ],
    [['get', 'colour'], 'the keys are'],
    [['get'], 'missing key'],
    [['set', 'archive', 'often'], 'Invalid archive "often". Choices: auto, manual, off'],
    [['set', 'timezone', 'Mars/Base'], 'Invalid time zone "Mars/Base"'],
    [['set', 'timezone'], 'missing value'],
    [['frob'], 'unknown command "frob"; use list, path, get, set or unset'],
    [['path', 'x'], 'too many arguments'],
  ])('refuses %j with one line that says what would work', async (words, says) => {
    await withFolder(folder => {
      const { stdout, stderr, code } = config(join(folder, 'own'), ...words)
      expect([stdout, code]).toEqual(['', 2])
      expect(stderr.trim().split('\n')).toHaveLength(1)
      expect(stderr).toContain(says)
      expect(existsSync(join(folder, 'own'))).toBe(false)
    })
  })
})

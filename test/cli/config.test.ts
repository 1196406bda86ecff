import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withFolder } from '../home.ts'
import { clewHere, type Result } from './run.ts'

const config = (home: string, ...words: string[]): Promise<Result> => clewHere(['config', ...words, '--home', home])

describe('clew config', () => {
  it('sets, gets, lists and removes values', async () => {
    await withFolder(async folder => {
      const home = join(folder, 'own')
      expect(await config(home, 'get', 'timezone')).toMatchObject({ stdout: '', code: 1 })
      expect(await config(home, 'set', 'timezone', 'Europe/Berlin')).toMatchObject({
        stdout: 'timezone set to Europe/Berlin\n',
        code: 0,
      })
      expect(await config(home, 'get', 'timezone')).toMatchObject({ stdout: 'Europe/Berlin\n', code: 0 })
      await config(home, 'set', 'roots', 'logs', '~/.claude')
      expect((await config(home, 'get', 'roots')).stdout).toBe(`${resolve('logs')}\n~/.claude\n`)
      const listed = JSON.parse((await config(home, 'list', '--json')).stdout)
      expect(listed.config).toEqual({ timezone: 'Europe/Berlin', roots: [resolve('logs'), '~/.claude'] })
      expect(JSON.parse(readFileSync(listed.path, 'utf8'))).toEqual(listed.config)
      expect((await config(home, 'unset', 'roots')).code).toBe(0)
      expect((await config(home)).stdout).toMatch(/^timezone +Europe\/Berlin$/m)
      if (process.platform !== 'win32') expect(statSync(listed.path).mode & 0o777).toBe(0o600)
    })
  })

  it('says once why it cannot be understood', () =>
    withFolder(async home => {
      writeFileSync(join(home, 'config.json'), '{bad')
      for (const words of [['list'], ['list', '--quiet'], ['set', 'timezone', 'UTC']])
        expect((await config(home, ...words)).stderr.match(/is not a JSON object/g)).toHaveLength(1)
    }))

  it('keeps comments and keys that it does not know', async () => {
    await withFolder(async home => {
      const text = '{\n  // where I live\n  "timezone": "UTC",\n  "mine": [1, 2]\n}\n'
      writeFileSync(join(home, 'config.json'), text)
      expect((await config(home, 'get', 'timezone')).stdout).toBe('UTC\n')
      await config(home, 'set', 'timezone', 'Europe/Berlin')
      expect(readFileSync(join(home, 'config.json'), 'utf8')).toBe(text.replace('UTC', 'Europe/Berlin'))
      await config(home, 'unset', 'timezone')
      expect(readFileSync(join(home, 'config.json'), 'utf8')).toContain('// where I live')
    })
  })

  it('says where the file is, and makes none by looking', async () => {
    await withFolder(async folder => {
      const home = join(folder, 'own')
      expect((await config(home, 'path')).stdout.trim()).toBe(join(home, 'config.json'))
      expect((await clewHere(['config', 'path'], { env: { CLEW_HOME: home } })).stdout.trim()).toBe(
        join(home, 'config.json'),
      )
      await config(home, 'list')
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
    await withFolder(async folder => {
      const { stdout, stderr, code } = await config(join(folder, 'own'), ...words)
      expect([stdout, code]).toEqual(['', 2])
      expect(stderr.trim().split('\n')).toHaveLength(1)
      expect(stderr).toContain(says)
      expect(existsSync(join(folder, 'own'))).toBe(false)
    })
  })
})

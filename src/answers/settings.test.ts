import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { clewHome } from '../disk/clew-home.ts'
import { configPath } from '../disk/config-file.ts'
import { excludeRules } from './archive-mode.ts'
import { settingsOf } from './configured.ts'
import { configKey, readConfig, toConfigValue, writeConfig } from './settings.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clew-config-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('where Clew keeps its files', () => {
  const of = (platform: NodeJS.Platform, env: Record<string, string> = {}, named?: string) =>
    clewHome({ named, env, platform, homeDir: '/home/ada' })

  test('is what was named, else what the environment says, else the data directory of the platform', () => {
    expect(of('linux', { CLEW_HOME: '/srv/clew' }, '~/own')).toBe(resolve('/home/ada/own'))
    expect(of('linux', { CLEW_HOME: '/srv/clew' })).toBe('/srv/clew')
    expect(of('linux')).toBe('/home/ada/.local/share/clew')
    expect(of('linux', { XDG_DATA_HOME: '/data' })).toBe('/data/clew')
    expect(of('linux', { XDG_DATA_HOME: 'relative' })).toBe('/home/ada/.local/share/clew')
    expect(of('linux', { CLEW_HOME: '' })).toBe('/home/ada/.local/share/clew')
    expect(of('darwin')).toBe('/home/ada/Library/Application Support/clew')
    expect(of('win32', { LOCALAPPDATA: 'X' })).toBe(join('X', 'clew'))
  })
})

describe('the file', () => {
  test('is empty where there is none, and keeps what it does not know', () => {
    const home = join(folder, 'new', 'deep')
    expect(readConfig(home)).toEqual({})
    writeConfig(home, 'timezone', 'UTC')
    writeFileSync(configPath(home), JSON.stringify({ timezone: 'UTC', future: { a: 1 } }))
    writeConfig(home, 'archive', 'off')
    writeConfig(home, 'timezone', undefined)
    expect(readConfig(home)).toEqual({ future: { a: 1 }, archive: 'off' })
  })

  test('is for its owner alone, and nothing is left next to it', { tags: 'posix' }, () => {
    const home = join(folder, 'own')
    writeConfig(home, 'timezone', 'UTC')
    expect(readdirSync(home)).toEqual(['config.json'])
    expect(statSync(home).mode & 0o777).toBe(0o700)
    expect(statSync(configPath(home)).mode & 0o777).toBe(0o600)
  })

  test('that is broken is an error with its path, and never stops other commands', () => {
    writeFileSync(configPath(folder), '{"roots": [')
    expect(() => readConfig(folder)).toThrow(configPath(folder))
    expect(settingsOf({ home: folder })).toMatchObject({ roots: [], isBroken: true })
    expect(settingsOf({ home: folder }).faults).toEqual([
      `${configPath(folder)} is not a JSON object; fix or remove it`,
    ])
    expect(() => writeConfig(folder, 'timezone', 'UTC')).toThrow('not a JSON object')
    expect(readFileSync(configPath(folder), 'utf8')).toBe('{"roots": [')
  })

  test.each([
    { exclude: 5 },
    { exclude: { a: 1 } },
    { exclude: null },
    { exclude: [['/a']] },
    { exclude: ['/a', 5] },
    { archive: 'of' },
  ])('that cannot be understood where it may forbid archiving, forbids all: %j', wrong => {
    const [key] = Object.keys(wrong)
    writeFileSync(configPath(folder), JSON.stringify({ archive: 'auto', ...wrong }))
    expect(settingsOf({ home: folder }).archive.mode).toBe('manual')
    expect(() => excludeRules({ home: folder })).toThrow(`${key} in the config: `)
  })

  test('that cannot be written is one line, and leaves nothing behind', () => {
    const blocked = join(folder, 'file')
    writeFileSync(blocked, '')
    expect(() => writeConfig(join(blocked, 'sub'), 'timezone', 'UTC')).toThrow(/^cannot write .*config\.json \(E/)
    mkdirSync(join(folder, 'taken', 'config.json'), { recursive: true })
    chmodSync(join(folder, 'taken'), 0o700)
    expect(() => writeConfig(join(folder, 'taken'), 'timezone', 'UTC')).toThrow(/cannot (read|write)/)
    expect(readdirSync(join(folder, 'taken'))).toEqual(['config.json'])
  })

  test('gives roots and time zone to other commands, as far as they make sense', () => {
    writeFileSync(configPath(folder), JSON.stringify({ roots: ['/a', 7, '/b'], timezone: 'Europe/Berlin' }))
    expect(settingsOf({ home: folder })).toMatchObject({
      roots: ['/a', '/b'],
      timezone: 'Europe/Berlin',
      faults: ['roots in the config: it is not a list of texts'],
    })
    writeFileSync(configPath(folder), JSON.stringify({ roots: '/a', timezone: 'Mars' }))
    const { roots, timezone, faults } = settingsOf({ home: folder })
    expect({ roots, timezone, faults }).toEqual({
      roots: ['/a'],
      timezone: undefined,
      faults: ['timezone in the config: Invalid time zone "Mars". Examples: Europe/Berlin, UTC'],
    })
  })
})

describe('a value', () => {
  test('is checked before it is stored', () => {
    expect(() => configKey('colour')).toThrow(
      'the keys are roots, exclude, timezone, archive, theme, prices, unknownAs, weekStart, statusline',
    )
    expect(() => toConfigValue(configKey('archive'), ['sometimes'])).toThrow(
      'Invalid archive "sometimes". Choices: auto, manual, off',
    )
    expect(() => toConfigValue(configKey('timezone'), ['Mars'])).toThrow('Invalid time zone "Mars"')
    expect(() => toConfigValue(configKey('timezone'), ['UTC', 'UTC'])).toThrow('takes one value')
    expect(() => toConfigValue(configKey('roots'), [])).toThrow('missing value')
    expect(() => toConfigValue(configKey('statusline'), [' '])).toThrow('cannot be empty')
  })

  test('that is a relative path is stored as an absolute one; a tilde stays', () => {
    expect(toConfigValue(configKey('roots'), ['logs', '~/.claude'])).toEqual([resolve('logs'), '~/.claude'])
  })
})

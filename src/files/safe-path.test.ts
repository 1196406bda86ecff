import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestHome } from '../../test/home.ts'
import fc from '../../test/property.ts'
import { ownRelative, pathBelow, safeRelative, UnsafePathError } from './safe-path.ts'

describe('safeRelative', () => {
  it.each([
    '',
    '.',
    './',
    './/./',
    '/',
    '//',
    '/etc/passwd',
    '//server/share/x',
    '\\\\server\\share\\x',
    '\\\\?\\C:\\x',
    '\\\\.\\pipe\\x',
    '\\windows',
    'C:\\windows',
    'C:/windows',
    'c:x',
    'a/C:/x',
    '..',
    '../x',
    '..\\x',
    './../x',
    'a/../b',
    'a/..',
    'a\\..\\..\\b',
    'a/b/../../../c',
    '.. /x',
    '.../x',
    'a/.. ',
    'a\0b',
    'a\nb',
    'a\x1b[31mb',
    'a\x7fb',
    'a\x85b',
    'a/con',
    'CON.txt',
    'nul',
    'x/aux.tar.gz',
    'Prn .txt',
    'com1',
    'COM¹.log',
    'lpt9',
    'conin$',
    'CONOUT$',
    'file.txt:stream',
    'file.txt::$DATA',
    'a./b',
    'name.',
    'name ',
    'a /b',
    '\ud800',
    'a\udc00b/c',
    `${'x'.repeat(256)}/a`,
    'é'.repeat(128),
    Array(65).fill('a').join('/'),
  ])('refuses %j', path => {
    expect(safeRelative(path)).toBeNull()
  })

  it.each([
    ['a', 'a'],
    ['./a', 'a'],
    ['././a/./b', 'a/b'],
    ['a//b/', 'a/b'],
    ['a\\b\\c', 'a/b/c'],
    ['.claude/projects/-home-x/1.jsonl', '.claude/projects/-home-x/1.jsonl'],
    ['..a/b..c', '..a/b..c'],
    ['-rf', '-rf'],
    ['~/x', '~/x'],
    ['console/auxiliary/null/com10/lpt', 'console/auxiliary/null/com10/lpt'],
    [' lead/grüße 🎉', ' lead/grüße 🎉'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [Array(64).fill('a').join('/'), Array(64).fill('a').join('/')],
  ])('takes %j', (path, expected) => {
    expect(safeRelative(path)).toBe(expected)
  })

  it('never gives a path that leaves the folder, and always one that it would take again', () => {
    const unit = fc.constantFrom('a', '.', '..', '/', '\\', ':', ' ', 'C', '\0', 'con', '//', '%2e')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), path => {
        const safe = safeRelative(path)
        if (safe === null) return
        expect(join('/root/x', safe).startsWith('/root/x/')).toBe(true)
        expect(safeRelative(safe)).toBe(safe)
      }),
      { numRuns: 3000 },
    )
  })
})

describe('ownRelative', () => {
  it.each([
    '',
    '/',
    '/etc/passwd',
    '..',
    '../x',
    'a/../b',
    'a/..',
    './a',
    'a//b',
    'a/',
    'a\0b',
    '\ud800',
    'é'.repeat(128),
  ])('refuses %j on every platform', path => {
    expect(ownRelative(path, 'linux')).toBeNull()
    if (!['./a', 'a//b', 'a/'].includes(path)) expect(ownRelative(path, 'win32')).toBeNull()
  })

  it.each(['tool-results/mcp:x.txt', 'a\\b', 'name.', 'con', 'line\nbreak', '...', 'a/.hidden'])(
    'takes %j, which is legal here',
    path => {
      expect(ownRelative(path, 'linux')).toBe(path)
    },
  )

  it('is as strict as for foreign names where such names mean something else', () => {
    for (const path of ['..\\x', 'C:\\x', 'a:b', 'nul']) expect(ownRelative(path, 'win32')).toBeNull()
  })
})

describe('pathBelow', () => {
  let folder: TestHome
  beforeEach(async () => {
    folder = new TestHome()
    folder.write('root/real/file', 'x')
    await mkdir(folder.at('outside'))
  })
  afterEach(() => folder.remove())

  const below = (relative: string) => pathBelow(folder.at('root'), relative)

  it('joins what may be written, whether it exists or not', async () => {
    expect(await below('real/file')).toBe(folder.at('root/real/file'))
    expect(await below('./real')).toBe(folder.at('root/real'))
    expect(await below('new/deeper\\file')).toBe(folder.at('root/new/deeper/file'))
  })

  it('refuses names that are not safe', async () => {
    for (const path of ['../x', '/etc/passwd', '', 'a\0']) await expect(below(path)).rejects.toThrow(UnsafePathError)
  })

  it('refuses links on the way and at the end, dangling ones too', async () => {
    await symlink(folder.at('outside'), folder.at('root/link'))
    await symlink(folder.at('outside/absent'), folder.at('root/real/dangling'))
    await symlink('real', folder.at('root/inside'))
    for (const path of ['link', 'link/x', 'link/deep/x', 'real/dangling', 'inside/file'])
      await expect(below(path)).rejects.toThrow(/symbolic link/)
  })

  it('refuses a file where a folder is needed', async () => {
    await expect(below('real/file/x')).rejects.toThrow(/not a folder/)
  })

  it('takes a root that is itself reached through a link', async () => {
    await symlink(folder.at('root'), folder.at('alias'))
    expect(await pathBelow(folder.at('alias'), 'real/file')).toBe(folder.at('alias/real/file'))
  })
})

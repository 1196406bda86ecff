// Clew's own folder where it is not what it should be: a link, a file, a FIFO, unreadable, full; and what killed processes left in
// it. Commands work, or end with one clear error that is the same in all of them. A status line is printed whatever it is.

import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { leftovers } from '../../src/index/store/open.ts'
import { withFolder } from '../home.ts'
import { clewHere, mainFile } from './run.ts'

const samples = resolve('samples/home')
/** Commands that end by themselves. */
const asked: readonly string[][] = [
  ['ls', '-n', '1'],
  ['search', 'harbour'],
  ['grep', 'map'],
  ['show', 'last'],
  ['stats'],
  ['usage', 'daily'],
  ['history'],
  ['doctor'],
  ['config'],
  ['archive', 'status'],
  ['index', 'status'],
  ['index', 'refresh'],
  ['index', 'verify'],
  ['forget', 'last', '--yes'],
  [],
]

const makeFifo = (path: string) => execFileSync('mkfifo', [path])

describe('a place of its own that is no folder', { tags: 'posix' }, () => {
  const kinds: Readonly<Record<string, (path: string) => void>> = {
    'a file': path => writeFileSync(path, 'x'),
    'a FIFO': makeFifo,
    'a link to a file': path => {
      writeFileSync(`${path}.file`, 'x')
      symlinkSync(`${path}.file`, path)
    },
    'a link that leads nowhere': path => symlinkSync('nowhere', path),
  }
  for (const [name, make] of Object.entries(kinds)) {
    it(`is the same error in every command: ${name}`, async () => {
      await withFolder(async folder => {
        const home = join(folder, 'clew')
        make(home)
        const errors = new Set<string>()
        for (const words of asked) {
          const { code, stdout, stderr } = await clewHere([...words, '--root', samples, '--home', home])
          expect([code, stdout], words.join(' ')).toEqual([2, ''])
          errors.add(stderr)
        }
        expect([...errors]).toEqual([
          expect.stringMatching(/^clew: .*clew.* is where Clew keeps its own files, but it is /),
        ])
      })
    })
  }

  it('is the folder that a link leads to', async () => {
    await withFolder(async folder => {
      mkdirSync(join(folder, 'disk'))
      symlinkSync('disk', join(folder, 'clew'))
      const ask = (...words: string[]) => clewHere([...words, '--root', samples, '--home', join(folder, 'clew')])
      expect((await ask('index', 'refresh')).code).toBe(0)
      expect((await ask('search', 'map')).code).toBe(0)
      expect((await ask('archive', 'run')).code).toBe(0)
      expect((await ask('index', 'verify')).stdout).toContain('equal')
      expect(readdirSync(join(folder, 'disk')).sort()).toEqual(['archive', 'index'])
    })
  })
})

describe('a folder in the place of index/current', () => {
  it('is no index; an empty one is replaced, another one is named', async () => {
    await withFolder(async folder => {
      const current = join(folder, 'clew/index/current')
      mkdirSync(current, { recursive: true })
      const ask = (...words: string[]) => clewHere([...words, '--root', samples, '--home', join(folder, 'clew')])
      for (const words of asked.slice(0, 11)) {
        const { stderr } = await ask(...words)
        expect(stderr, words.join(' ')).not.toMatch(/EISDIR|illegal operation/)
      }
      expect((await ask('search', 'map')).code).toBe(0)
      expect((await ask('index', 'status')).code).toBe(0)
    })
    await withFolder(async folder => {
      const current = join(folder, 'clew/index/current')
      mkdirSync(join(current, 'something'), { recursive: true })
      const ask = (...words: string[]) => clewHere([...words, '--root', samples, '--home', join(folder, 'clew')])
      for (const words of [
        ['search', 'map'],
        ['index', 'refresh'],
        ['index', 'rebuild'],
      ]) {
        const { code, stderr } = await ask(...words)
        expect(code).toBe(2)
        expect(stderr).toBe(
          `clew: ${current} is a folder with something in it; remove it, and the next command builds the index\n`,
        )
      }
      expect((await ask('ls')).code).toBe(0)
    })
  })
})

describe('what a killed first refresh left', () => {
  it('is removed by the next command that would use an index', async () => {
    for (const words of [
      ['ls'],
      ['search', 'map'],
      ['usage', 'daily'],
      ['stats'],
      ['index', 'status'],
      ['grep', 'map'],
    ]) {
      await withFolder(async folder => {
        const home = join(folder, 'clew')
        mkdirSync(join(home, 'index'), { recursive: true })
        const names = ['0123456789ab.sqlite', '0123456789ab.sqlite-journal', 'current.tmp-1-0123abcd']
        for (const name of names) writeFileSync(join(home, 'index', name), 'some words')
        await clewHere([...words, '--root', samples, '--home', home])
        expect(leftovers(home), words.join(' ')).toEqual([])
        for (const name of names) expect(existsSync(join(home, 'index', name))).toBe(false)
      })
    }
  })

  it('is removed when a session is forgotten', async () => {
    await withFolder(async folder => {
      const home = join(folder, 'clew')
      const ask = (...words: string[]) => clewHere([...words, '--root', samples, '--home', home])
      await ask('archive', 'run')
      mkdirSync(join(home, 'index'), { recursive: true })
      writeFileSync(join(home, 'index/0123456789ab.sqlite'), 'some words')
      const { code, stderr } = await ask('forget', 'last', '--yes')
      expect(code, stderr).toBe(0)
      expect(readdirSync(join(home, 'index'))).toEqual([])
    })
  })
})

describe('clew statusline', { tags: 'posix' }, () => {
  const input = JSON.stringify({ model: { display_name: 'Opus' }, cost: { total_cost_usd: 2.5 } })

  /** With and without what makes it load all that other commands need; in a process, which may hang. */
  function expectLine(home: string): void {
    for (const more of [[], ['--parts', 'model session today']]) {
      const env = { CLEW_HOME: home, CLAUDE_CONFIG_DIR: samples }
      const options = {
        input,
        env: { ...process.env, ...env, NO_COLOR: '1' },
        encoding: 'utf8',
        timeout: 30_000,
      } as const
      const { status, stdout, stderr } = spawnSync(process.execPath, [mainFile, 'statusline', ...more], options)
      expect([status, stderr]).toEqual([0, ''])
      expect(stdout).toMatch(/^Opus · \$2\.50 session · [^\n]+\n$/)
    }
  }

  const places: Readonly<Record<string, (home: string) => void>> = {
    'is not there': () => {},
    'is a file': home => writeFileSync(home, 'x'),
    'is a FIFO': makeFifo,
    'is a link that leads nowhere': home => symlinkSync('nowhere', home),
    'is a link to itself': home => symlinkSync('clew', home),
    'has FIFOs for files': home => {
      mkdirSync(home)
      makeFifo(join(home, 'config.json'))
      makeFifo(join(home, 'statusline'))
    },
    'has a FIFO for prices': home => {
      mkdirSync(home)
      makeFifo(join(home, 'prices.json'))
      writeFileSync(join(home, 'config.json'), JSON.stringify({ prices: join(home, 'prices.json') }))
    },
    'has folders for files': home => {
      mkdirSync(join(home, 'config.json'), { recursive: true })
      writeFileSync(join(home, 'statusline'), '')
      mkdirSync(join(home, 'archive/manifest'), { recursive: true })
    },
    'has FIFOs for states': home => {
      mkdirSync(home)
      expectLine(home)
      for (const name of readdirSync(join(home, 'statusline'))) {
        execFileSync('rm', [join(home, 'statusline', name)])
        makeFifo(join(home, 'statusline', name))
      }
    },
  }
  for (const [name, make] of Object.entries(places)) {
    it(`prints its line where Clew's own folder ${name}`, async () => {
      await withFolder(folder => {
        make(join(folder, 'clew'))
        expectLine(join(folder, 'clew'))
      })
    })
  }

  it('prints its line where nothing can be made in the folder, whatever Node tries', { tags: 'linux' }, () =>
    expectLine('/proc'),
  )

  it('prints its line where the folder may not be read', { tags: 'user' }, async () => {
    await withFolder(folder => {
      const home = join(folder, 'clew')
      mkdirSync(home)
      chmodSync(home, 0)
      expectLine(home)
      chmodSync(home, 0o700)
    })
  })

  it('prints its line where the disk is full', { tags: 'mount' }, async () => {
    await withFolder(folder => {
      const disk = join(folder, 'disk')
      mkdirSync(disk)
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk])
      try {
        mkdirSync(join(disk, 'clew'))
        execFileSync('sh', ['-c', `cat /dev/zero > ${disk}/ballast 2> /dev/null || true`])
        expectLine(join(disk, 'clew'))
      } finally {
        execFileSync('umount', [disk])
      }
    })
  })
})

// How commands use the index: what they need no log for, what they find through it, and what they do where it cannot be had.

import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Clew } from '../../src/answers/clew.ts'
import { closeIndex, indexFor, wasRefreshed } from '../../src/answers/knows/index-use.ts'
import { openClew } from '../../src/answers/open.ts'
import { detailOf } from '../../src/answers/session/detail.ts'
import { sessionOf } from '../../src/answers/sessions/find.ts'
import { run as doctor } from '../../src/cli/commands/doctor.ts'
import { run as index } from '../../src/cli/commands/index.ts'
import { run as ls } from '../../src/cli/commands/ls.ts'
import { run as overview } from '../../src/cli/commands/overview.ts'
import { run as search } from '../../src/cli/commands/search.ts'
import { run as stats } from '../../src/cli/commands/stats.ts'
import { run as tree } from '../../src/cli/commands/tree.ts'
import { noteClosed, noteDamaged } from '../../src/index/store/closed.ts'
import { currentPath } from '../../src/index/store/open.ts'
import { Database } from '../../src/index/store/port.ts'
import type { ByteSource } from '../../src/model/source.ts'
import { loadSession } from '../../src/session/load.ts'
import { sampleIds, samples } from '../home.ts'
import { type Fixture, lockText, withFixture } from './archive-fixture.ts'
import { type CommandHome, withHomes } from './command-home.ts'
import { mainFile } from './run.ts'

const fork = 'e63f670d'

function openedOn(home: CommandHome, { index = true }: { index?: boolean } = {}): Promise<Clew> {
  return openClew({ roots: home.roots, home: home.own, index })
}

/** Does something to the database in use, as its own writer would; or notes that it was found damaged. */
function spoil(home: CommandHome, act: (db: Database) => void, how: 'closed' | 'damaged' = 'closed'): void {
  const path = currentPath(home.own) ?? ''
  const db = new Database(path)
  act(db)
  db.close()
  if (how === 'closed') noteClosed(path)
  else noteDamaged(path)
}

/** Fails whoever reads a byte. */
const unreadable: ByteSource = {
  read() {
    throw new Error('a log was read')
  },
  readSync() {
    throw new Error('a log was read')
  },
}

describe('with an index', () => {
  it('lists and numbers need no log', async () => {
    await withHomes([samples], async home => {
      await home.refresh()
      const source = unreadable
      for (const command of [ls, stats, overview]) {
        const { code, stdout } = await home.run(command, { json: true, source })
        expect(code).toBe(0)
        expect(stdout).not.toBe('')
      }
      const one = await home.run(stats, { args: [fork], json: true, source })
      expect(JSON.parse(one.stdout).sessions).toBe(1)
    })
  })

  it('sessions are named by beginning, title and `last` as without one', async () => {
    await withHomes([samples], async home => {
      await home.refresh()
      const rows: { id: string; title: string }[] = JSON.parse((await home.run(ls, { json: true })).stdout).sessions
      const titles = rows.map(row => row.title)
      const alone = rows.filter(row => titles.filter(title => title === row.title).length === 1).slice(0, 5)
      for (const name of ['last', fork, ...alone.map(row => row.title)]) {
        const [one, other] = [await openedOn(home), await openedOn(home, { index: false })]
        expect((await sessionOf(name, one)).id).toBe((await sessionOf(name, other)).id)
        await closeIndex(one)
      }
      const clew = await openedOn(home)
      await expect(sessionOf('o', clew)).rejects.toThrow('matches several sessions')
      await expect(sessionOf('no such session', clew)).rejects.toThrow('no session matches')
      await closeIndex(clew)
    })
  })

  it('kin is found in other folders, however large they are', async () => {
    await withHomes([samples], async home => {
      const projects = join(home.home, 'projects')
      const paths = readdirSync(projects, { recursive: true, encoding: 'utf8' })
      const path = paths.find(name => name.includes(`/${fork}`) && name.endsWith('.jsonl')) ?? ''
      const elsewhere = join(projects, '-home-mira-elsewhere')
      mkdirSync(elsewhere)
      renameSync(join(projects, path), join(elsewhere, path.split('/').at(-1) ?? ''))
      await home.refresh()
      const lineageWith = async (usesIndex: boolean) => {
        const clew = await openedOn(home, { index: usesIndex })
        const session = await sessionOf(fork, clew)
        const graph = await loadSession(clew.source, session)
        const detail = await detailOf(graph, session, clew, 1)
        await closeIndex(clew)
        return detail
      }
      expect((await lineageWith(false)).lineage).toEqual([])
      const { lineage, diagnostics } = await lineageWith(true)
      expect(lineage).toHaveLength(1)
      expect(diagnostics.map(finding => finding.code)).not.toContain('lineage-not-searched')
      const original = lineage[0]?.session ?? ''
      expect((await home.run(tree, { args: [original] })).stdout).toContain(fork)
      expect((await home.run(tree, { args: [original], usesIndex: false })).stdout).toContain(fork)
    })
  })

  it('what a refresh archived is not archived a second time', async () => {
    await withHomes([samples], async home => {
      await home.refresh()
      const clew = await openedOn(home)
      expect(wasRefreshed(clew)).toBe(false)
      expect(await indexFor(clew)).not.toBeNull()
      expect(wasRefreshed(clew)).toBe(true)
      await closeIndex(clew)
      const without = await openedOn(home, { index: false })
      expect(await indexFor(without)).toBeNull()
      expect(wasRefreshed(without)).toBe(false)
    })
  })

  it('a list says that it is from before where another one refreshes', async () => {
    await withHomes([samples], async home => {
      await home.refresh()
      const before = await home.run(ls, { json: true })
      writeFileSync(join(home.own, 'index', 'lock'), lockText())
      const unchanged = await home.run(ls, { json: true })
      expect(unchanged.stderr).toBe('')
      const [root = ''] = home.roots
      const now = new Date()
      utimesSync(join(root, 'history.jsonl'), now, now)
      const stale = await home.run(ls, { json: true })
      expect(stale.stderr).toContain('another clew is refreshing the index; these results are from the last refresh')
      expect(stale.stdout).toBe(before.stdout)
    })
  })

  it('is verified without a false alarm after another root was used', async () => {
    await withHomes([samples, samples], async home => {
      const [one = '', other = ''] = home.roots
      rmSync(join(other, 'projects', '-home-mira-bakery'), { recursive: true })
      await home.refresh({ root: [one] })
      await home.refresh({ root: [other] })
      for (const root of [one, other]) {
        const { code, stdout } = await home.run(index, { args: ['verify'], root: [root] })
        expect([code, stdout]).toEqual([0, 'the index is equal to a rebuilt one\n'])
      }
    })
  })

  it('is verified without archiving a home that is only named', async () => {
    await withHomes([samples], async home => {
      writeFileSync(join(home.own, 'config.json'), '{"archive":"auto"}')
      await home.run(search, { args: ['tart'], root: home.roots })
      expect((await home.run(index, { args: ['verify'], root: home.roots })).code).toBe(0)
      expect(existsSync(join(home.own, 'archive'))).toBe(false)
    })
  })

  it('one of an older version is rebuilt without a word, and a damaged one with one', async () => {
    await withHomes([samples], async home => {
      await home.refresh()
      const find = async () => {
        const { stdout, stderr } = await home.run(search, { args: ['croissant'], json: true })
        return { hits: JSON.parse(stdout).hits, stderr }
      }
      const before = await find()
      expect(before.hits).not.toEqual([])
      spoil(home, db => db.exec('PRAGMA user_version = 1'))
      expect(await find()).toEqual({ hits: before.hits, stderr: '' })
      spoil(home, () => {}, 'damaged')
      expect(await find()).toEqual({ hits: before.hits, stderr: 'clew: the index was damaged and was rebuilt\n' })
    })
  })

  it('a damaged one is not an answer: files are read, and doctor says so', async () => {
    await withHomes([samples], async home => {
      await home.refresh()
      const { stdout: healthy } = await home.run(doctor, { json: true })
      const report = JSON.parse(healthy)
      expect(report.index).toMatchObject({ isDamaged: false, pendingBytes: 0, isOnNetwork: false, leftovers: [] })
      expect(report.own.index).toBe(report.index.path)
      expect((await home.run(doctor)).stdout).toContain('up to date')
      for (const end of ['-wal', '-shm']) rmSync(report.index.path + end, { force: true })
      writeFileSync(report.index.path, Buffer.alloc(40_000, 1))
      const leftover = join(home.own, 'index', '0123456789ab.sqlite')
      cpSync(report.index.path, leftover)
      const { stdout } = await home.run(doctor, { json: true })
      await home.expectSame(ls, { json: true })
      // The next command that opens the index removes it.
      expect(existsSync(leftover)).toBe(false)
      const codes = JSON.parse(stdout).problems.map((problem: { code: string }) => problem.code)
      expect(codes).toContain('index-damaged')
      expect(codes).toContain('index-leftovers')
      expect((await home.run(doctor)).stdout).toContain('clew index rebuild')
    })
  })
})

/** From the index and from the files. */
async function expectSameOutput(fixture: Fixture, ...args: string[]): Promise<void> {
  const fromIndex = await fixture.clew(...args)
  const fromFiles = await fixture.clew(...args, '--no-index')
  expect(fromIndex.stdout, args.join(' ')).toBe(fromFiles.stdout)
  expect(fromIndex.code).toBe(fromFiles.code)
}

const usual = [['ls'], ['ls', 'projects'], ['stats'], ['history'], []].map(words => [...words, '--json'])

describe('the usual homes', () => {
  it('are reported as from files, also when all of their files are gone', { timeout: 120_000 }, async () => {
    await withFixture(async fixture => {
      expect((await fixture.copy().clew('index', 'refresh')).code).toBe(0)
      for (const args of usual) await expectSameOutput(fixture, ...args)
      rmSync(fixture.log(sampleIds.prices))
      for (const args of usual) await expectSameOutput(fixture, ...args)
      rmSync(fixture.home, { recursive: true })
      mkdirSync(fixture.home)
      for (const args of usual) await expectSameOutput(fixture, ...args)
    })
  })

  it('are left out where a setting names another one', { timeout: 120_000 }, async () => {
    await withFixture(async fixture => {
      await fixture.copy().clew('index', 'refresh')
      const other = fixture.path('other')
      cpSync(join(fixture.home, 'projects'), join(other, 'projects'), { recursive: true })
      rmSync(join(other, 'projects', '-home-mira-bakery'), { recursive: true })
      for (const env of [{ CLAUDE_CONFIG_DIR: other }, {}]) {
        Object.assign(fixture.env, { CLAUDE_CONFIG_DIR: '' }, env)
        for (const args of [['ls', '--json'], ['--json']]) await expectSameOutput(fixture, ...args)
      }
      await fixture.clew('config', 'set', 'roots', other)
      for (const args of usual) await expectSameOutput(fixture, ...args)
    })
  })

  it('are the bundled sample history where there are none', { timeout: 60_000 }, async () => {
    await withFixture(async fixture => {
      fixture.isTerminal = true
      expect((await fixture.clew('index', 'refresh')).code).toBe(0)
      for (const [word] of usual)
        await expectSameOutput(fixture, ...(word === '--json' ? [] : [String(word)]), '--no-pager')
      expect((await fixture.clew('ls', '--no-pager')).stderr).toContain('the bundled sample history')
    })
  })
})

describe('without an index', () => {
  it('doctor says that there is none', async () => {
    await withHomes([samples], async home => {
      const { stdout } = await home.run(doctor, { json: true })
      expect(JSON.parse(stdout).index).toMatchObject({ path: null, bytes: 0, isDamaged: false })
      expect((await home.run(doctor)).stdout).toContain('to create one: clew index refresh')
    })
  })

  it('SQLite is not loaded, nor with --no-index', { timeout: 120_000 }, async () => {
    await withHomes([samples], async home => {
      const hook = join(home.folder, 'hook.cjs')
      const spy = 'const open = process.dlopen; process.dlopen = function (...all) {'
      writeFileSync(hook, `${spy} process.stderr.write('LOADED\\n'); return open.apply(this, all) }\n`)
      const env = { ...process.env, CLAUDE_CONFIG_DIR: home.home, CLEW_HOME: home.own, NO_COLOR: '1' }
      const run = (...args: string[]) =>
        spawnSync(process.execPath, ['-r', hook, mainFile, ...args], { encoding: 'utf8', env })
      for (const args of [['--version'], ['--help'], ['ls'], ['stats'], ['history']]) {
        expect(run(...args).stderr, args.join(' ')).not.toContain('LOADED')
      }
      expect(run('index', 'refresh').stderr).toContain('LOADED')
      expect(readFileSync(join(home.own, 'index', 'current'), 'utf8')).toMatch(/sqlite/)
      expect(run('ls').stderr).toContain('LOADED')
      for (const args of [['ls', '--no-index'], ['--no-index', 'stats'], ['--version'], ['schema']]) {
        expect(run(...args).stderr, args.join(' ')).not.toContain('LOADED')
      }
    })
  })
})

describe('homes that come and go', () => {
  const sessionsIn = async (fixture: Fixture) => JSON.parse((await fixture.clew('index', '--json')).stdout).sessions

  it('keeps what is indexed of a home that is not there, and names it', () =>
    withFixture(async fixture => {
      await fixture.copy().clew('index', 'refresh')
      const before = await sessionsIn(fixture)
      renameSync(fixture.home, `${fixture.home}-away`)
      for (const args of [['ls'], ['index', 'refresh']]) expect((await fixture.clew(...args)).code).toBe(0)
      expect(await sessionsIn(fixture)).toBe(before)
      expect((await fixture.clew('index')).stdout).toContain(`missing   ${fixture.home}: `)
      expect((await fixture.clew('index', 'verify')).stderr).toContain('is not there')
      renameSync(`${fixture.home}-away`, fixture.home)
      expect((await fixture.clew('index', 'verify')).code).toBe(0)
    }))

  it('says when a home that was named for once leaves', () =>
    withFixture(async fixture => {
      await fixture.copy().clew('index', 'refresh')
      const before = await sessionsIn(fixture)
      const other = fixture.path('other')
      cpSync(join(fixture.home, 'projects'), join(other, 'projects'), { recursive: true })
      await fixture.clew('--root', other, 'index', 'refresh')
      expect((await fixture.clew('ls')).stderr).toContain(`no longer indexed: ${other}, named with --root before\n`)
      expect((await fixture.clew('ls')).stderr).toBe('')
      expect(await sessionsIn(fixture)).toBe(before)
    }))
})

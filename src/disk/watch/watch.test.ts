import { appendFileSync, readdirSync, truncateSync } from 'node:fs'
import { appendFile, chmod, mkdir, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestHome } from '../../../test/home.ts'
import type { Finding } from '../../model/finding.ts'
import { discover } from '../discover/discover.ts'
import { type FileChange, type Watch, type WatchOptions, watchFiles } from './watch.ts'

const modes: [string, Partial<WatchOptions>][] = [
  ['by events of each folder', { isDeep: false, sweepMs: 60_000 }],
  ['by polling', { isPolling: true, pollMs: 20, sweepMs: 60_000 }],
]

let folder: TestHome
let watch: Watch
let reported: FileChange[]
let problems: Finding[]
beforeEach(async () => {
  folder = new TestHome()
  reported = []
  problems = []
})
afterEach(async () => {
  await watch?.close()
  folder.remove()
})

const way = (path: string) => relative(folder.home, path).split(sep).join('/')
const short = (changes: readonly FileChange[] = reported) => changes.map(change => `${change.what} ${way(change.path)}`)
const line = '{"type":"user"}\n'

async function start(options: Partial<WatchOptions> = {}): Promise<void> {
  watch = watchFiles({
    roots: [folder.home],
    ...options,
    onChange: changes => {
      expect(changes).not.toEqual([])
      reported.push(...changes)
    },
    onProblem: finding => problems.push(finding),
  })
  await watch.ready
  // A file system's clock stops for some milliseconds: files that are made and replaced within have one birth.
  await new Promise(done => setTimeout(done, 20))
}

async function until(isTrue: () => boolean, what = 'the change'): Promise<void> {
  const end = Date.now() + 50_000
  while (!isTrue()) {
    if (Date.now() > end) throw new Error(`${what} was not reported; reported: ${JSON.stringify(short())}`)
    await new Promise(done => setTimeout(done, 5))
  }
}

const untilReported = (text: string) => until(() => short().includes(text), text)

/** Nothing more is reported of what was reported already. */
async function quiet(): Promise<void> {
  await new Promise(done => setTimeout(done, 120))
  const before = reported.length
  await watch.sweep()
  expect(reported.slice(before)).toEqual([])
}

/** A file that no one wrote to for a long time. */
async function writeOld(path: string, content = line): Promise<void> {
  folder.write(path, content)
  await utimes(folder.at(path), 1_700_000_000, 1_700_000_000)
}

for (const [name, mode] of modes) {
  describe(name, () => {
    it('reports nothing of what was there, and what happens to one file in order', async () => {
      folder.write('projects/p/s.jsonl', line)
      await start(mode)
      const path = folder.at('projects/p/s.jsonl')
      expect(watch.stats()).toMatchObject({ files: 1, folders: 3, mode: mode.isPolling ? 'polling' : 'events' })
      await quiet()
      await appendFile(path, line)
      await untilReported('grown projects/p/s.jsonl')
      expect(reported[0]).toMatchObject({ size: 32, previousSize: 16, path })
      await truncate(path, 5)
      await untilReported('shrunk projects/p/s.jsonl')
      expect(reported[1]).toMatchObject({ size: 5, previousSize: 32, identity: reported[0]?.identity })
      await utimes(path, 1_700_000_000, 1_700_000_000)
      await untilReported('changed projects/p/s.jsonl')
      expect(reported[2]).toMatchObject({ size: 5, modifiedMs: 1_700_000_000_000 })
      await rm(path)
      await untilReported('gone projects/p/s.jsonl')
      expect(reported[3]).toMatchObject({ size: 0, previousSize: 5, identity: reported[0]?.identity })
      await writeFile(path, line)
      await untilReported('new projects/p/s.jsonl')
      expect(reported).toHaveLength(5)
      await quiet()
    })

    it('names the file as discovery does, with the identity that its generation has', async () => {
      await start(mode)
      folder.write('projects/p/s.jsonl', line)
      await untilReported('new projects/p/s.jsonl')
      const log = (await discover(folder.home)).sessions[0]?.logs[0]
      expect(log?.path).toBe(reported[0]?.path)
      expect(log?.generation).toContain(`disk:${reported[0]?.identity}:`)
    })

    it('reports a replacement by another file, in one step or by way of a deletion', async () => {
      folder.write('projects/p/s.jsonl', line)
      folder.write('projects/p/t.jsonl', line)
      await start(mode)
      folder.write('projects/p/s.jsonl.tmp', `${line}${line}`)
      await rename(folder.at('projects/p/s.jsonl.tmp'), folder.at('projects/p/s.jsonl'))
      await untilReported('replaced projects/p/s.jsonl')
      expect(reported[0]).toMatchObject({ size: 32, previousSize: 16 })
      await rm(folder.at('projects/p/t.jsonl'))
      await writeFile(folder.at('projects/p/t.jsonl'), `${line}${line}${line}`)
      const ofT = () => short().filter(text => text.endsWith('t.jsonl'))
      await until(() => ofT().length > 0 && !ofT().at(-1)?.startsWith('gone'))
      expect([['replaced'], ['gone', 'new']]).toContainEqual(
        ofT()
          .map(text => text.split(' ')[0])
          .filter(what => what !== 'grown'),
      )
      await quiet()
    })

    it('reports a move as one file gone and one new, and where it came from', async () => {
      folder.write('projects/p/s.jsonl', line)
      folder.write('projects/q/t.jsonl', line)
      await start(mode)
      await rename(folder.at('projects/p/s.jsonl'), folder.at('projects/p/moved.jsonl'))
      await untilReported('new projects/p/moved.jsonl')
      await untilReported('gone projects/p/s.jsonl')
      const moved = reported.find(change => change.what === 'new')
      expect(moved?.identity).toBe(reported.find(change => change.what === 'gone')?.identity)
      expect(moved?.movedFrom).toBe(folder.at('projects/p/s.jsonl'))
      await rename(folder.at('projects/q'), folder.at('projects/r'))
      await untilReported('gone projects/q/t.jsonl')
      await untilReported('new projects/r/t.jsonl')
      await appendFile(folder.at('projects/r/t.jsonl'), line)
      await untilReported('grown projects/r/t.jsonl')
      await quiet()
    })

    it('follows every folder that may have logs, new ones too, and no other', async () => {
      await mkdir(folder.at('projects'))
      await start(mode)
      folder.write('history.jsonl', line)
      folder.write('settings.jsonl', line)
      folder.write('todos/s.jsonl', line)
      folder.write('conversations/c/one.jsonl', line)
      folder.write('projects/loose.jsonl', line)
      folder.write('projects/p/s.jsonl', line)
      folder.write('projects/p/agent-flat.jsonl', line)
      folder.write('projects/p/._s.jsonl', line)
      folder.write('projects/p/s/subagents/agent-1.jsonl', line)
      folder.write('projects/p/s/subagents/workflows/r/journal.jsonl', line)
      folder.write('projects/p/s/tool-results/rows.jsonl', line)
      folder.write('projects/p/s/notes.jsonl', line)
      folder.write('projects/p/memory/deep/down/agent-x.jsonl', line)
      folder.write('projects/p/lost/subagents/agent-2.jsonl', line)
      const expected = [
        'history.jsonl',
        'conversations/c/one.jsonl',
        'projects/loose.jsonl',
        'projects/p/s.jsonl',
        'projects/p/agent-flat.jsonl',
        'projects/p/s/subagents/agent-1.jsonl',
        'projects/p/s/subagents/workflows/r/journal.jsonl',
        'projects/p/lost/subagents/agent-2.jsonl',
      ].sort()
      const names = () => [...new Set(reported.map(change => way(change.path)))].sort()
      await until(() => names().length >= expected.length)
      await quiet()
      expect(names()).toEqual(expected)
      for (const name of expected) await appendFile(folder.at(name), line)
      for (const name of expected) await untilReported(`grown ${name}`)
    })

    it('takes up a root that comes later, goes, and comes again', async () => {
      const roots = [folder.at('home')]
      await start({ ...mode, roots, pollMs: 20 })
      expect(watch.stats()).toMatchObject({ folders: 0, files: 0 })
      await mkdir(folder.at('home/todos'), { recursive: true })
      await until(() => watch.stats().folders > 0, 'the root')
      folder.write('home/projects/p/s.jsonl', line)
      await untilReported('new home/projects/p/s.jsonl')
      await rm(folder.at('home'), { recursive: true })
      await untilReported('gone home/projects/p/s.jsonl')
      expect(watch.stats().files).toBe(0)
      reported = []
      folder.write('home/projects/p/s.jsonl', line)
      await untilReported('new home/projects/p/s.jsonl')
    })

    it('keeps up with folders that are deleted, made again, or become files', async () => {
      folder.write('projects/p/s.jsonl', line)
      folder.write('projects/q/t.jsonl', line)
      await start(mode)
      await rm(folder.at('projects/p'), { recursive: true })
      folder.write('projects/p/s.jsonl', `${line}${line}`)
      await until(() => short().includes('replaced projects/p/s.jsonl') || short().includes('new projects/p/s.jsonl'))
      await appendFile(folder.at('projects/p/s.jsonl'), line)
      await untilReported('grown projects/p/s.jsonl')
      await rm(folder.at('projects/q'), { recursive: true })
      await writeFile(folder.at('projects/q'), 'no folder')
      await untilReported('gone projects/q/t.jsonl')
      await rm(folder.at('projects/q'))
      folder.write('projects/q/t.jsonl', line)
      await untilReported('new projects/q/t.jsonl')
      await rm(folder.at('projects/q/t.jsonl'))
      await mkdir(folder.at('projects/q/t.jsonl'))
      await until(() => short().filter(text => text === 'gone projects/q/t.jsonl').length === 2)
      await quiet()
    })

    it('gathers thousands of appends into few changes that add up', async () => {
      const names = Array.from({ length: 10 }, (_, index) => `projects/p/${index}.jsonl`)
      for (const name of names) folder.write(name, '')
      await start(mode)
      for (let round = 0; round < 300; round++) {
        for (const name of names) appendFileSync(folder.at(name), line)
        if (round % 30 === 0) await new Promise(done => setTimeout(done, 10))
      }
      const last = (name: string) => reported.findLast(change => way(change.path) === name)
      await until(() => names.every(name => last(name)?.size === 300 * line.length))
      for (const name of names) {
        const own = reported.filter(change => way(change.path) === name)
        for (const [index, change] of own.entries()) expect(change.previousSize).toBe(own[index - 1]?.size ?? 0)
        expect(own.length).toBeLessThan(60)
      }
      await quiet()
    })

    it('wakes up a session whose own folder had been left alone', async () => {
      await writeOld('projects/p/s.jsonl')
      await writeOld('projects/p/s/subagents/agent-1.jsonl')
      for (const name of ['subagents', '']) {
        await utimes(folder.at(`projects/p/s/${name}`), 1_700_000_000, 1_700_000_000)
      }
      await start(mode)
      const before = watch.stats()
      expect(before.folders).toBe(5)
      const watched = () => watch.stats().watches + watch.stats().polled
      expect(watched()).toBe(3)
      await utimes(folder.at('projects/p/s.jsonl'), new Date(), new Date())
      await watch.sweep()
      await until(() => watched() === 5)
      if (mode.isPolling) await utimes(folder.at('projects/p/s/subagents/agent-1.jsonl'), new Date(), new Date())
      await watch.sweep()
      reported = []
      await appendFile(folder.at('projects/p/s/subagents/agent-1.jsonl'), line)
      await untilReported('grown projects/p/s/subagents/agent-1.jsonl')
    })

    it('finds by a sweep what was not watched', async () => {
      await writeOld('projects/p/s/subagents/agent-1.jsonl')
      for (const name of ['subagents', '']) {
        await utimes(folder.at(`projects/p/s/${name}`), 1_700_000_000, 1_700_000_000)
      }
      await start(mode)
      await appendFile(folder.at('projects/p/s/subagents/agent-1.jsonl'), line)
      folder.write('projects/p/s/subagents/more/agent-2.jsonl', line)
      await watch.sweep()
      await untilReported('grown projects/p/s/subagents/agent-1.jsonl')
      await untilReported('new projects/p/s/subagents/more/agent-2.jsonl')
      expect(watch.stats().sweeps).toBe(1)
    })

    it('follows links to projects and to logs, and no circle of links', async () => {
      folder.write('elsewhere/task/s.jsonl', line)
      folder.write('elsewhere/one.jsonl', line)
      folder.write('projects/p/t.jsonl', line)
      await symlink(folder.at('elsewhere/task'), folder.at('projects/linked'))
      await symlink(folder.at('elsewhere/one.jsonl'), folder.at('projects/p/link.jsonl'))
      await symlink(folder.at('projects'), folder.at('projects/p/round'))
      await start({ ...mode, pollMs: 20 })
      expect(watch.stats().files).toBe(3)
      await appendFile(folder.at('elsewhere/task/s.jsonl'), line)
      await untilReported('grown projects/linked/s.jsonl')
      await appendFile(folder.at('elsewhere/one.jsonl'), line)
      await untilReported('grown projects/p/link.jsonl')
      folder.write('elsewhere/other/s.jsonl', `${line}${line}${line}`)
      await rm(folder.at('projects/linked'))
      await symlink(folder.at('elsewhere/other'), folder.at('projects/linked'))
      await until(() => reported.at(-1)?.what === 'replaced' || reported.at(-1)?.what === 'new')
      await appendFile(folder.at('elsewhere/other/s.jsonl'), line)
      await until(() => reported.at(-1)?.what === 'grown' && reported.at(-1)?.size === 64)
    })

    it.each([
      ['a projects folder', 'projects', ['s.jsonl', 's/subagents/agent-1.jsonl', 'agent-flat.jsonl', 'other.jsonl']],
      ['one project', 'projects/p', ['s.jsonl', 's/subagents/agent-1.jsonl', 'agent-flat.jsonl', 'other.jsonl']],
      ['a session folder', 'projects/p/s', ['s.jsonl', 's/subagents/agent-1.jsonl', 'agent-flat.jsonl']],
      ['its subagents', 'projects/p/s/subagents', ['s.jsonl', 's/subagents/agent-1.jsonl', 'agent-flat.jsonl']],
      ['a session file', 'projects/p/s.jsonl', ['s.jsonl', 's/subagents/agent-1.jsonl', 'agent-flat.jsonl']],
      ['an agent file', 'projects/p/agent-flat.jsonl', ['agent-flat.jsonl']],
      ['a file of any name', 'projects/p/notes.txt', ['notes.txt']],
    ])('watches %s', async (_what, root, expected) => {
      const all = ['s.jsonl', 's/subagents/agent-1.jsonl', 'agent-flat.jsonl', 'other.jsonl', 'notes.txt']
      for (const name of all) folder.write(`projects/p/${name}`, line)
      await start({ ...mode, roots: [folder.at(root)] })
      for (const name of all) await appendFile(folder.at(`projects/p/${name}`), line)
      for (const name of expected) await untilReported(`grown projects/p/${name}`)
      expect(short().sort()).toEqual(expected.map(name => `grown projects/p/${name}`).sort())
      await rm(folder.at(`projects/p/${expected[0]}`))
      await untilReported(`gone projects/p/${expected[0]}`)
      folder.write(`projects/p/${expected[0]}`, line)
      await untilReported(`new projects/p/${expected[0]}`)
    })

    it('stops at once and leaves nothing behind', async () => {
      for (let index = 0; index < 30; index++) folder.write(`projects/p${index}/s/subagents/agent-1.jsonl`, line)
      await start(mode)
      await watch.close()
      const open = () => readdirSync('/proc/self/fd').length
      const isLinux = process.platform === 'linux'
      const before = isLinux ? open() : 0
      const watching = () => process.getActiveResourcesInfo().filter(name => name === 'FSEventWrap').length
      for (let round = 0; round < 5; round++) {
        await start(mode)
        appendFileSync(folder.at('projects/p0/s/subagents/agent-1.jsonl'), line)
        truncateSync(folder.at('projects/p1/s/subagents/agent-1.jsonl'), 0)
        const sweep = watch.sweep()
        await watch.close()
        await sweep
        await watch.close()
      }
      if (isLinux) expect(open()).toBeLessThanOrEqual(before)
      expect(watching()).toBe(0)
      reported = []
      await appendFile(folder.at('projects/p0/s/subagents/agent-1.jsonl'), line)
      await watch.sweep()
      await new Promise(done => setTimeout(done, 100))
      expect(reported).toEqual([])
    })

    it('has nothing to say about what works', async () => {
      folder.write('projects/p/s.jsonl', line)
      await start(mode)
      folder.write('projects/p/t.jsonl', line)
      await untilReported('new projects/p/t.jsonl')
      expect(problems).toEqual([])
    })
  })
}

describe('a watch that is closed before it is ready', () => {
  it('is ready then, and reports nothing', async () => {
    folder.write('projects/p/s.jsonl', line)
    watch = watchFiles({ roots: [folder.home], onChange: changes => reported.push(...changes) })
    await watch.close()
    await watch.ready
    await watch.sweep()
    expect(reported).toEqual([])
  })
})

describe('many folders of sessions', () => {
  it('are watched only as far as they were written to lately', async () => {
    for (let index = 0; index < 20; index++) {
      await writeOld(`projects/p/${index}/subagents/agent-1.jsonl`)
      await utimes(folder.at(`projects/p/${index}/subagents`), 1_700_000_000, 1_700_000_000)
      await utimes(folder.at(`projects/p/${index}`), 1_700_000_000, 1_700_000_000)
    }
    folder.write('projects/p/now/subagents/agent-1.jsonl', line)
    await start({ isDeep: false })
    expect(watch.stats()).toMatchObject({ folders: 3 + 42, watches: 3 + 2, files: 21 })
    await appendFile(join(folder.home, 'projects/p/7/subagents/agent-1.jsonl'), line)
    await watch.sweep()
    expect(short()).toEqual(['grown projects/p/7/subagents/agent-1.jsonl'])
    expect(watch.stats().watches).toBe(3 + 3)
  })
})

/** Rights count for everyone but root. */
async function withoutRights(work: () => Promise<void>): Promise<void> {
  const isRoot = process.geteuid?.() === 0
  for (const open of [folder.folder, folder.home]) await chmod(open, 0o755)
  if (isRoot) process.seteuid?.(65_534)
  try {
    await work()
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
}

describe.skipIf(process.platform === 'win32')('a folder that may not be looked into', () => {
  it.each(['before', 'while it is watched'])('is reported by its own path, %s', async when => {
    folder.write('projects/-a/s.jsonl', line)
    folder.write('projects/-b/t.jsonl', line)
    const closed = folder.at('projects/-a')
    if (when === 'before') await chmod(closed, 0o444)
    await withoutRights(async () => {
      await start({ isDeep: false, sweepMs: 100 })
    })
    if (when !== 'before') {
      await chmod(closed, 0)
      await withoutRights(() => until(() => problems.length > 0, 'the problem'))
    }
    await chmod(closed, 0o755)
    expect(problems.map(({ code, file }) => `${code} ${way(file ?? '')}`)).toEqual(['unreadable-folder projects/-a'])
  })
})

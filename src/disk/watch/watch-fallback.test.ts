import { EventEmitter } from 'node:events'
import type { FSWatcher } from 'node:fs'
import { appendFile, rm, symlink, utimes } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { TestHome } from '../../../test/home.ts'
import type { Finding } from '../../model/finding.ts'
import { type FileChange, type Watch, watchFiles } from './watch.ts'

type Notify = (type: string, name: string | null) => void

/** What the file system is made to do; undefined: what it does. */
const refuse = vi.hoisted(() => ({
  watch: undefined as ((path: string, isDeep: boolean, notify: Notify) => FSWatcher | undefined) | undefined,
  list: undefined as ((path: string) => void) | undefined,
  type: undefined as number | undefined,
}))

vi.mock('node:fs', async importOriginal => {
  const real = await importOriginal<typeof import('node:fs')>()
  return {
    ...real,
    watch: (path: string, options: { recursive: boolean }, notify: Notify) =>
      refuse.watch?.(path, options.recursive, notify) ?? real.watch(path, options, notify),
    readdirSync: (path: string, options: { withFileTypes: true }) => {
      refuse.list?.(path)
      return real.readdirSync(path, options)
    },
    statfsSync: (path: string) => {
      const facts = real.statfsSync(path)
      return refuse.type === undefined ? facts : Object.assign(facts, { type: refuse.type })
    },
  }
})

const line = '{"type":"user"}\n'
let folder: TestHome
let watch: Watch
let reported: FileChange[]
let problems: Finding[]
beforeEach(async () => {
  folder = new TestHome()
  for (const name of ['p', 'q']) folder.write(`projects/${name}/s.jsonl`, line)
  reported = []
  problems = []
})
afterEach(async () => {
  await watch?.close()
  for (const key of ['watch', 'list', 'type'] as const) refuse[key] = undefined
  folder.remove()
})

async function start(isDeep = false): Promise<void> {
  watch = watchFiles({
    roots: [folder.home],
    isDeep,
    pollMs: 10,
    sweepMs: 60_000,
    onChange: changes => reported.push(...changes),
    onProblem: finding => problems.push(finding),
  })
  await watch.ready
}

async function reports(name: string): Promise<void> {
  await appendFile(folder.at(name), line)
  const isReported = () => reported.some(change => change.path === folder.at(name) && change.size >= line.length)
  await vi.waitFor(() => expect(isReported(), name).toBe(true), { timeout: 8_000, interval: 5 })
}

/** A watch that never reports anything. */
const silent = (onClose = () => {}) => Object.assign(new EventEmitter(), { close: onClose }) as unknown as FSWatcher

const failing = (code: string) => Object.assign(new Error(code), { code })

it.each(['EMFILE', 'ENOSPC', 'EPERM', 'ENOSYS'])(
  'polls where no folder can be watched (%s), and says so once',
  async code => {
    refuse.watch = () => {
      throw failing(code)
    }
    await start()
    expect(watch.stats()).toMatchObject({ mode: 'polling', watches: 0, polled: 4 })
    expect(problems).toMatchObject([{ code: 'watch-polling', severity: 'info' }])
    expect(problems[0]?.message).toContain(code)
    await reports('projects/p/s.jsonl')
    folder.write('projects/new/s.jsonl', '')
    await reports('projects/new/s.jsonl')
    expect(problems).toHaveLength(1)
  },
)

it('polls the folders for which no watch is left, and continues with the others', async () => {
  let made = 0
  refuse.watch = () => {
    made++
    if (made > 2) throw failing('ENOSPC')
    return undefined
  }
  await start()
  expect(watch.stats()).toMatchObject({ mode: 'events', watches: 2, polled: 2 })
  expect(problems.map(problem => problem.code)).toEqual(['watch-polling'])
  await reports('projects/p/s.jsonl')
  await reports('projects/q/s.jsonl')
})

it('polls from when a watch fails later', async () => {
  const watchers: EventEmitter[] = []
  refuse.watch = () => {
    const watcher = silent()
    watchers.push(watcher)
    return watcher
  }
  await start()
  expect(watch.stats()).toMatchObject({ mode: 'events', watches: 4 })
  watchers.at(-1)?.emit('error', failing('EIO'))
  expect(watch.stats()).toMatchObject({ mode: 'polling', watches: 0, polled: 4 })
  folder.write('projects/r/s.jsonl', '')
  await watch.sweep()
  await reports('projects/p/s.jsonl')
})

it('polls a file system that never reports of a change, once a sweep has found one', async () => {
  refuse.watch = () => silent()
  await start()
  await appendFile(folder.at('projects/p/s.jsonl'), line)
  await watch.sweep()
  expect(watch.stats().mode).toBe('events')
  await appendFile(folder.at('projects/p/s.jsonl'), line)
  await new Promise(done => setTimeout(done, 2_200))
  await watch.sweep()
  expect(watch.stats()).toMatchObject({ mode: 'polling', polled: 4 })
  expect(problems).toHaveLength(1)
  reported = []
  await reports('projects/p/s.jsonl')
})

it('polls a network file system from the start', async () => {
  refuse.type = 0x6969
  await start()
  expect(watch.stats()).toMatchObject({ mode: 'polling', watches: 0, polled: 4 })
  expect(problems).toHaveLength(1)
  await reports('projects/q/s.jsonl')
})

it('reports a folder that cannot be read once, keeps what it knew, and continues when it can', async () => {
  refuse.list = path => {
    if (path === folder.at('projects/q')) throw failing('EACCES')
  }
  await start()
  expect(problems).toMatchObject([{ code: 'unreadable-folder', file: folder.at('projects/q') }])
  await watch.sweep()
  expect(problems).toHaveLength(1)
  expect(reported).toEqual([])
  refuse.list = undefined
  await watch.sweep()
  expect(reported.map(change => change.what)).toEqual(['new'])
  refuse.list = path => {
    if (path === folder.at('projects/q')) throw failing('EACCES')
  }
  folder.write('projects/q/t.jsonl', line)
  await watch.sweep()
  await vi.waitFor(() => expect(watch.stats().files).toBe(3))
  await reports('projects/q/s.jsonl')
})

it('makes space for a session that is written to when the limit is reached', async () => {
  const closed: string[] = []
  let made = 0
  refuse.watch = path => {
    made++
    if (made > 6) throw failing('ENOSPC')
    return silent(() => closed.push(path))
  }
  const long = new Date(1_700_000_000_000)
  for (const name of ['a', 'b', 'c']) {
    folder.write(`projects/p/${name}/subagents/agent-1.jsonl`, line)
    if (name === 'c') {
      for (const way of ['/subagents/agent-1.jsonl', '/subagents', ''])
        await utimes(folder.at(`projects/p/c${way}`), long, long)
    }
  }
  await start()
  expect(watch.stats().watches).toBe(6)
  made = 0
  await appendFile(folder.at('projects/p/c/subagents/agent-1.jsonl'), line)
  await watch.sweep()
  expect(reported.map(change => change.path)).toEqual([folder.at('projects/p/c/subagents/agent-1.jsonl')])
  expect(closed).toHaveLength(1)
  expect(watch.stats().watches).toBe(6)
})

it('needs one watch for a whole tree where the platform can, and one for each link', async () => {
  const reports = new Map<string, Notify>()
  refuse.watch = (path, isDeep, notify) => {
    reports.set(`${relative(folder.home, path)}${isDeep ? ' deep' : ''}`, notify)
    return silent()
  }
  folder.write('projects/p/s/subagents/agent-1.jsonl', line)
  folder.write('elsewhere/t.jsonl', line)
  await symlink(folder.at('elsewhere'), folder.at('projects/linked'))
  await start(true)
  expect([...reports.keys()]).toEqual(['', 'projects deep', join('projects', 'linked deep')])
  const notify = async (watched: string, name: string | null) => {
    reported = []
    reports.get(watched)?.('change', name)
    await vi.waitFor(() => expect(reported).not.toEqual([]), { timeout: 8_000, interval: 5 })
    return reported.map(change => `${change.what} ${relative(folder.home, change.path).split(sep).join('/')}`)
  }
  await appendFile(folder.at('projects/p/s/subagents/agent-1.jsonl'), line)
  const agent = join('p', 's', 'subagents', 'agent-1.jsonl')
  expect(await notify('projects deep', agent)).toEqual(['grown projects/p/s/subagents/agent-1.jsonl'])
  folder.write('projects/n/s/subagents/agent-2.jsonl', line)
  const fresh = join('n', 's', 'subagents', 'agent-2.jsonl')
  expect(await notify('projects deep', fresh)).toEqual(['new projects/n/s/subagents/agent-2.jsonl'])
  await rm(folder.at('projects/n'), { recursive: true })
  expect(await notify('projects deep', fresh)).toEqual(['gone projects/n/s/subagents/agent-2.jsonl'])
  await appendFile(folder.at('elsewhere/t.jsonl'), line)
  expect(await notify(join('projects', 'linked deep'), 't.jsonl')).toEqual(['grown projects/linked/t.jsonl'])
  folder.write('projects/loose.jsonl', line)
  expect(await notify('projects deep', null)).toEqual(['new projects/loose.jsonl'])
  folder.write('history.jsonl', line)
  expect(await notify('', 'history.jsonl')).toEqual(['new history.jsonl'])
  expect(watch.stats()).toMatchObject({ watches: 3, polled: 0 })
})

it('lists no folder again that did not change', async () => {
  const long = new Date(1_700_000_000_000)
  for (const name of ['projects/p', 'projects/q', 'projects', '']) await utimes(folder.at(name), long, long)
  await start()
  const listed: string[] = []
  refuse.list = path => listed.push(path)
  await watch.sweep()
  await reports('projects/p/s.jsonl')
  await watch.sweep()
  expect(listed).toEqual([])
  folder.write('projects/q/t.jsonl', line)
  await watch.sweep()
  expect(listed).toEqual([folder.at('projects/q')])
})

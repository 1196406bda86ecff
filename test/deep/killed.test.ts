// The built tool is killed at system calls with which `clew forget` changes a file: archive, index, status line and locks.
// Nothing else is lost or touched, and the command run again brings it to its end.

import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ageUnwrittenLock, damageOf, holdsText, viewOf } from '../archive/faults.ts'
import { imagesBelow, sessionA, sessionB, sessionC } from '../archive/fixture.ts'
import { clewHere, mainFile, type Result } from '../cli/run.ts'
import { differencesToNew } from '../index/index-fixture.ts'
import { talkBytes } from '../index/talk.ts'
import { reportSweep } from '../sweep.ts'

const changing = [
  ...['creat', 'openat', 'mkdir', 'rmdir', 'rename', 'link', 'unlink', 'write', 'pwrite64', 'writev', 'pwritev'],
  ...['fsync', 'fdatasync', 'ftruncate', 'chmod', 'fchmod', 'utimensat'],
]
/** One kill in so many is followed by a comparison of the index with a new one, which takes longest. */
const proveEvery = 8
/** Of its calls so many, evenly spread, where there are more. */
const mostKills = 560
const longAgo = Date.UTC(2026, 0, 5) / 1000

const root = mkdtempSync(join(tmpdir(), 'clew-killed-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** A system call, by its number among those of that name of their thread. */
interface Call {
  call: string
  at: number
}

/** A Claude home and Clew's own folder, which can be put back to how the command finds them. */
class World {
  readonly place: string
  private readonly seed: string

  constructor(name: string) {
    this.place = join(root, name, 'place')
    this.seed = join(root, name, 'seed')
    mkdirSync(this.home, { recursive: true })
  }

  get home(): string {
    return join(this.place, '.claude')
  }

  get own(): string {
    return join(this.place, 'clew')
  }

  get archive(): string {
    return join(this.own, 'archive')
  }

  get env(): Record<string, string> {
    return { NO_COLOR: '1', HOME: this.place, CLEW_HOME: this.own, CLAUDE_CONFIG_DIR: this.home }
  }

  write(path: string, content: string | Uint8Array): string {
    const file = join(this.home, path)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, content)
    utimesSync(file, longAgo, longAgo)
    return file
  }

  clew(...words: string[]): Promise<Result> {
    return clewHere(words, { env: this.env })
  }

  async prepare(...commands: string[][]): Promise<void> {
    for (const words of commands) expect((await this.clew(...words)).code, words.join(' ')).toBe(0)
  }

  save(): void {
    cpSync(this.place, this.seed, { recursive: true, preserveTimestamps: true })
  }

  reset(): void {
    rmSync(this.place, { recursive: true, force: true })
    cpSync(this.seed, this.place, { recursive: true, preserveTimestamps: true })
  }

  /** Whether a signal ended it. */
  traced(words: readonly string[], strace: readonly string[]): boolean {
    const own = [process.execPath, mainFile, ...words]
    const { status, signal } = spawnSync('strace', ['-f', '-qq', '-y', ...strace, ...own], {
      input: '',
      env: { ...process.env, ...this.env },
    })
    return signal === 'SIGKILL' || status === 137
  }

  /** The calls that change a file of this place. */
  callsOf(words: readonly string[]): Call[] {
    this.reset()
    const traces = join(root, 'traces')
    mkdirSync(traces)
    this.traced(words, ['-ff', '-o', join(traces, 't'), '-e', `trace=${changing.join(',')}`])
    const found = new Map<string, Call>()
    for (const name of readdirSync(traces)) {
      const counts = new Map<string, number>()
      for (const line of readFileSync(join(traces, name), 'utf8').split('\n')) {
        const call = /^(\w+)\(/.exec(line)?.[1]
        if (call === undefined) continue
        const at = (counts.get(call) ?? 0) + 1
        counts.set(call, at)
        if (line.includes(this.place) && !line.includes('O_RDONLY')) found.set(`${call} ${at}`, { call, at })
      }
    }
    rmSync(traces, { recursive: true })
    return [...found.values()]
  }

  /** No one waits half a minute for a lock that was made but not written to. */
  ageLocks(): void {
    for (const folder of [this.archive, join(this.own, 'index'), ...this.logLocks()]) ageUnwrittenLock(folder)
  }

  private logLocks(): string[] {
    const locks = join(this.own, 'locks')
    return existsSync(locks) ? readdirSync(locks).map(name => join(locks, name)) : []
  }

  async expectIndexAsNew(): Promise<void> {
    expect((await this.clew('index', 'refresh')).code).toBe(0)
    const options = { home: this.own, roots: [this.home], isScoped: false, archiveRoots: [this.home] }
    expect(await differencesToNew(options)).toEqual([])
  }
}

function spread<Item>(items: readonly Item[], most: number): Item[] {
  const step = Math.max(1, items.length / most)
  return items.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step))
}

/** Kills the command at each of its calls that is chosen; `check` throws where something is not as it must be. */
async function killEverywhere(
  world: World,
  words: readonly string[],
  choose: (calls: Call[]) => Call[],
  check: (isThorough: boolean) => Promise<void>,
): Promise<void> {
  const failures: string[] = []
  let killed = 0
  const chosen = choose(world.callsOf(words))
  for (const [index, { call, at }] of chosen.entries()) {
    world.reset()
    // With a filter of the kernel (--seccomp-bpf) strace sends no signals.
    const inject = ['-o', '/dev/null', '-e', `trace=${call}`, '-e', `inject=${call}:signal=KILL:when=${at}`]
    // The number of a call may differ by what SQLite finds of its own: then it ends by itself.
    if (world.traced(words, inject)) killed++
    world.ageLocks()
    await check(index % proveEvery === 0).catch(error => failures.push(`${call} ${at}: ${String(error)}`))
  }
  reportSweep('kill of `clew forget`', killed, failures.length)
  expect(failures).toEqual([])
  expect(killed).toBeGreaterThan(chosen.length * 0.9)
}

const secret = 'xyzzyplover'
const boat = 'projects/-home-mira-boat'

/** A session that says the secret everywhere, deleted by Claude Code after it was archived; others share some of it. */
async function forgettable(part: number): Promise<World> {
  const world = new World(`forget-${part}`)
  const said = (seed: number, agent?: string) =>
    talkBytes({ session: sessionA, seed, turns: 6, ...(agent && { agent }) })
      .toString()
      .replaceAll('harbour', secret)
  world.write(`${boat}/${sessionB}.jsonl`, talkBytes({ session: sessionB, seed: 2, turns: 8 }))
  world.write(`projects/-home-mira-choir/${sessionC}.jsonl`, talkBytes({ session: sessionC, seed: 3, turns: 5 }))
  const own = [
    world.write(`${boat}/${sessionA}.jsonl`, said(1)),
    world.write(`${boat}/${sessionA}/subagents/agent-a1.jsonl`, said(4, 'a1')),
    world.write(`${boat}/${sessionA}/tool-results/t1.txt`, `a long output about ${secret}\n`.repeat(40)),
    world.write(`image-cache/${sessionA}/1.png`, `${secret} as a picture`),
    world.write('paste-cache/0123456789abcdef.txt', `${secret} pasted`),
  ]
  const line = (session: string, display: string, pastedContents = {}) =>
    `${JSON.stringify({ display, pastedContents, timestamp: 1_770_000_000_000, project: '/p', sessionId: session })}\n`
  const pasted = { 1: { id: 1, type: 'text', contentHash: '0123456789abcdef' } }
  const others = line(sessionB, 'tune the bells')
  world.write('history.jsonl', others + line(sessionA, `look at ${secret}`, pasted))
  await world.prepare(['config', 'set', 'archive', 'auto'], ['archive', 'run'], ['index', 'refresh'])
  for (const file of own) rmSync(file)
  rmSync(join(world.home, boat, sessionA), { recursive: true })
  world.write('history.jsonl', others + line(sessionC, 'and the ropes'))
  await world.prepare(['index', 'refresh'])
  mkdirSync(join(world.own, 'statusline'), { recursive: true })
  const shown = { logs: [{ path: join(world.home, boat, `${sessionA}.jsonl`) }] }
  writeFileSync(join(world.own, 'statusline', 'x.json'), JSON.stringify(shown))
  world.save()
  return world
}

function indexBytes(world: World): string {
  const folder = join(world.own, 'index')
  return existsSync(folder)
    ? readdirSync(folder)
        .map(name => readFileSync(join(folder, name)).toString('latin1'))
        .join('\n')
    : ''
}

describe('clew forget, killed', { tags: ['deep', 'strace'] }, () => {
  it.each([0, 1, 2, 3])(
    'at call 4n + %i loses nothing else, and erases all when it is run again',
    {
      timeout: 7_200_000,
    },
    async at => {
      const world = await forgettable(at)
      const words = ['forget', sessionA, '--yes']
      const home = imagesBelow(world.home)
      expect(holdsText(world.archive, secret)).toBe(true)
      const before = await viewOf(world.archive)
      await world.prepare(words)
      const after = await viewOf(world.archive)
      const staying = before.filter(line => after.includes(line))
      expect(staying.length).toBeGreaterThan(2)
      const quarter = (calls: Call[]) => spread(calls, mostKills).filter((_, n) => n % 4 === at)
      await killEverywhere(world, words, quarter, async isThorough => {
        const found = await viewOf(world.archive)
        expect(staying.filter(line => !found.includes(line))).toEqual([])
        expect(await damageOf(world.archive)).toEqual([])
        const again = await world.clew(...words)
        expect(again.code, again.stderr).toBe(0)
        expect(await viewOf(world.archive)).toEqual(after)
        expect(await damageOf(world.archive)).toEqual([])
        expect(holdsText(world.archive, secret)).toBe(false)
        expect(readdirSync(join(world.own, 'statusline'))).toEqual([])
        expect(imagesBelow(world.home)).toEqual(home)
        if (isThorough) await world.expectIndexAsNew()
        const searched = await world.clew('search', secret)
        expect(searched.stdout).toBe('')
        expect(indexBytes(world)).not.toContain(secret)
      })
    },
  )
})

// System calls on files of the Claude home or of Clew's own folder that fail: a command ends with an answer or with an error in
// words, never by a signal and never with a stack trace. What Node itself does where its own calls fail is in
// docs/reliability.md.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { grouped } from '../../src/base/grouped.ts'
import { randomOf } from '../archive/fixture.ts'
import { isDeep, seedOr } from '../needs.ts'
import { mainFile } from './run.ts'

const commands = ['ls', 'index refresh', 'archive run', 'search the', 'statusline']
const traced = [
  'openat',
  'read',
  'pread64',
  'write',
  'pwrite64',
  'statx',
  'getdents64',
  'fsync',
  'close',
  'rename',
  'unlink',
  'mkdir',
  'ftruncate',
]
const errors = ['EIO', 'EMFILE', 'ENOMEM']
const runsOfEach = isDeep ? 24 : 2

const folder = mkdtempSync(join(tmpdir(), 'clew-injected-'))
const seed = join(folder, 'seed')
const place = join(folder, 'place')
beforeAll(() => {
  cpSync(resolve('samples/home'), join(seed, 'claude'), { recursive: true })
  run(['index', 'refresh'], [], seed)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Ended {
  status: number | null
  signal: string | null
  stderr: string
}

/** Runs a command below strace, where there are options for that. */
function run(command: readonly string[], strace: readonly string[], home: string): Ended {
  const own = [process.execPath, mainFile, ...command]
  const all = strace.length === 0 ? own : ['strace', '-f', '-qq', '-y', '--seccomp-bpf', ...strace, ...own]
  const { status, signal, stderr } = spawnSync(all[0] as string, all.slice(1), {
    encoding: 'utf8',
    input: '{}',
    timeout: 50_000,
    env: { ...process.env, NO_COLOR: '1', CLEW_HOME: join(home, 'clew'), CLAUDE_CONFIG_DIR: join(home, 'claude') },
  })
  return { status, signal, stderr }
}

/** A place of its own with the sample history; for what writes an index or archive, without one. */
function prepare(command: readonly string[]): void {
  rmSync(place, { recursive: true, force: true })
  cpSync(seed, place, { recursive: true })
  if (command.length > 1 && command[0] !== 'search') rmSync(join(place, 'clew'), { recursive: true })
}

interface Fault {
  call: string
  /** Of each thread's calls of this name. */
  at: number
}

/** The calls of a command that are about its files. */
function faultsOf(command: readonly string[]): Fault[] {
  prepare(command)
  const trace = join(folder, 'trace')
  run(command, ['-ff', '-o', trace, '-e', `trace=${traced.join(',')}`], place)
  const found = new Map<string, Fault>()
  for (const name of readdirSync(folder).filter(each => each.startsWith('trace.'))) {
    const counts = new Map<string, number>()
    for (const line of readFileSync(join(folder, name), 'utf8').split('\n')) {
      const call = /^(\w+)\(/.exec(line)?.[1]
      if (call === undefined) continue
      const at = (counts.get(call) ?? 0) + 1
      counts.set(call, at)
      if (line.includes(place)) found.set(`${call} ${at}`, { call, at })
    }
    rmSync(join(folder, name))
  }
  return [...found.values()]
}

/** So many of them, those of every kind of call in turn. */
function chosen(faults: readonly Fault[], count: number): Fault[] {
  const random = randomOf(seedOr(11))
  const byCall = [...grouped(faults, ({ call }) => call).values()].map(each =>
    each
      .map(fault => ({ fault, place: random() }))
      .sort((one, other) => one.place - other.place)
      .map(({ fault }) => fault),
  )
  const longest = Math.max(0, ...byCall.map(each => each.length))
  const turns = Array.from({ length: longest }, (_, at) => byCall.flatMap(each => each.slice(at, at + 1)))
  return turns.flat().slice(0, count)
}

describe('a failing call on a file', { tags: 'strace' }, () => {
  it.each(commands)(
    'does not abort clew %s',
    command => {
      const words = command.split(' ')
      let judged = 0
      for (const [index, { call, at }] of chosen(faultsOf(words), runsOfEach).entries()) {
        prepare(words)
        const error = errors[index % errors.length]
        const log = join(folder, 'log')
        const ended = run(
          words,
          ['-o', log, '-e', `trace=${call}`, '-e', `inject=${call}:error=${error}:when=${at}`],
          place,
        )
        const injected = readFileSync(log, 'utf8')
          .split('\n')
          .filter(line => line.includes('(INJECTED)'))
        // The same number of another thread may be a call of Node's own: what it does then is not asked here.
        if (injected.length === 0 || !injected.every(line => line.includes(place))) continue
        judged++
        const what = `${command}: ${call} ${at} ${error}: ${injected[0]}\n${ended.stderr}`
        expect([0, 1, 2], what).toContain(ended.status)
        expect(ended.stderr, what).not.toMatch(/\n\s+at .*:\d+/)
      }
      expect(judged).toBeGreaterThan(0)
    },
    isDeep ? 600_000 : 60_000,
  )
})

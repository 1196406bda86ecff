// Builds the driver with its worker threads and runs it. It checks nothing: that is for each test.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { isRoot } from '../archive/faults.ts'
import type { IndexTask, Kill } from './index-driver.ts'
import type { Seen } from './reader.ts'

/** Builds the driver in a folder and gives its path. The worker is where the pool looks for one. */
export async function buildIndexDriver(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const sqlite = createRequire(import.meta.url)
    .resolve('@photostructure/sqlite')
    .replace(/\.cjs$/, '.mjs')
  const source = join(import.meta.dirname, '../../src')
  await build({
    entryPoints: {
      'dist/test/index-driver': join(import.meta.dirname, 'index-driver.ts'),
      'dist/worker': join(source, 'worker.ts'),
    },
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    plugins: [
      {
        name: 'the one native package stays where it is',
        setup(made) {
          made.onResolve({ filter: /^@photostructure\/sqlite$/ }, () => ({
            path: pathToFileURL(sqlite).href,
            external: true,
          }))
        },
      },
    ],
  })
  return join(folder, 'dist/test/index-driver.js')
}

export interface Ended {
  isKilled: boolean
  signal: string | null
  /** Reports of what it did. */
  done: { isRebuilt: boolean; bytes: number; isUnchanged: boolean }[]
  steps: string[]
  seen?: Seen
  failed?: { isClear: boolean; message: string }
  complaint: string
}

export interface Run {
  kill?: Kill
  /** Options of strace, below which it runs. */
  strace?: readonly string[]
  /** Given the process as soon as it is there. */
  onStart?: (child: ChildProcess) => void
}

export function runIndexDriver(driver: string, task: IndexTask, run: Run = {}): Promise<Ended> {
  const own = [driver, JSON.stringify(task), ...(run.kill === undefined ? [] : [JSON.stringify(run.kill)])]
  const [program, args] =
    run.strace === undefined
      ? [process.execPath, own]
      : ['strace', ['-f', '-qq', ...run.strace, process.execPath, ...own]]
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let complaint = ''
  child.stdout.on('data', chunk => (out += chunk))
  child.stderr.on('data', chunk => (complaint += chunk))
  run.onStart?.(child)
  return new Promise(done => {
    child.on('close', (code, signal) => done(endedOf(out, complaint, code, signal)))
  })
}

function endedOf(out: string, complaint: string, code: number | null, signal: string | null): Ended {
  const ended: Ended = { isKilled: signal === 'SIGKILL' || code === 137, signal, done: [], steps: [], complaint }
  for (const line of out.split('\n')) {
    const at = line.indexOf(' ')
    if (at < 0) continue
    const value = JSON.parse(line.slice(at))
    if (line.startsWith('DONE')) ended.done.push(value)
    else if (line.startsWith('STEPS')) ended.steps = value
    else if (line.startsWith('SEEN')) ended.seen = value
    else if (line.startsWith('FAILED')) ended.failed = value
  }
  return ended
}

/** Whether system calls of a child can be made to fail here. */
export function hasStrace(): boolean {
  try {
    return isRoot && execFileSync('strace', ['-f', '-qq', '-e', 'trace=none', 'true']).length === 0
  } catch {
    return false
  }
}

// Runs the built command line tool: in a process of its own as people do, or inside the test's process, which takes a tenth of
// the time. capture.ts runs one command from its source, without the reading of arguments.

import { spawn, spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { vi } from 'vitest'

export const mainFile = resolve('dist/cli/main.js')

export interface Result {
  stdout: string
  stderr: string
  code: number | null
}

/** Runs `clew …` to its end. */
export function clew(
  args: readonly string[],
  options: { input?: string; env?: Record<string, string>; cwd?: string } = {},
): Result {
  const done = spawnSync(process.execPath, [mainFile, ...args], {
    encoding: 'utf8',
    cwd: options.cwd,
    input: options.input ?? '',
    maxBuffer: 256 * 1024 * 1024,
    env: { ...process.env, ...steady, ...options.env },
  })
  return { stdout: done.stdout, stderr: done.stderr, code: done.status }
}

const steady = { NO_COLOR: '1', LC_ALL: 'C.UTF-8', TERM: 'xterm' }
const nativeImport: (url: string) => Promise<unknown> = createRequire(import.meta.url)('./native-import.cjs')
let runs = 0
let last: Promise<unknown> = Promise.resolve()

interface HereOptions {
  input?: string
  env?: Record<string, string>
  cwd?: string
  /** What is printed goes to a terminal, for all that Clew can see. */
  isTerminal?: boolean
}

/** Runs `clew …` to its end inside this process, one after the other. Colours and signals need a process. */
export function clewHere(args: readonly string[], options: HereOptions = {}): Promise<Result> {
  const result = last.then(() => runHere(args, options))
  last = result.catch(() => {})
  return result
}

async function runHere(
  args: readonly string[],
  { input = '', env = {}, cwd, isTerminal = false }: HereOptions,
): Promise<Result> {
  const isTTY = Object.getOwnPropertyDescriptor(process.stdout, 'isTTY') ?? {}
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {}
  const before = { argv: process.argv, stdin, env: { ...process.env }, code: process.exitCode, cwd: process.cwd() }
  const printed = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map(name =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk: unknown, ...rest: unknown[]) => {
      printed[name] += chunk instanceof Uint8Array ? Buffer.from(chunk).toString() : String(chunk)
      const done = rest.at(-1)
      if (typeof done === 'function') done()
      return true
    }),
  )
  try {
    if (cwd !== undefined) process.chdir(cwd)
    process.argv = [process.execPath, mainFile, ...args]
    Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true })
    Object.assign(process.env, steady, env)
    process.exitCode = undefined
    Object.defineProperty(process.stdout, 'isTTY', { value: isTerminal, configurable: true, writable: true })
    await nativeImport(`${pathToFileURL(mainFile)}?run=${runs++}`)
    return { ...printed, code: Number(process.exitCode ?? 0) }
  } finally {
    for (const spy of spies) spy.mockRestore()
    Object.defineProperty(process.stdout, 'isTTY', { value: undefined, writable: true, ...isTTY, configurable: true })
    process.argv = before.argv
    if (cwd !== undefined) process.chdir(before.cwd)
    Object.defineProperty(process, 'stdin', before.stdin)
    for (const name of Object.keys(process.env)) if (!(name in before.env)) delete process.env[name]
    Object.assign(process.env, before.env)
    process.exitCode = before.code
  }
}

/** Runs a shell line in which `clew` is the built tool. */
export function shell(line: string): Promise<Result> {
  return new Promise((done, fail) => {
    const child = spawn('bash', [
      '-c',
      `clew() { "${process.execPath}" "${mainFile}" "$@"; }; set -o pipefail; ${line}`,
    ])
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', chunk => (stdout += chunk))
    child.stderr.on('data', chunk => (stderr += chunk))
    child.on('error', fail)
    child.on('close', code => done({ stdout, stderr, code }))
  })
}

/** One JSON value per line. */
export function lines(result: Result): Record<string, unknown>[] {
  return result.stdout
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
}

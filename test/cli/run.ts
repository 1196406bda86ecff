// Runs the built command line tool: in a process of its own as people do, or inside the test's process, which takes a tenth of
// the time. capture.ts runs one command from its source, without the reading of arguments.

import { spawn, spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { type HereOptions, runHere } from '../../scripts/run-here.mjs'

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

/** Runs `clew …` to its end inside this process, one after the other. Colours and signals need a process. */
export function clewHere(args: readonly string[], { env, ...options }: HereOptions = {}): Promise<Result> {
  return runHere(mainFile, args, { ...options, env: { ...steady, ...env } })
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

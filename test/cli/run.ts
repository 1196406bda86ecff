// Runs the built command line tool as people do: in a process of its own, with a home of its own.

import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

export const mainFile = resolve('dist/cli/main.js')

export interface Result {
  stdout: string
  stderr: string
  code: number | null
}

/** Runs `clew …` to its end. */
export function clew(args: readonly string[], options: { input?: string; env?: Record<string, string> } = {}): Result {
  const done = spawnSync(process.execPath, [mainFile, ...args], {
    encoding: 'utf8',
    input: options.input ?? '',
    maxBuffer: 256 * 1024 * 1024,
    env: { ...process.env, NO_COLOR: '1', LC_ALL: 'C.UTF-8', TERM: 'xterm', ...options.env },
  })
  return { stdout: done.stdout, stderr: done.stderr, code: done.status }
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

/** A folder that is gone after the work. */
export async function withFolder<Value>(work: (folder: string) => Value | Promise<Value>): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), 'clew-cli-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

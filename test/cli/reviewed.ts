// Output that somebody has read, kept as text and compared exactly. `CLEW_REVIEW=1` writes what is printed now, to be read
// before it is kept.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect } from 'vitest'
import { samples } from '../home.ts'
import { clewHere } from './run.ts'

/** What makes output the same on every machine. */
export const steady = { COLUMNS: '100', TERM: 'xterm', LC_ALL: 'C.UTF-8', TZ: 'UTC' }

/** Runs clew on the sample history and compares what it prints with test/cli/reviewed/<name>.txt. */
export async function expectReviewed(name: string, args: readonly string[]): Promise<void> {
  const { stdout, stderr, code } = await clewHere([...args, '--root', samples, '--timezone', 'UTC'], { env: steady })
  expect([code, stderr]).toEqual([0, ''])
  const file = resolve('test/cli/reviewed', `${name}.txt`)
  if (process.env['CLEW_REVIEW']) writeFileSync(file, stdout)
  expect(stdout).toBe(existsSync(file) ? readFileSync(file, 'utf8') : `(${file} is not there)`)
}

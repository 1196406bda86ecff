// Reads what Claude Code writes to a status line: to its end, or until it is a whole object.

import { fstatSync, readSync } from 'node:fs'
import { parseJson } from '../../base/json.ts'

/** Claude Code's status has a few kilobytes. */
const largest = 4 * 1024 * 1024

/** Null where nothing writes to it, such as at a terminal. */
export async function readStdin(): Promise<string | null> {
  const parts: Buffer[] = []
  try {
    if (fstatSync(0).isCharacterDevice()) return null
    if (readAtOnce(parts)) return Buffer.concat(parts).toString('utf8')
  } catch (error) {
    // A pipe that does not wait has nothing yet; some systems say the end as an error.
    const code = (error as { code?: unknown }).code
    if (code === 'EOF') return Buffer.concat(parts).toString('utf8')
    if (code !== 'EAGAIN') return null
  }
  for await (const part of process.stdin) {
    parts.push(part)
    if (isEnough(parts)) break
  }
  return Buffer.concat(parts).toString('utf8')
}

function readAtOnce(parts: Buffer[]): boolean {
  for (;;) {
    const part = Buffer.allocUnsafe(64 * 1024)
    const length = readSync(0, part, 0, part.length, null)
    if (length === 0) return true
    parts.push(part.subarray(0, length))
    if (isEnough(parts)) return true
  }
}

/** Some callers leave the pipe open: a whole object is the end too. */
function isEnough(parts: readonly Buffer[]): boolean {
  const size = parts.reduce((sum, part) => sum + part.length, 0)
  if (size > largest) return true
  const text = Buffer.concat(parts).toString('utf8').trimEnd()
  return text.endsWith('}') && parseJson(text) !== undefined
}

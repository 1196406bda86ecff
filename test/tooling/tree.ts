// A small project in a temporary folder, and the project's own checks run on it. It knows nothing of what they check.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const made: string[] = []

/** A folder with these files; a value that is no text is written as JSON. */
export function makeTree(files: Record<string, unknown>): string {
  const root = mkdtempSync(join(tmpdir(), 'clew-tooling-'))
  made.push(root)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
  return root
}

export function removeTrees(): void {
  for (const root of made.splice(0)) rmSync(root, { recursive: true, force: true })
}

/** Runs one of scripts/*.mjs on the folder. */
export function runCheck(script: string, root: string, ...args: string[]): { code: number | null; output: string } {
  const path = resolve(import.meta.dirname, '../../scripts', script)
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, '--root', root, ...args], { encoding: 'utf8' })
  return { code: status, output: stdout + stderr }
}

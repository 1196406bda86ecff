// The program in docs/archive.md that restores without Clew: it is what people will have when nothing else is left.

import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { Archive } from '../../src/archive/archive.ts'
import { keep } from '../../src/archive/keep.ts'

const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'clew-docs-archive-'))
  folders.push(folder)
  return folder
}

function program(): string {
  const text = readFileSync(resolve('docs/archive.md'), 'utf8')
  const found = /restore:start -->\n```python\n([\s\S]*?)```\n<!-- restore:end/.exec(text)
  if (found?.[1] === undefined) throw new Error('docs/archive.md has no program')
  return found[1]
}

/** Path, mode and bytes of every file below a folder. */
function contents(root: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const mode = (statSync(path).mode & 0o777).toString(8)
    found.set(path.slice(root.length), `${mode} ${readFileSync(path).toString('base64')}`)
  }
  return found
}

function restore(archive: Archive, target: string): string {
  const script = join(temporary(), 'restore.py')
  writeFileSync(script, program())
  return execFileSync('python3', [script, archive.layout.folder, target], { encoding: 'utf8' })
}

describe('the program of docs/archive.md', () => {
  test('is at most fifty lines long', () => {
    expect(program().trimEnd().split('\n').length).toBeLessThanOrEqual(50)
  })

  test('restores the sample history with its modes, byte for byte, after many small runs', async () => {
    const place = temporary()
    const home = join(place, '.claude')
    cpSync(resolve('samples/home'), home, { recursive: true })
    const archive = new Archive(join(place, 'archive'))
    await keep(archive, { roots: [home] })
    const logs = [...contents(home).keys()].filter(path => path.endsWith('.jsonl') && path.includes('/projects/'))
    const [first = '', second = ''] = logs
    for (let turn = 0; turn < 20; turn++) {
      appendFileSync(join(home, first), `{"type":"user","turn":${turn}}\n`)
      if (turn === 10) truncateSync(join(home, second), 100)
      await keep(archive, { roots: [home] })
    }
    const target = join(place, 'restored')
    restore(archive, target)
    const kept = contents(home)
    for (const path of kept.keys()) if (/^\/(settings\.json|README)/.test(path)) kept.delete(path)
    expect(contents(target)).toEqual(kept)
  })
})

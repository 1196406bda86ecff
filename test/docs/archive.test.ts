// The program in docs/archive.md that restores without Clew: it is what people will have when nothing else is left.

import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { capture } from '../../src/archive/capture/capture.ts'
import { planPrune, prune } from '../../src/archive/maintain/prune.ts'
import { Archive } from '../../src/archive/store/archive.ts'

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
  const found = /restore:start -->\n```js\n([\s\S]*?)```\n<!-- restore:end/.exec(text)
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
  const script = join(temporary(), 'restore.mjs')
  writeFileSync(script, program())
  return execFileSync(process.execPath, [script, archive.layout.folder, target], { encoding: 'utf8' })
}

describe('the program of docs/archive.md', () => {
  test('is at most seventy lines long', () => {
    expect(program().trimEnd().split('\n').length).toBeLessThanOrEqual(70)
  })

  test('restores the sample history with its modes, byte for byte, after many small runs', async () => {
    const place = temporary()
    const home = join(place, '.claude')
    cpSync(resolve('samples/home'), home, { recursive: true })
    const archive = new Archive(join(place, 'archive'))
    await capture(archive, { roots: [home] })
    const logs = [...contents(home).keys()].filter(path => path.endsWith('.jsonl') && path.includes('/projects/'))
    const [first = '', second = ''] = logs
    for (let turn = 0; turn < 20; turn++) {
      appendFileSync(join(home, first), `{"type":"user","turn":${turn}}\n`)
      if (turn === 10) truncateSync(join(home, second), 100)
      await capture(archive, { roots: [home] })
    }
    const target = join(place, 'restored')
    restore(archive, target)
    const archived = contents(home)
    for (const path of archived.keys()) if (/^\/(settings\.json|README)/.test(path)) archived.delete(path)
    expect(contents(target)).toEqual(archived)
  })

  test('restores an archive of format 1, which is compressed with gzip', () => {
    const place = temporary()
    const archive = new Archive(resolve('test/archive/format-1'))
    restore(archive, join(place, 'restored'))
    const restored = contents(join(place, 'restored'))
    expect(restored.size).toBe(5)
    for (const { path, size } of [...archive.manifest.catalog.files()].flatMap(([one]) => one ?? [])) {
      const current = archive.manifest.catalog.current('/home/mira/.claude', path)
      const base64 = restored.get(`/${path}`)?.split(' ')[1] ?? ''
      expect(Buffer.from(base64, 'base64').length).toBe(current?.size ?? size)
    }
  })

  test('names what is damaged, restores all else, and continues where parts are lost for good', async () => {
    const place = temporary()
    const home = join(place, '.claude')
    const project = join(home, 'projects', '-home-mira-bakery')
    const archive = new Archive(join(place, 'archive'))
    mkdirSync(project, { recursive: true })
    for (const id of ['broken', 'whole', 'pruned']) writeFileSync(join(project, `${id}.jsonl`), linesOf(id, 0))
    for (let turn = 1; turn < 4; turn++) {
      await capture(archive, { roots: [home] })
      appendFileSync(join(project, 'broken.jsonl'), linesOf('broken', turn))
    }
    damageLine(join(archive.layout.manifest, '00000002.jsonl'), '"generation"')
    archive.reload()
    const plan = await planPrune(archive, { projects: ['/home/mira/pruned'] })
    await prune(archive, plan, { evenIfDamaged: true })
    expect(manifestText(archive)).toContain('"lost"')
    damageLine(join(archive.layout.manifest, readdirSync(archive.layout.manifest)[0] ?? ''), '"forgotten"|"base"')
    const script = join(place, 'restore.mjs')
    writeFileSync(script, program())
    const target = join(place, 'restored')
    const { status, stderr } = spawnSync(process.execPath, [script, archive.layout.folder, target], {
      encoding: 'utf8',
    })
    expect(stderr).toMatch(/damaged, a part is missing: ".*broken\.jsonl"/)
    expect(stderr).toMatch(/damaged line in \d+\.jsonl/)
    expect(stderr).not.toContain('whole.jsonl')
    expect(status).toBe(0)
    const restored = join(target, 'projects', '-home-mira-bakery')
    expect(readdirSync(restored).sort()).toEqual(['broken.jsonl', 'whole.jsonl'])
    expect(readFileSync(join(restored, 'whole.jsonl'), 'utf8')).toBe(linesOf('whole', 0))
  })
})

/** Enough for frames that are not cut again when more comes. */
function linesOf(session: string, turn: number): string {
  const value = { type: 'user', sessionId: session, cwd: `/home/mira/${session}`, turn }
  return Array.from(
    { length: 4000 },
    (_, n) => `${JSON.stringify({ ...value, uuid: `${session}-${turn}-${n}` })}\n`,
  ).join('')
}

function manifestText(archive: Archive): string {
  const { manifest } = archive.layout
  return readdirSync(manifest)
    .map(name => readFileSync(join(manifest, name), 'utf8'))
    .join('')
}

/** Changes one letter in the first line that has this. */
function damageLine(path: string, holding: string): void {
  const lines = readFileSync(path, 'utf8').split('\n')
  const at = lines.findIndex(line => new RegExp(holding).test(line))
  lines[at] = (lines[at] ?? '').replace(/"(\w)/, '"~')
  writeFileSync(path, lines.join('\n'))
}

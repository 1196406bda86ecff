// A first index of so much that all threads are at work: one compresses, one reads, one writes. It is the built tool that has
// threads. And how much memory is taken where one log is long, or one text.

import { createHash } from 'node:crypto'
import {
  appendFileSync,
  closeSync,
  createReadStream,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { randomOf } from '../archive/fixture.ts'
import { clew } from '../cli/run.ts'
import { withFolder } from '../home.ts'
import { reportSweep } from '../sweep.ts'

const megabytes = 36
const longBytes = 160e6
const hugeBytes = 2e9
const manyFiles = 100_000

/** Logs of different lengths, the last of them without a last line end. */
function makeLogs(root: string): Map<string, Buffer> {
  const random = randomOf(7)
  const words = Array.from({ length: 3000 }, () => Math.floor(random() * 1e12).toString(36))
  const logs = new Map<string, Buffer>()
  for (let bytes = 0, n = 0; bytes < megabytes * 1e6; n++) {
    const session = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
    const lines: string[] = []
    for (let length = 0, wanted = 2e5 + random() * 4e6; length < wanted; ) {
      const uuid = `${session.slice(0, 24)}${String(lines.length).padStart(12, '0')}`
      const text = Array.from({ length: 300 }, () => words[Math.floor(random() ** 2 * words.length)]).join(' ')
      const message = { role: 'user', content: text }
      const base = { type: 'user', uuid, parentUuid: null, sessionId: session, cwd: '/p', version: '2.1.0' }
      const line = JSON.stringify({ ...base, timestamp: '2026-05-01T10:00:00.000Z', message })
      lines.push(line)
      length += line.length
    }
    const path = join(root, 'projects/-p', `${session}.jsonl`)
    const content = Buffer.from(lines.join('\n') + (n % 3 === 0 ? '' : '\n'))
    logs.set(path, content)
    bytes += content.length
  }
  mkdirSync(join(root, 'projects/-p'), { recursive: true })
  for (const [path, content] of logs) writeFileSync(path, content)
  return logs
}

/** One log of that many bytes, most of them outputs. Gives how many there are. */
function makeLongLog(root: string, bytes: number): number {
  const session = '00000000-0000-4000-8000-000000000001'
  mkdirSync(join(root, 'projects/-p'), { recursive: true })
  const file = openSync(join(root, 'projects/-p', `${session}.jsonl`), 'w')
  let written = 0
  for (let n = 0; written < bytes; n++) {
    const uuid = `${session.slice(0, 24)}${String(n).padStart(12, '0')}`
    const content = [{ type: 'tool_result', tool_use_id: `call${n}`, content: `line ${n} of the output `.repeat(2500) }]
    const base = { type: 'user', uuid, parentUuid: null, sessionId: session, cwd: '/p', version: '2.1.0' }
    const record = { ...base, timestamp: '2026-05-01T10:00:00.000Z', message: { role: 'user', content } }
    written += writeSync(file, `${JSON.stringify(record)}\n`)
  }
  closeSync(file)
  return written
}

/** An environment in which a run leaves the memory that it took at most, and that number. */
function measured(folder: string): { env: Record<string, string>; peak: () => number } {
  const file = join(folder, 'peak')
  const node = { CLEW_TEST_PEAK: file, NODE_OPTIONS: `--require ${resolve('test/deep/peak.cjs')}` }
  return { env: { CLEW_HOME: join(folder, 'clew'), ...node }, peak: () => Number(readFileSync(file, 'utf8')) }
}

describe('a first index of much', () => {
  it('archives every byte, indexes every record once, and is what a rebuilt one would be', async () => {
    await withFolder(folder => {
      const root = join(folder, '.claude')
      const logs = makeLogs(root)
      const env = { CLEW_HOME: join(folder, 'clew') }
      const run = (...args: string[]) => clew([...args, '--root', root], { env })
      run('config', 'set', 'archive', 'auto')
      const made = run('index', 'refresh', '--json')
      expect(made.code, made.stderr).toBe(0)
      const { files, bytes, findings } = JSON.parse(made.stdout)
      expect({ files, findings }).toEqual({ files: logs.size, findings: [] })
      expect(bytes).toBe([...logs.values()].reduce((sum, log) => sum + log.length, 0))
      expect(run('index', 'verify').code).toBe(0)
      expect(run('archive', 'verify').code).toBe(0)
      const back = join(folder, 'back')
      const restored = clew(['archive', 'restore', '--all', '--to', back], { env })
      expect(restored.code, restored.stderr).toBe(0)
      for (const [path, content] of logs) {
        const found = readFileSync(join(back, relative(root, path)))
        expect(found.equals(content), path).toBe(true)
      }
    })
  }, 120_000)

  it('does not have a whole log in memory', async () => {
    await withFolder(folder => {
      const root = join(folder, '.claude')
      const bytes = makeLongLog(root, longBytes)
      const { env, peak } = measured(folder)
      clew(['config', 'set', 'archive', 'auto'], { env })
      const made = clew(['index', 'refresh', '--json', '--root', root], { env })
      expect(made.code, made.stderr).toBe(0)
      expect(JSON.parse(made.stdout)).toMatchObject({ bytes, keptBytes: bytes, isStopped: false })
      // About 165 MB, of which a process that does nothing takes 45; with the log it would be twice that.
      expect(peak()).toBeLessThan(250e6)
    })
  }, 120_000)
})

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}

describe('one log of 2 GB', () => {
  it('is archived, indexed, grown, found in and restored, in as much memory as a small one', async () => {
    await withFolder(async folder => {
      const root = join(folder, '.claude')
      const bytes = makeLongLog(root, hugeBytes)
      const log = join(root, 'projects/-p', readdirSync(join(root, 'projects/-p'))[0] ?? '')
      const { env, peak } = measured(folder)
      const run = (...words: string[]) => clew([...words, '--root', root], { env })
      run('config', 'set', 'archive', 'auto')
      const made = run('index', 'refresh', '--json')
      expect(made.code, made.stderr).toBe(0)
      expect(JSON.parse(made.stdout)).toMatchObject({ bytes, keptBytes: bytes, isStopped: false, findings: [] })
      expect(peak()).toBeLessThan(300e6)
      const last = { type: 'user', uuid: 'last', parentUuid: null, cwd: '/p', timestamp: '2026-05-02T10:00:00.000Z' }
      appendFileSync(log, `${JSON.stringify({ ...last, message: { role: 'user', content: 'xyzzyplover' } })}\n`)
      const found = run('search', 'xyzzyplover', '--json')
      expect(found.code, found.stderr).toBe(0)
      expect(peak()).toBeLessThan(300e6)
      expect(run('archive', 'verify').code).toBe(0)
      const restored = clew(['archive', 'restore', '--all', '--to', join(folder, 'back')], { env })
      expect(restored.code, restored.stderr).toBe(0)
      expect(peak()).toBeLessThan(300e6)
      expect(await hashOf(join(folder, 'back', 'projects/-p', basename(log)))).toBe(await hashOf(log))
      reportSweep('one log of 2 GB', 1, 0)
    })
  }, 3_600_000)
})

describe('100,000 files', () => {
  it('are archived and indexed once each, and what changed among them is found', async () => {
    await withFolder(folder => {
      const root = join(folder, '.claude')
      const logOf = (n: number) => join(root, `projects/-p${n % 100}`, `${sessionOf(n)}.jsonl`)
      const sessionOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
      const record = (n: number, content: string) => {
        const base = { type: 'user', uuid: `${n}-${content}`, parentUuid: null, sessionId: sessionOf(n), cwd: '/p' }
        const message = { role: 'user', content }
        return `${JSON.stringify({ ...base, version: '2.1.0', timestamp: '2026-05-01T10:00:00.000Z', message })}\n`
      }
      for (let n = 0; n < 100; n++) mkdirSync(join(root, `projects/-p${n}`), { recursive: true })
      for (let n = 0; n < manyFiles; n++) writeFileSync(logOf(n), record(n, `prompt ${n}`))
      const { env, peak } = measured(folder)
      const run = (...words: string[]) => clew([...words, '--root', root], { env })
      run('config', 'set', 'archive', 'auto')
      const made = run('index', 'refresh', '--json')
      expect(made.code, made.stderr).toBe(0)
      expect(JSON.parse(made.stdout)).toMatchObject({ files: manyFiles, isStopped: false, findings: [] })
      expect(peak()).toBeLessThan(2e9)
      appendFileSync(logOf(77_777), record(77_777, 'xyzzyplover'))
      const found = run('search', 'xyzzyplover', '--json')
      expect(found.stdout).toContain(sessionOf(77_777))
      const status = JSON.parse(run('index', 'status', '--json').stdout)
      expect(status).toMatchObject({ files: manyFiles, sessions: manyFiles, pendingBytes: 0 })
      expect(run('index', 'verify').code).toBe(0)
      expect(run('archive', 'verify').code).toBe(0)
      reportSweep('100,000 files', manyFiles, 0)
    })
  }, 3_600_000)
})

describe('a prompt of 20 MB shown whole', () => {
  const sentence = 'The kettle is on the stove and 42 cups wait. '
  it.each([
    ['of one line', sentence],
    ['of many lines', `${sentence}\n`],
    ['of many paragraphs', 'tea\n\n'],
    ['of one word', 'x'],
    ['without blanks, of wide characters', '地図'],
    ['of wide characters and blanks', '地図 '],
  ])(
    '%s takes less than 400 MB',
    (_name, piece) =>
      withFolder(folder => {
        const session = '00000000-0000-4000-8000-000000000001'
        const project = join(folder, '.claude/projects/-p')
        mkdirSync(project, { recursive: true })
        const content = piece.repeat(Math.floor(20e6 / Buffer.byteLength(piece)))
        const base = { type: 'user', uuid: 'u1', parentUuid: null, sessionId: session, cwd: '/p', version: '2.1.0' }
        const record = { ...base, timestamp: '2026-05-01T10:00:00.000Z', message: { role: 'user', content } }
        writeFileSync(join(project, `${session}.jsonl`), `${JSON.stringify(record)}\n`)
        const { env, peak } = measured(folder)
        const shown = clew(['show', session, '--full', '--root', join(folder, '.claude')], { env })
        expect(shown.code, shown.stderr).toBe(0)
        const count = (text: string) => text.split(piece.trim().slice(0, 1)).length
        expect(count(shown.stdout)).toBeGreaterThanOrEqual(count(content))
        expect(peak()).toBeLessThan(400e6)
      }),
    120_000,
  )
})

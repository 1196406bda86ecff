// Random lives of a home against a model of what the archive must have of them: every content that was there at a run, in
// the generation that the rules of generations say.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { capture } from '../../src/archive/capture/capture.ts'
import { largestFrame } from '../../src/archive/format/layout.ts'
import { readFrame } from '../../src/archive/format/pack.ts'
import { archivedGeneration, archiveSource } from '../../src/archive/read/source.ts'
import type { Archive } from '../../src/archive/store/archive.ts'
import { isDeep, seedOr } from '../needs.ts'
import fc from '../property.ts'
import { archivedBytes, Dice, type Fixture, logBytes, sessionA, withFixture } from './fixture.ts'
import { type Change, change, changes, paths } from './model-changes.ts'

/** What the model knows of one generation. */
interface Life {
  id: string
  number: number
  content: Buffer
  identity: string
}

interface Run {
  kind: 'capture'
  isFresh: boolean
  isSettled: boolean
  seen: 'whole' | 'gone' | 'damaged' | 'cut'
}

type Step = Change | Run

const run: fc.Arbitrary<Run> = fc.record({
  kind: fc.constant('capture' as const),
  isFresh: fc.boolean(),
  isSettled: fc.boolean(),
  seen: fc.constantFrom('whole', 'whole', 'whole', 'gone', 'damaged', 'cut'),
})

function isSessionFile(path: string): boolean {
  return /^projects\/[^/]+\/[0-9a-f-]{36}\.jsonl$/.test(path)
}

class Model {
  private readonly fixture: Fixture
  private archive: Archive
  /** Generations of each path, oldest first. */
  private readonly lives = new Map<string, Life[]>()
  /** Every content that was there at a run. */
  private readonly states: { id: string; content: Buffer }[] = []
  private isSettled = false

  constructor(fixture: Fixture) {
    this.fixture = fixture
    this.archive = fixture.archive()
    mkdirSync(fixture.at('projects'))
  }

  async step(step: Step): Promise<void> {
    if (step.kind === 'capture') return this.capture(step)
    // After a settled run, a change must show in the file's times; they move in steps of some milliseconds.
    if (this.isSettled) await pause(12)
    this.isSettled = false
    if (step.kind !== 'move' || !this.isSeenTwice(step.path)) change(this.fixture, step)
  }

  /** Where a file was archived under two names that it has no more, it could continue with either. */
  private isSeenTwice(path: string): boolean {
    if (!existsSync(this.fixture.at(path))) return false
    const identity = this.fixture.identity(path)
    return [...this.lives].some(
      ([name, lives]) => !existsSync(this.fixture.at(name)) && lives.at(-1)?.identity === identity,
    )
  }

  private async capture(step: Run): Promise<void> {
    if (step.isFresh) this.archive = this.fixture.archive()
    spoilSeen(this.archive.layout.seen, step.seen)
    this.fixture.aheadMs = step.isSettled ? 60_000 : 0
    this.isSettled = step.isSettled
    const expected = this.expect()
    const report = await capture(this.archive, { roots: [this.fixture.home] })
    expect(report.failure).toBeUndefined()
    expect(report.findings).toEqual([])
    const { added, grown, rewritten, moved } = report
    expect({ added, grown, rewritten, moved }).toEqual(expected)
    this.learn()
    const segment = this.archive.lastSegment()
    const again = await capture(this.archive, { roots: [this.fixture.home] })
    expect(again.bytes + again.added + again.grown + again.rewritten + again.moved).toBe(0)
    expect(this.archive.lastSegment()).toBe(segment)
  }

  /** Plays the rules of generations through; ids of new ones are learned afterwards. */
  private expect() {
    const counts = { added: 0, grown: 0, rewritten: 0, moved: 0 }
    const gone = [...this.lives.keys()].filter(path => !existsSync(this.fixture.at(path)))
    for (const path of paths.filter(name => existsSync(this.fixture.at(name)))) {
      const content = this.fixture.read(path)
      const identity = this.fixture.identity(path)
      const here = this.lives.get(path) ?? this.moveHere(path, identity, content, gone, counts)
      const last = here?.at(-1)
      if (last === undefined || here === undefined) {
        counts.added++
        this.lives.set(path, [{ id: '', number: 1, content, identity }])
      } else if (content.subarray(0, last.content.length).equals(last.content)) {
        if (content.length > last.content.length) counts.grown++
        Object.assign(last, { content, identity })
      } else {
        counts.rewritten++
        here.push({ id: '', number: last.number + 1, content, identity })
      }
    }
    return counts
  }

  private moveHere(path: string, identity: string, content: Buffer, gone: string[], counts: { moved: number }) {
    for (const from of gone) {
      const lives = this.lives.get(from) ?? []
      const last = lives.at(-1)
      if (last === undefined || !this.isMoved(from, last, path, identity, content)) continue
      this.lives.delete(from)
      this.lives.set(path, lives)
      counts.moved++
      return lives
    }
    return undefined
  }

  /** By its identity where the content continues; a session file by its name too, unless another file has the identity. */
  private isMoved(from: string, last: Life, path: string, identity: string, content: Buffer): boolean {
    const holders = paths.filter(
      name => existsSync(this.fixture.at(name)) && this.fixture.identity(name) === last.identity,
    )
    const isNamesake = (name: string) => isSessionFile(from) && isSessionFile(name) && basename(name) === basename(from)
    if (isNamesake(path) && (holders.length === 0 || holders.some(isNamesake))) return true
    if (holders.some(isNamesake) || last.identity !== identity) return false
    return content.subarray(0, last.content.length).equals(last.content)
  }

  /** The catalog has exactly the generations of the model. */
  private learn(): void {
    const { catalog } = this.archive.manifest
    const { home } = this.fixture
    const known = [...this.lives.values()].flat().map(life => life.id)
    expect([...catalog.files()].map(([first]) => first?.path ?? '').sort()).toEqual([...this.lives.keys()].sort())
    for (const [path, lives] of this.lives) {
      const archived = catalog.of(home, path)
      expect(archived.map(({ number, size }) => ({ number, size }))).toEqual(
        lives.map(({ number, content }) => ({ number, size: content.length })),
      )
      for (const [index, life] of lives.entries()) {
        const id = archived[index]?.id ?? ''
        if (life.id === '') expect(known).not.toContain(id)
        else expect(id).toBe(life.id)
        life.id = id
      }
      const last = lives.at(-1)
      expect(catalog.current(home, path)?.id).toBe(last?.id)
      if (last !== undefined && existsSync(this.fixture.at(path)))
        this.states.push({ id: last.id, content: last.content })
    }
  }

  /** Everything that was ever there at a run is readable, by this archive and by one that was opened again. */
  async proveAll(seed: number): Promise<void> {
    for (const archive of [this.archive, this.fixture.archive()]) {
      expect(archive.exists || this.states.length === 0).toBe(true)
      if (!archive.exists) continue
      const { catalog, damage } = archive.manifest
      expect(damage).toEqual([])
      expect(catalog.broken.size).toBe(0)
      for (const { content, id } of this.states) {
        expect((await archivedBytes(archive, id, 0, content.length)).equals(content)).toBe(true)
      }
      for (const life of [...this.lives.values()].flat()) await proveLife(archive, life, new Dice(seed))
      for (const { size, frames } of catalog.generations.values()) {
        const lengths = frames.map(frame => catalog.frames.get(frame)?.bytes ?? Number.NaN)
        expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(size)
        expect(Math.max(0, ...lengths)).toBeLessThanOrEqual(largestFrame)
      }
      for (const frame of catalog.liveFrames()) {
        const place = catalog.frames.get(frame)
        if (place === undefined) throw new Error('a frame has no place')
        expect((await readFrame(archive.layout, frame, place)).length).toBe(place.bytes)
      }
    }
  }
}

async function proveLife(archive: Archive, { id, content }: Life, dice: Dice): Promise<void> {
  const source = archiveSource(archive)
  const whole = await archivedBytes(archive, id)
  expect(whole.equals(content)).toBe(true)
  for (let count = 0; count < 8; count++) {
    const from = dice.below(content.length + 2)
    const to = from + dice.below(count % 2 === 0 ? 300 : content.length + 2)
    const range = content.subarray(from, to)
    expect((await archivedBytes(archive, id, from, to)).equals(range)).toBe(true)
    expect(Buffer.from(source.readSync(archivedGeneration(id), from, to)).equals(range)).toBe(true)
  }
}

function spoilSeen(path: string, how: Run['seen']): void {
  if (how === 'whole' || !existsSync(path)) return
  if (how === 'gone') {
    rmSync(path)
    return
  }
  const bytes = readFileSync(path)
  const at = bytes.length >> 1
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(path, how === 'cut' ? bytes.subarray(0, at) : bytes)
}

async function live(steps: readonly Step[]): Promise<void> {
  await withFixture(async fixture => {
    const model = new Model(fixture)
    for (const step of steps) await model.step(step)
    await model.step({ kind: 'capture', isFresh: false, isSettled: false, seen: 'whole' })
    await model.proveAll(steps.length)
  })
}

describe('whatever happens to files', () => {
  it('all that was there at a run is archived, in the right generation', async () => {
    const steps = fc.array(fc.oneof({ weight: 4, arbitrary: changes }, { weight: 2, arbitrary: run }), {
      minLength: 10,
      maxLength: 60,
      size: 'max',
    })
    await fc.assert(fc.asyncProperty(steps, live), { seed: seedOr(4), numRuns: isDeep ? 200 : 15 })
  })

  it('many small runs are tidied up, and nothing that can be read changes', async () => {
    await withFixture(async fixture => {
      const path = `projects/-p/${sessionA}.jsonl`
      fixture.write(path, logBytes(1, 200_000))
      const early = fixture.archive()
      await capture(fixture.archive(), { roots: [fixture.home] })
      const id = early.manifest.catalog.current(fixture.home, path)?.id ?? ''
      const reader = archiveSource(early)
      let isTidied = false
      for (let count = 2; count < 90; count++) {
        fixture.append(path, logBytes(count, 900))
        fixture.write(`todos/${sessionA}.json`, JSON.stringify({ count }))
        const archive = fixture.archive()
        const { failure } = await capture(archive, { roots: [fixture.home] })
        expect(failure).toBeUndefined()
        isTidied ||= readFileSync(`${archive.layout.manifest}/${archive.lastSegment()}`, 'utf8').includes('"base":true')
        expect(archive.manifest.catalog.of(fixture.home, `todos/${sessionA}.json`)).toHaveLength(count - 1)
      }
      expect(isTidied).toBe(true)
      rmSync(fixture.at(path))
      const late = fixture.archive()
      expect(late.manifest.catalog.current(fixture.home, path)?.id).toBe(id)
      expect((await archivedBytes(late, id)).length).toBe(200_000 + 88 * 900)
      expect(new Set([...late.manifest.catalog.frames.values()].map(place => place.pack)).size).toBeLessThan(20)
      const todos = late.manifest.catalog.of(fixture.home, `todos/${sessionA}.json`)
      for (const [index, { id: todo }] of todos.entries()) {
        expect((await archivedBytes(late, todo)).toString()).toBe(JSON.stringify({ count: index + 2 }))
      }
      // One that was opened before the packs were joined finds its way.
      expect(Buffer.from(reader.readSync(archivedGeneration(id), 0, 1000)).equals(logBytes(1, 1000))).toBe(true)
      expect((await archivedBytes(early, id, 150_000, 200_000)).equals(logBytes(1, 200_000).subarray(150_000))).toBe(
        true,
      )
    })
  })
})

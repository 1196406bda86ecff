// What may happen to the files of a home between two runs of the archive, as data that fast-check can make and shrink.

import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from '../property.ts'
import { type Fixture, logBytes, sessionA, sessionB } from './fixture.ts'

export const paths: readonly string[] = [
  `projects/-p/${sessionA}.jsonl`,
  `projects/-p/${sessionB}.jsonl`,
  `projects/-q/${sessionA}.jsonl`,
  `projects/-p/${sessionA}/subagents/agent-a1.jsonl`,
  `projects/-p/${sessionA}/tool-results/out.txt`,
  `todos/${sessionA}.json`,
  `file-history/${sessionB}/0a@v1`,
  'plans/quiet-fog.md',
  'history.jsonl',
]

interface Content {
  seed: number
  size: number
}

const kinds = [
  ...['append', 'append', 'append', 'append', 'append', 'create', 'create', 'create'],
  ...['continue', 'replace', 'truncate', 'overwrite', 'rewrite-same', 'rewrite-larger', 'rewrite-smaller'],
  ...['move', 'move', 'copy', 'delete', 'touch', 'same', 'chmod'],
] as const

/** One thing that happens; every kind uses the fields it needs. */
export interface Change {
  kind: (typeof kinds)[number]
  path: string
  /** Where it is moved or copied to. */
  to: string
  content: Content
  /** Thousandths of the length, for what happens in the middle. */
  part: number
  /** A change in the middle is followed by an append. */
  isAppended: boolean
}

const path = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...paths.slice(0, 3)) }, fc.constantFrom(...paths))

// Mostly the steps in which a client writes; sometimes enough for several frames.
const size = fc.oneof(
  { weight: 3, arbitrary: fc.nat(3) },
  { weight: 8, arbitrary: fc.nat(3000) },
  { weight: 3, arbitrary: fc.integer({ min: 20_000, max: 150_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 300_000, max: 1_600_000 }) },
)

const content: fc.Arbitrary<Content> = fc.record({ seed: fc.nat(1000), size })

export const changes: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom(...kinds),
  path,
  to: path,
  content,
  part: fc.nat(999),
  isAppended: fc.boolean(),
})

/** Does it, where it is possible; else nothing. */
export function change(fixture: Fixture, step: Change): void {
  const place = fixture.at(step.path)
  if (existsSync(place)) changeFile(fixture, step, place)
  else if (step.kind === 'create') fixture.write(step.path, bytesOf(step.content))
}

function changeFile(fixture: Fixture, step: Change, place: string): void {
  const { kind, content: given } = step
  if (kind === 'append') fixture.append(step.path, bytesOf(given))
  else if (kind === 'delete') rmSync(place)
  else if (kind === 'touch') utimesSync(place, step.part, 1_700_000_000 + step.part)
  else if (kind === 'chmod') chmodSync(place, step.isAppended ? 0o644 : 0o640)
  else if (kind === 'move' || kind === 'copy') moveOrCopy(fixture, step)
  else if (kind !== 'create') changeContent(fixture, step, place)
}

function moveOrCopy(fixture: Fixture, { kind, path: from, to }: Change): void {
  const target = fixture.at(to)
  if (existsSync(target)) return
  mkdirSync(dirname(target), { recursive: true })
  if (kind === 'move') renameSync(fixture.at(from), target)
  else copyFileSync(fixture.at(from), target)
}

function changeContent(
  fixture: Fixture,
  { kind, path: name, content: given, part, isAppended }: Change,
  place: string,
): void {
  const before = fixture.read(name)
  const middle = Math.floor((before.length * part) / 1000)
  if (kind === 'truncate') truncateSync(place, middle)
  else if (kind === 'overwrite') overwrite(place, middle, given)
  else if (kind === 'replace') replaceBy(fixture, place, bytesOf(given))
  else if (kind === 'continue') replaceBy(fixture, place, Buffer.concat([before, bytesOf(given)]))
  else if (kind === 'same') replaceBy(fixture, place, before)
  else writeFileSync(place, logBytes(given.seed, sizeOf(kind, before.length)))
  if (isAppended && (kind === 'truncate' || kind === 'overwrite')) fixture.append(name, bytesOf(given))
}

/** Another file takes the place, as editors and clients do it that write aside. */
function replaceBy(fixture: Fixture, place: string, bytes: Buffer): void {
  const aside = join(fixture.folder, 'aside')
  writeFileSync(aside, bytes)
  renameSync(aside, place)
}

/** Some bytes in the middle change; the length stays. */
function overwrite(place: string, at: number, { seed }: Content): void {
  const file = openSync(place, 'r+')
  writeSync(file, `${seed}`, at)
  closeSync(file)
}

function sizeOf(kind: Change['kind'], before: number): number {
  if (kind === 'rewrite-same') return before
  return kind === 'rewrite-larger' ? before + 1000 : before >> 1
}

function bytesOf({ seed, size: bytes }: Content): Buffer {
  return logBytes(seed, bytes)
}

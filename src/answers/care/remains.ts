// Looks for what was erased in everything under Clew's own folder: index and write-ahead log, archive, decompressed, and every
// other file. Texts that other sessions have too are theirs, and stay. It erases nothing.

import { closeSync, lstatSync, openSync, readSync } from 'node:fs'
import { join, sep } from 'node:path'
import { linesOf } from '../../archive/capture/history-lines.ts'
import { isPackName } from '../../archive/format/layout.ts'
import { readFrameSync } from '../../archive/format/pack.ts'
import type { ForgetPlan } from '../../archive/maintain/forget.ts'
import { archivedBytes } from '../../archive/read/source.ts'
import type { Archive } from '../../archive/store/archive.ts'
import { attempt } from '../../base/attempt.ts'
import { entriesOf } from '../../files/durable.ts'
import { wordsLeft } from '../../index/store/erase.ts'
import { indexFolder } from '../../index/store/open.ts'
import type { Discovery } from '../../model/source.ts'
import type { Clew } from '../clew.ts'

/** What was looked at, and what was found. */
export interface Looked {
  files: number
  /** Archived frames count with their bytes before compression. */
  bytes: number
  /** How many texts of it were looked for, its id among them. */
  texts: number
  /** Those that other sessions, or files on disk, have too. */
  shared: number
  /** Files that still have one, and how many. */
  found: { file: string; texts: number }[]
}

/** So many texts are looked for, spread over all lines. */
const mostTexts = 200
/** What a text is long at least, and at most, in characters. */
const [shortest, longest] = [12, 40]
const chunkBytes = 4 * 1024 * 1024

/** From every line that will be erased, the beginning of its longest text; and the session's id, or the name of the file. */
export async function textsToErase(archive: Archive, plan: ForgetPlan): Promise<string[]> {
  const texts = new Set<string>()
  const rewritten = new Set(plan.histories.map(({ home, path, number }) => `${home}\0${path}\0${number}`))
  for (const id of plan.generationIds) {
    const generation = archive.manifest.catalog.generations.get(id)
    if (generation === undefined) continue
    const { home, path, number } = generation
    const isRewritten = rewritten.has(`${home}\0${path}\0${number}`)
    try {
      for await (const line of linesOf(archivedBytes(archive, generation))) {
        const text = isRewritten && !line.includes(plan.session) ? undefined : textIn(line.toString('utf8'))
        if (text !== undefined) texts.add(text)
      }
    } catch {
      // What is damaged has no text that could be looked for.
    }
  }
  return [plan.file ?? plan.session, ...spread([...texts])]
}

/** Without quotes and backslashes, so that it is written everywhere as it is. */
function textIn(line: string): string | undefined {
  let found = ''
  for (const [text] of line.matchAll(/[^"\\\u0000-\u001f]{12,4000}/g)) {
    // Ids and signatures have no blanks.
    if (text.length > found.length && text.includes(' ')) found = text
  }
  const text = found.trim().slice(0, longest).trim()
  return text.length < shortest ? undefined : text
}

function spread(texts: readonly string[]): string[] {
  if (texts.length <= mostTexts) return [...texts]
  return Array.from({ length: mostTexts }, (_, n) => texts[Math.floor((n * texts.length) / mostTexts)] ?? '')
}

/**
 * After the erasure. `noted`: names that the index keeps on purpose, so as to erase again what is on disk still. `discoveries`:
 * what is on disk, only read where something was found.
 */
export async function lookForRemains(
  clew: Clew,
  archive: Archive,
  texts: readonly string[],
  { noted, discoveries }: { noted: readonly string[]; discoveries: readonly Discovery[] },
): Promise<Looked> {
  const looked: Looked = { files: 0, bytes: 0, texts: texts.length, shared: 0, found: [] }
  const sought = new Sought(texts)
  const line = clew.listener.progress('looking for what is left')
  try {
    const shared = archive.exists ? lookInFrames(archive, sought, looked, bytes => line.add(bytes)) : new Set<string>()
    const hits = new Map<string, Set<string>>()
    const note = (file: string, found: Iterable<string>) => {
      const isNoted = file.startsWith(indexFolder(clew.home) + sep)
      const left = [...found].filter(text => !shared.has(text) && !(isNoted && noted.includes(text)))
      if (left.length > 0) hits.set(file, new Set([...(hits.get(file) ?? []), ...left]))
    }
    for (const path of filesBelow(clew.home)) {
      looked.files++
      if (isPackName(path.slice(path.lastIndexOf(sep) + 1))) continue
      note(
        path,
        lookInFile(path, sought, bytes => (looked.bytes += bytes)),
      )
    }
    const words = wordsLeft(clew.home, texts.slice(1))
    if (hits.size > 0) for (const text of onDisk(discoveries, sought)) shared.add(text)
    looked.shared = shared.size
    for (const [file, all] of hits) {
      const left = [...all].filter(text => !shared.has(text))
      if (left.length > 0) looked.found.push({ file, texts: left.length })
    }
    if (words.length > 0) looked.found.push({ file: indexFolder(clew.home), texts: words.length })
    return looked
  } finally {
    line.end()
  }
}

/** What frames have that are of something: what is in no frame of any file was not erased. */
function lookInFrames(
  { layout, manifest: { catalog } }: Archive,
  sought: Sought,
  looked: Looked,
  progress: (bytes: number) => void,
): Set<string> {
  const shared = new Set<string>()
  const live = catalog.liveFrames()
  for (const [id, place] of catalog.frames) {
    const raw = attempt(() => readFrameSync(layout, id, place))
    if (raw === undefined) continue
    looked.bytes += raw.length
    progress(raw.length)
    const found = sought.in(raw)
    if (live.has(id)) for (const text of found) shared.add(text)
    else if (found.size > 0) looked.found.push({ file: join(layout.packs, place.pack), texts: found.size })
  }
  return shared
}

/** Texts that logs on disk have: of Claude Code's files nothing is erased, and the index has their words again. */
function onDisk(discoveries: readonly Discovery[], sought: Sought): Set<string> {
  const found = new Set<string>()
  for (const { sessions, histories, strays } of discoveries) {
    const logs = [...sessions.flatMap(session => [...session.logs, ...session.side]), ...histories, ...strays]
    for (const { path } of logs) for (const text of lookInFile(path, sought, () => {})) found.add(text)
  }
  return found
}

/** Lines of the manifest that say what is not to be archived name it on purpose. */
const markPattern = /^\{"(forgotten|forgottenFile|remembered)":/

function lookInFile(path: string, sought: Sought, progress: (bytes: number) => void): Set<string> {
  const found = new Set<string>()
  const isManifest = path.includes(`${sep}manifest${sep}`)
  for (const chunk of chunksOf(path)) {
    progress(chunk.length)
    const lines = isManifest ? chunk.toString('utf8').split('\n') : []
    const bytes = isManifest ? Buffer.from(lines.filter(line => !markPattern.test(line)).join('\n')) : chunk
    for (const text of sought.in(bytes)) found.add(text)
  }
  return found
}

/** With what the chunk before it ended with, so that no boundary hides a text. A file that is gone or unreadable has none. */
function* chunksOf(path: string): Generator<Buffer> {
  const file = attempt(() => openSync(path, 'r'))
  if (file === undefined) return
  const overlap = 4 * longest + 1024
  try {
    let before = Buffer.alloc(0)
    for (;;) {
      const buffer = Buffer.allocUnsafe(chunkBytes)
      const length = attempt(() => readSync(file, buffer, 0, buffer.length, null)) ?? 0
      if (length === 0) return
      const chunk = Buffer.concat([before, buffer.subarray(0, length)])
      yield chunk
      before = chunk.subarray(Math.max(0, chunk.length - overlap))
    }
  } finally {
    closeSync(file)
  }
}

function* filesBelow(folder: string): Generator<string> {
  for (const entry of attempt(() => entriesOf(folder)) ?? []) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesBelow(path)
    else if (attempt(() => lstatSync(path))?.isFile() === true) yield path
  }
}

/** Many texts at once: the hash of four bytes tells at almost every place that none begins there. */
class Sought {
  private readonly starts = new Uint8Array(65_536)
  private readonly byStart = new Map<number, { text: string; bytes: Buffer }[]>()

  constructor(texts: readonly string[]) {
    for (const text of texts) {
      const bytes = Buffer.from(text)
      if (bytes.length < 4) continue
      const start = bytes.readInt32LE(0)
      this.starts[slotOf(start)] = 1
      this.byStart.set(start, [...(this.byStart.get(start) ?? []), { text, bytes }])
    }
  }

  in(bytes: Buffer): Set<string> {
    const found = new Set<string>()
    let four = 0
    for (let end = 0; end < bytes.length; end++) {
      four = (four >>> 8) | ((bytes[end] ?? 0) << 24)
      if (this.starts[slotOf(four)] === 0 || end < 3) continue
      const at = end - 3
      for (const { text, bytes: wanted } of this.byStart.get(four) ?? [])
        if (bytes.subarray(at, at + wanted.length).equals(wanted)) found.add(text)
    }
    return found
  }
}

function slotOf(four: number): number {
  return Math.imul(four, 0x9e3779b1) >>> 16
}

// Writes the archive, or some sessions of it, as one tar that plain tools unpack and `import` takes in again. Every byte is
// proved before it goes out; what is damaged is left out and told.

import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { textToBytes } from '../../base/bytes.ts'
import type { Generation } from '../format/catalog.ts'
import { ArchiveError, writeFailure } from '../format/error.ts'
import { keptBytes } from '../read/kept-bytes.ts'
import type { KeptSession } from '../read/sessions.ts'
import type { Archive } from '../store/archive.ts'
import { AsideFile } from '../store/durable.ts'
import { type ExportedFile, entryOf, exportFolder, exportListName, exportListText } from './export-list.ts'
import { TarWriter } from './tar-write.ts'

export interface ExportOptions {
  /** Only these; else all that is kept. */
  sessions?: readonly KeptSession[]
  /** Told how many raw bytes more are done; each byte counts twice, once for proving it. */
  progress?: (bytes: number) => void
  /** Asked between files; true ends it with the code `stopped`, and nothing is left of a file. */
  isStopped?: () => boolean
}

export interface ExportReport {
  homes: string[]
  files: number
  generations: number
  /** Raw bytes of all generations that were written. */
  bytes: number
  /** What could not be written, since the archive itself has lost it. */
  damaged: { home: string; path: string; number: number; problem: string }[]
}

interface Proved {
  generation: Generation
  file: ExportedFile
}

export async function exportArchive(
  archive: Archive,
  write: (bytes: Uint8Array) => Promise<void>,
  options: ExportOptions = {},
): Promise<ExportReport> {
  const now = archive.now()
  const generations = chosenGenerations(archive, options)
  const homes = [...new Set(generations.map(({ home }) => home))].sort()
  const report: ExportReport = { homes, files: 0, generations: 0, bytes: 0, damaged: [] }
  const proved: Proved[] = []
  for (const generation of generations) {
    refuseStopped(options)
    const file = await prove(archive, generation, homes.indexOf(generation.home), report, options)
    if (file !== null) proved.push({ generation, file })
  }
  const tar = new TarWriter(write)
  await tar.addFolder({ path: exportFolder, mode: 0o700, modifiedMs: now })
  const list = textToBytes(exportListText({ homes, files: proved.map(({ file }) => file) }, now))
  const listPath = `${exportFolder}/${exportListName}`
  await tar.addFile({ path: listPath, mode: 0o600, modifiedMs: now, size: list.length }, once(list))
  for (const { generation, file } of inTarOrder(proved)) {
    refuseStopped(options)
    const { size, mode, modifiedMs } = file
    const content = counted(keptBytes(archive, generation), options)
    await tar.addFile({ path: `${exportFolder}/${file.entry}`, size, mode, modifiedMs }, content)
    report.generations++
    report.bytes += size
  }
  await tar.end()
  report.files = new Set(proved.map(({ file }) => `${file.home}/${file.path}`)).size
  return report
}

/** The same into a file that is not there yet, for the owner alone; packed where the name ends in `gz`. */
export async function exportToFile(archive: Archive, path: string, options: ExportOptions = {}): Promise<ExportReport> {
  const place = resolve(path)
  refuseExisting(place)
  let aside: AsideFile | null = null
  try {
    const file = new AsideFile(archive.ops, dirname(place), 0o600, basename(place))
    aside = file
    const packer = /\.t?gz$/i.test(place) ? new Packer(bytes => file.write(bytes)) : null
    const report = await exportArchive(
      archive,
      async bytes => (packer === null ? file.write(bytes) : packer.push(bytes)),
      options,
    )
    packer?.end()
    refuseExisting(place)
    file.commit(basename(place))
    return report
  } catch (error) {
    aside?.discard()
    throw writeFailure(error, place)
  }
}

function refuseStopped({ isStopped }: ExportOptions): void {
  if (isStopped?.() === true) throw new ArchiveError('stopped', 'The export was stopped before its end.')
}

function refuseExisting(place: string): void {
  if (lstatSync(place, { throwIfNoEntry: false }) === undefined) return
  throw new ArchiveError('EEXIST', `${place} is there already and is not replaced.`, place)
}

function chosenGenerations(archive: Archive, options: ExportOptions): Generation[] {
  if (!archive.exists) return []
  const { catalog } = archive.manifest
  if (options.sessions === undefined) return [...catalog.generations.values()]
  const ids = new Set(options.sessions.flatMap(session => session.generations.map(({ id }) => id)))
  return [...ids].flatMap(id => catalog.generations.get(id) ?? [])
}

/** Reads it once; null where it cannot be read whole. */
async function prove(
  archive: Archive,
  generation: Generation,
  home: number,
  report: ExportReport,
  options: ExportOptions,
): Promise<ExportedFile | null> {
  const { path, number, size, modifiedMs, mode, origin } = generation
  const { catalog } = archive.manifest
  const hash = createHash('sha256')
  try {
    if (catalog.broken.has(generation.id)) throw new Error('a part of the manifest that tells of it is lost')
    for await (const part of counted(keptBytes(archive, generation), options)) hash.update(part)
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    report.damaged.push({ home: generation.home, path, number, problem })
    return null
  }
  const entry = entryOf(home, generation, catalog.current(generation.home, path)?.id === generation.id)
  const sha256 = hash.digest('hex')
  return { home, path, number, size, sha256, modifiedMs, mode, ...(origin !== undefined && { origin }), entry }
}

/** What plain tools unpack as a home comes first. */
function inTarOrder(proved: readonly Proved[]): Proved[] {
  const rank = ({ file }: Proved) => (file.entry.startsWith('home-') ? 0 : 1)
  return [...proved].sort((a, b) => rank(a) - rank(b) || (a.file.entry < b.file.entry ? -1 : 1))
}

async function* counted(parts: AsyncIterable<Uint8Array>, options: ExportOptions): AsyncGenerator<Uint8Array> {
  for await (const part of parts) {
    yield part
    options.progress?.(part.length)
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

const memberBytes = 1024 * 1024

/** Gzip in members of a mebibyte: each is packed at once, and all tools read them as one. */
class Packer {
  private readonly write: (bytes: Uint8Array) => void
  private waiting: Uint8Array[] = []
  private length = 0

  constructor(write: (bytes: Uint8Array) => void) {
    this.write = write
  }

  push(bytes: Uint8Array): void {
    this.waiting.push(bytes)
    this.length += bytes.length
    if (this.length >= memberBytes) this.end()
  }

  end(): void {
    if (this.length > 0) this.write(gzipSync(Buffer.concat(this.waiting)))
    this.waiting = []
    this.length = 0
  }
}

// Writes the archive, or some sessions of it, as one tar that plain tools unpack and `import` takes in again. Every byte is
// checked before it goes out; what is damaged is left out and reported.

import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { basename, dirname, posix, resolve, win32 } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { textToBytes } from '../../base/bytes.ts'
import { asArray, asNumber, asString, isObject, parseJson } from '../../base/json.ts'
import { AsideFile } from '../../files/durable.ts'
import { FileError, writeFailure } from '../../files/error.ts'
import type { Generation } from '../format/catalog.ts'
import { isSessionPath } from '../format/session-path.ts'
import type { ArchivedSession } from '../read/sessions.ts'
import { archivedBytes } from '../read/source.ts'
import type { Archive } from '../store/archive.ts'
import { type TarFile, writeTar } from './tar.ts'

export interface ExportOptions {
  /** Only these; else all that is archived. */
  sessions?: readonly ArchivedSession[]
  /** Called with how many raw bytes more are done; each byte counts twice, once for proving it. */
  progress?: (bytes: number) => void
  /** Called between files; true ends it with the code `stopped`, and nothing is left of a file. */
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
  /** What is no part of a session, though it is in the archive: an import would refuse it. */
  leftOut: { home: string; path: string; number: number }[]
}

interface Checked {
  generation: Generation
  file: ExportedFile
}

export async function exportArchive(
  archive: Archive,
  write: (bytes: Uint8Array) => Promise<void>,
  options: ExportOptions = {},
): Promise<ExportReport> {
  const chosen = chosenGenerations(archive, options)
  const generations = chosen.filter(({ home, path }) => isSessionPath(path, home))
  const leftOut = chosen
    .filter(({ home, path }) => !isSessionPath(path, home))
    .map(({ home, path, number }) => ({ home, path, number }))
  const homes = [...new Set(generations.map(({ home }) => home))].sort()
  const report: ExportReport = { homes, files: 0, generations: 0, bytes: 0, damaged: [], leftOut }
  const checked: Checked[] = []
  for (const generation of generations) {
    refuseStopped(options)
    const file = await check(archive, generation, homes.indexOf(generation.home), report, options)
    if (file !== null) checked.push({ generation, file })
  }
  await writeTar(entriesOf(archive, checked, homes, report, options), write)
  report.files = new Set(checked.map(({ file }) => `${file.home}/${file.path}`)).size
  return report
}

async function* entriesOf(
  archive: Archive,
  checked: readonly Checked[],
  homes: string[],
  report: ExportReport,
  options: ExportOptions,
): AsyncGenerator<TarFile> {
  const modifiedMs = archive.now()
  yield { path: exportFolder, size: 0, mode: 0o700, modifiedMs }
  const list = textToBytes(exportListText({ homes, files: checked.map(({ file }) => file) }, modifiedMs))
  const listPath = `${exportFolder}/${exportListName}`
  yield { path: listPath, size: list.length, mode: 0o600, modifiedMs, content: Readable.from([list]) }
  for (const { generation, file } of inTarOrder(checked)) {
    refuseStopped(options)
    const { size, mode } = file
    const content = counted(archivedBytes(archive, generation), options)
    // A mode of 0 would become the usual one.
    yield { path: `${exportFolder}/${file.entry}`, size, mode: mode || 0o400, modifiedMs: file.modifiedMs, content }
    report.generations++
    report.bytes += size
  }
}

/** The same into a file that is not there yet, for the owner alone; packed where the name ends in `gz`. */
export async function exportToFile(archive: Archive, path: string, options: ExportOptions = {}): Promise<ExportReport> {
  const place = resolve(path)
  refuseExisting(place)
  let aside: AsideFile | null = null
  try {
    const file = new AsideFile(archive.ops, dirname(place), basename(place))
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
  if (isStopped?.() === true) throw new FileError('stopped', 'The export was stopped before its end.')
}

function refuseExisting(place: string): void {
  if (lstatSync(place, { throwIfNoEntry: false }) === undefined) return
  throw new FileError('EEXIST', `${place} is there already and is not replaced.`, place)
}

function chosenGenerations(archive: Archive, options: ExportOptions): Generation[] {
  if (!archive.exists) return []
  const { catalog } = archive.manifest
  if (options.sessions === undefined) return [...catalog.generations.values()]
  const ids = new Set(options.sessions.flatMap(session => session.generations.map(({ id }) => id)))
  return [...ids].flatMap(id => catalog.generations.get(id) ?? [])
}

/** Reads it once; null where it cannot be read whole. */
async function check(
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
    if (catalog.broken.has(generation.id)) throw new Error('a part of the manifest that describes it is lost')
    for await (const part of counted(archivedBytes(archive, generation), options)) hash.update(part)
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
function inTarOrder(checked: readonly Checked[]): Checked[] {
  const rank = ({ file }: Checked) => (file.entry.startsWith('home-') ? 0 : 1)
  return [...checked].sort((a, b) => rank(a) - rank(b) || (a.file.entry < b.file.entry ? -1 : 1))
}

async function* counted(parts: AsyncIterable<Uint8Array>, options: ExportOptions): AsyncGenerator<Uint8Array> {
  for await (const part of parts) {
    yield part
    options.progress?.(part.length)
  }
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

/** All entries of an export are in this folder. */
export const exportFolder = 'clew-export'
export const exportListName = 'manifest.json'

const exportFormat = 1

/** One generation of one file. */
export interface ExportedFile {
  /** Index in the list's homes. */
  home: number
  path: string
  number: number
  size: number
  sha256: string
  modifiedMs: number
  mode: number
  origin?: string
  /** Where its bytes are, from the export's folder. */
  entry: string
}

export interface ExportList {
  homes: string[]
  files: ExportedFile[]
}

/** Current generations are as in a home, earlier ones apart and by their numbers. */
export function entryOf(home: number, { path, number }: Generation, isCurrent: boolean): string {
  return isCurrent ? `home-${home}/${path}` : `generations/home-${home}/${path}/${number}`
}

export function exportListText(list: ExportList, dateMs: number): string {
  const files = list.files.map(({ modifiedMs, mode, ...file }) => ({
    ...file,
    modified: new Date(modifiedMs).toISOString(),
    mode: mode.toString(8),
  }))
  const head = { clew: 'export', format: exportFormat, date: new Date(dateMs).toISOString(), homes: list.homes }
  // One line per file: people look into it.
  const rows = files.map(file => `    ${JSON.stringify(file)}`).join(',\n')
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "files": [\n${rows}\n  ]\n}\n`
}

/** Null where the text is no such list, or one of a newer format. Files that make no sense are left out. */
export function parseExportList(text: string): ExportList | null {
  const value = parseJson(text)
  if (!isObject(value) || value['clew'] !== 'export' || (asNumber(value['format']) ?? 0) > exportFormat) return null
  const homes = asArray(value['homes']).map(home => asString(home) ?? '')
  const files = asArray(value['files']).flatMap(file => toFile(file, homes) ?? [])
  return { homes, files }
}

function toFile(value: unknown, homes: readonly string[]): ExportedFile | null {
  if (!isObject(value)) return null
  const home = asNumber(value['home']) ?? -1
  const path = asString(value['path']) ?? ''
  const entry = asString(value['entry']) ?? ''
  const size = asNumber(value['size'])
  const sha256 = asString(value['sha256'])
  if (!isAbsolute(homes[home] ?? '') || !isInside(path) || !isInside(entry)) return null
  if (size === undefined || sha256 === undefined) return null
  const origin = asString(value['origin'])
  return {
    home,
    path,
    number: Math.max(1, Math.trunc(asNumber(value['number']) ?? 1)),
    size,
    sha256,
    modifiedMs: Date.parse(asString(value['modified']) ?? '') || 0,
    mode: Number.parseInt(asString(value['mode']) ?? '', 8) & 0o7777 || 0o600,
    ...(origin !== undefined && { origin }),
    entry,
  }
}

/** A home may be of another platform. */
function isAbsolute(home: string): boolean {
  return !home.includes('\0') && (posix.isAbsolute(home) || win32.isAbsolute(home))
}

/** A path that stays below whatever it is put behind. */
function isInside(path: string): boolean {
  return !path.includes('\0') && path.split(/[/\\]/).every(part => part !== '' && part !== '.' && part !== '..')
}

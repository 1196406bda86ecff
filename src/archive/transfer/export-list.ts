// The list at the head of an export: what it holds, from which homes, and the hash of each file. It is written and read
// here; the files themselves are `export`'s and `import`'s business.

import { posix, win32 } from 'node:path'
import { asArray, asNumber, asString, isObject, parseJson } from '../../base/json.ts'
import type { Generation } from '../format/catalog.ts'

/** All entries of an export lie in this folder. */
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

/** Current generations lie as in a home, earlier ones apart and by their numbers. */
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

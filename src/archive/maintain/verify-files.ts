// Looks at the archive's folder itself: names that do not belong there, files beside packs and manifest, and who may read
// them. What packs and segments hold is not looked at here.

import { type Dirent, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../../disk/read/read.ts'
import type { Finding } from '../../model/finding.ts'
import { readSeen, seenBytes } from '../capture/seen.ts'
import { earlierReadmes, isPackName, type Layout, readmeText, segmentNumber } from '../format/layout.ts'
import { hashOf } from '../format/lines.ts'
import { isAside } from '../store/durable.ts'

/** A finding, and whether it means that bytes are not as they were written. */
export interface Sign extends Finding {
  isDamage: boolean
}

/** What can be told without reading packs or segments. */
export function folderSigns(layout: Layout): Sign[] {
  return [...readmeSigns(layout), ...seenSigns(layout), ...nameSigns(layout), ...modeSigns(layout)]
}

function readmeSigns(layout: Layout): Sign[] {
  const bytes = bytesOf(layout.readme)
  if (bytes === null) {
    const message = 'README.txt is missing; the next run writes it again.'
    return [{ code: 'missing-readme', severity: 'info', file: layout.readme, message, isDamage: false }]
  }
  if (Buffer.from(readmeText).equals(bytes) || earlierReadmes.has(hashOf(bytes))) return []
  const message =
    'README.txt is not as it was written. Nothing depends on it: delete it, and the next run writes it again.'
  return [{ code: 'changed-readme', severity: 'warning', file: layout.readme, message, isDamage: true }]
}

function seenSigns(layout: Layout): Sign[] {
  const bytes = bytesOf(layout.seen)
  if (bytes === null) return []
  const seen = readSeen(layout)
  if (seen !== null && seenBytes(seen).equals(bytes)) return []
  const message =
    'seen.tsv is not as it was written. Nothing is lost: the next run looks at all files and writes it again.'
  return [{ code: 'damaged-seen', severity: 'warning', file: layout.seen, message, isDamage: true }]
}

/** Null where there is none, or it cannot be read. */
function bytesOf(path: string): Buffer | null {
  try {
    return readFileSync(path)
  } catch {
    return null
  }
}

function nameSigns(layout: Layout): Sign[] {
  const signs: Sign[] = []
  const look = (folder: string, isOurs: (entry: Dirent) => boolean) => {
    for (const entry of entriesOf(folder)) {
      const file = join(folder, entry.name)
      if (isAside(entry.name)) {
        const message =
          'This was left by a run that was killed, or is being written right now; the next run removes it.'
        signs.push({ code: 'leftover', severity: 'info', file, message, isDamage: false })
      } else if (!isOurs(entry)) {
        const message = 'This is not part of the archive; nothing reads it.'
        signs.push({ code: 'unknown-file', severity: 'info', file, message, isDamage: false })
      }
    }
  }
  look(layout.folder, ({ name }) => ownNames.test(name))
  look(layout.packs, entry => isPackName(entry.name) && !entry.isDirectory())
  look(layout.manifest, entry => segmentNumber(entry.name) !== null && !entry.isDirectory())
  return signs
}

const ownNames = /^(packs|manifest|README\.txt|seen\.tsv|known\.json|lock|lock\.break-.*)$/

export function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return []
    throw error
  }
}

/** One sign for all of them: who copies an archive mostly opens every file of it. */
function modeSigns(layout: Layout): Sign[] {
  if (process.platform === 'win32') return []
  const open: string[] = []
  const look = (path: string) => {
    const facts = lstatSync(path, { throwIfNoEntry: false })
    if (facts !== undefined && !facts.isSymbolicLink() && (facts.mode & 0o077) !== 0) open.push(path)
  }
  for (const folder of [layout.folder, layout.packs, layout.manifest]) {
    look(folder)
    for (const entry of entriesOf(folder)) if (!entry.isDirectory()) look(join(folder, entry.name))
  }
  const [first] = open
  if (first === undefined) return []
  const rest = open.length === 1 ? '' : ` and ${open.length - 1} more`
  const message = `Others than you may be able to look into this${rest}. Folders should have mode 700, files 600.`
  return [{ code: 'open-to-others', severity: 'warning', file: first, message, isDamage: false }]
}

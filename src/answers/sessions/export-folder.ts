// The folder of an export: which files in it are ours and of what, and safe writing of new ones. It knows nothing of sessions.
//
//   .clew-export.jsonl   {"clew":"export"}, then a line for each file: {"file":"sessions/….html","key":"…"}; the last one counts
//   index.html           the page that links to the others
//   sessions/            a file for each session

import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { errorCode } from '../../base/error-code.ts'
import { asObject, asString, parseJson } from '../../base/json.ts'
import { isFolder } from '../../disk/discover/homes.ts'
import { makeFolders } from '../../files/make-folders.ts'
import { UserError } from '../error.ts'

const listName = '.clew-export.jsonl'

export class ExportFolder {
  readonly path: string
  private readonly isForced: boolean
  /** By file: what it was made from. */
  private readonly keys: Map<string, string>

  private constructor(path: string, isForced: boolean, keys: Map<string, string>) {
    this.path = path
    this.isForced = isForced
    this.keys = keys
  }

  /** Makes the folder where there is none. One with other things in it is an error, unless that is allowed. */
  static open(path: string, isForced: boolean): ExportFolder {
    try {
      if (existsSync(path) && !isFolder(path)) throw new UserError(`${path} is not a folder`)
      makeFolders(path, 0o700)
      const keys = readKeys(join(path, listName))
      if (keys !== null) return new ExportFolder(path, isForced, keys)
      if (!isForced && readdirSync(path).length > 0)
        throw new UserError(`${path} is not empty and not an export of clew; name another folder, or pass --force`)
      writeAside(join(path, listName), ['{"clew":"export"}\n'])
      return new ExportFolder(path, isForced, new Map())
    } catch (error) {
      throw userError(error, path)
    }
  }

  /** Whether a file is there that was made from the same. */
  has(file: string, key: string): boolean {
    return this.keys.get(file) === key && existsSync(join(this.path, file))
  }

  /** Writes a file, or replaces one of ours. Gives the size in bytes. */
  write(file: string, key: string, chunks: Iterable<string>): number {
    const target = join(this.path, file)
    try {
      if (!this.isForced && !this.keys.has(file) && existsSync(target))
        throw new UserError(`${target} was not written by clew export; move it away, or pass --force`)
      makeFolders(dirname(target), 0o700)
      const bytes = writeAside(target, chunks)
      appendFileSync(join(this.path, listName), `${JSON.stringify({ file, key })}\n`)
      this.keys.set(file, key)
      return bytes
    } catch (error) {
      throw userError(error, target)
    }
  }
}

/** Null where there is no such list. A line that was cut off counts as none. */
function readKeys(path: string): Map<string, string> | null {
  if (!existsSync(path)) return null
  const [head, ...lines] = readFileSync(path, 'utf8').split('\n')
  if (asObject(parseJson(head ?? ''))?.['clew'] !== 'export') return null
  const keys = new Map<string, string>()
  for (const line of lines) {
    const { file, key } = asObject(parseJson(line)) ?? {}
    if (asString(file) !== undefined && asString(key) !== undefined) keys.set(String(file), String(key))
  }
  return keys
}

/** Under another name first: what is half written never looks whole, and a link in its place is replaced, not followed. */
function writeAside(target: string, chunks: Iterable<string>): number {
  const aside = `${target}.${process.pid}.tmp`
  rmSync(aside, { force: true })
  const fd = openSync(aside, 'wx', 0o600)
  let bytes = 0
  try {
    for (const chunk of chunks) {
      writeFileSync(fd, chunk)
      bytes += Buffer.byteLength(chunk)
    }
    closeSync(fd)
    renameSync(aside, target)
    return bytes
  } catch (error) {
    try {
      closeSync(fd)
    } catch {
      // It is closed already.
    }
    rmSync(aside, { force: true })
    throw error
  }
}

function userError(error: unknown, path: string): unknown {
  const code = errorCode(error)
  return error instanceof UserError || !/^E[A-Z0-9]+$/.test(code)
    ? error
    : new UserError(`cannot write ${path} (${code})`)
}

const longestPart = 80

/** A name for a file that is one on every system, whatever the parts are. */
export function fileName(parts: readonly string[], ending: string): string {
  const safe = parts.map(part => part.replace(/[^A-Za-z0-9-]+/g, '-').slice(0, longestPart)).filter(part => part !== '')
  // It begins with a digit or this word: never with a dash, a dot or the name of a device.
  const name = safe.join('_').replace(/^-+/, '')
  return `${/^\d/.test(name) ? '' : 'session_'}${name}.${ending}`
}

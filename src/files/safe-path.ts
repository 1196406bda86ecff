// The one place that decides whether a relative path from a manifest or another folder may be written below a folder. What comes
// from elsewhere is judged by the rules of all platforms; what was archived here, by those of this one. It writes nothing.

import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { textToBytes } from '../base/bytes.ts'
import { errorCode } from '../base/error-code.ts'

const componentBytes = 255
const componentCount = 64

/** Thrown where writing a path would leave the folder, or touch something that is not a plain file or folder. */
export class UnsafePathError extends Error {
  override readonly name = 'UnsafePathError'
  /** The path below the root, as it was requested. */
  readonly path: string

  constructor(path: string, why: string) {
    super(`"${path.length > 200 ? `${path.slice(0, 200)}…` : path}" is not written: ${why}`)
    this.path = path
  }
}

// Windows takes these for devices in every folder, with any ending and with blanks before it.
const device = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(\.|$)/i

/**
 * The path divided by `/`, without `.` and empty components; null if it may not be written. The folder itself (`.`,
 * `./`) is null too: there is nothing to write.
 */
export function safeRelative(path: string): string | null {
  // NUL and control characters, and halves of characters, which have no bytes of their own.
  if (/[\0-\x1f\x7f-\x9f]|\p{Surrogate}/u.test(path)) return null
  const components = path.split(/[/\\]/)
  // A leading empty component is an absolute path or, twice, a network share.
  if (components[0] === '') return null
  const kept = components.filter(component => component !== '' && component !== '.')
  if (kept.length === 0 || kept.length > componentCount) return null
  return kept.every(isSafeComponent) ? kept.join('/') : null
}

/**
 * The same for a file that was archived from a file system like this one: its name was legal there, and what is not a separator
 * here is a letter like any other.
 */
export function ownRelative(path: string, platform: NodeJS.Platform = process.platform): string | null {
  if (platform === 'win32') return safeRelative(path)
  if (path.includes('\0') || /\p{Surrogate}/u.test(path) || path.startsWith('/')) return null
  const components = path.split('/')
  const isPlain = (component: string) =>
    component !== '' && component !== '.' && component !== '..' && textToBytes(component).length <= componentBytes
  return components.length <= componentCount && components.every(isPlain) ? path : null
}

/** A `:` is a drive or, on Windows, a second stream of a file; a closing dot or blank is dropped there, `..` included. */
function isSafeComponent(component: string): boolean {
  if (component.includes(':') || /[. ]$/.test(component) || device.test(component)) return false
  return textToBytes(component).length <= componentBytes
}

/**
 * The path of `relative` below `root`. Refuses if anything that exists on the way is not a real folder, or if a link or
 * special file is at its end. What does not exist yet is for the caller to make, at once: between this look and the
 * writing, another process with rights in the folder could still put a link there.
 */
export async function pathBelow(root: string, relative: string, judge = safeRelative): Promise<string> {
  const safe = judge(relative)
  if (safe === null) throw new UnsafePathError(relative, 'its name could lead out of the folder or is not portable')
  const components = safe.split('/')
  const whole = join(root, ...components)
  let path = root
  for (const [index, component] of components.entries()) {
    path = join(path, component)
    const stat = await lstatOrNull(path)
    if (stat === null) return whole
    if (stat.isSymbolicLink()) throw new UnsafePathError(relative, `${path} is a symbolic link`)
    const isLast = index === components.length - 1
    if (!isLast && !stat.isDirectory()) throw new UnsafePathError(relative, `${path} is not a folder`)
    if (isLast && !stat.isDirectory() && !stat.isFile())
      throw new UnsafePathError(relative, `${path} is neither a file nor a folder`)
  }
  return whole
}

async function lstatOrNull(path: string) {
  try {
    return await lstat(path)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}

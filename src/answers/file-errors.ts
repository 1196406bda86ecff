// Errors that are about files, ours or those that are read, as one line for people. What they mean is decided where they arise.

import { FileError } from '../files/error.ts'
import { conflict } from './error.ts'

/** Errors of files and of the system are for people: one line, no stack. */
export async function withUserErrors<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof FileError) throw conflict(sentence(error.message) + hintFor(error.code))
    if (isSystemError(error)) throw conflict(`cannot read ${error.path} (${error.code})`)
    throw error
  }
}

function hintFor(code: string): string {
  return code === 'damaged-manifest' ? '; see clew archive verify; to continue anyway, pass --even-if-damaged' : ''
}

function isSystemError(error: unknown): error is { path: string; code: string } {
  return error instanceof Error && 'path' in error && 'syscall' in error && 'code' in error
}

/** As the other messages of the tool are written. */
export function sentence(message: string): string {
  const text = message.replace(/\.$/, '')
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}

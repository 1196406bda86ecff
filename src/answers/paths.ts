// Paths as people type them.

import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { expandTilde, isFolder } from '../disk/discover/homes.ts'

/** With the home folder for `~`; a relative one stays relative. */
export function typedPath(text: string): string {
  return expandTilde(text, homedir())
}

/** The whole path. */
export function namedPath(text: string): string {
  return resolve(typedPath(text))
}

export function namesFolder(text: string): boolean {
  return isFolder(typedPath(text))
}

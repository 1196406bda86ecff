// Says what a watched folder is, and by that which of its names are logs and which of its folders are followed: the same
// choice that discovery makes, from names alone. It looks at no file.

import { basename, dirname, resolve } from 'node:path'
import { artifactFiles, artifactFolders } from '../../model/source.ts'
import { isLogName, isProjectsFolder, projectFolders, roleOf, stemOf } from '../discover/project.ts'

/**
 * `session`: the folder with a session's artifacts; `agents`: its `subagents` or a folder below; `artifacts`:
 * another folder below it; `file`: a folder of which only one session file and what belongs to it count.
 */
export type Place =
  | { kind: 'home' | 'projects' | 'project' | 'session' | 'agents' | 'artifacts' }
  | { kind: 'file'; name: string }

/** A name in a folder, as much of it as this file needs. */
export interface PlaceEntry {
  name: string
  isFile: boolean
}

/** Whether changes of the file are reported. */
export function holdsLog(place: Place, name: string): boolean {
  switch (place.kind) {
    case 'home':
      return name === 'history.jsonl'
    case 'file':
      return name === place.name || (isMain(place.name) && isLogName(name) && roleOf(name) === 'agent')
    case 'session':
    case 'artifacts':
      return isLogName(name) && roleOf(name) !== 'session'
    default:
      return isLogName(name)
  }
}

/** What a subfolder is; null where nothing in it counts. */
export function placeBelow(place: Place, name: string): Place | null {
  switch (place.kind) {
    case 'home':
      return projectFolders.includes(name) ? { kind: 'projects' } : null
    case 'projects':
      return { kind: 'project' }
    case 'project':
      return isLogName(name) ? null : { kind: 'session' }
    case 'session':
      if (name === 'subagents') return { kind: 'agents' }
      return name === 'tool-results' ? null : { kind: 'artifacts' }
    case 'file':
      return isMain(place.name) && name === stemOf(place.name) ? { kind: 'session' } : null
    default:
      return place
  }
}

/** Whether the folder is in a session's own: there are thousands of these, and few are written to. */
export function isOfOneSession(place: Place): boolean {
  return place.kind === 'session' || place.kind === 'agents' || place.kind === 'artifacts'
}

/** Whether a folder contains what Claude Code stores for one session. */
export function holdsArtifacts(entries: readonly PlaceEntry[]): boolean {
  return entries.some(
    ({ name, isFile }) => (artifactFolders.has(name) && !isFile) || (artifactFiles.has(name) && isFile),
  )
}

/** What a root that is a folder turns out to be. */
export interface RootChoice {
  place: Place
  /** The folder to begin at, seen from the root: itself, the one above, or the one above that. */
  up: 0 | 1 | 2
  /** Nothing in it says what it is, so that later content may say otherwise. */
  isGuess?: true
}

/** `list` gives the content of one of its folders: called only where the names in the root do not decide. */
export function placeOfRoot(
  root: string,
  entries: readonly PlaceEntry[],
  list: (name: string) => readonly PlaceEntry[],
): RootChoice {
  const place = resolve(root)
  if (isProjectsFolder(place)) return { place: { kind: 'projects' }, up: 0 }
  if (entries.some(({ name, isFile }) => !isFile && projectFolders.includes(name)))
    return { place: { kind: 'home' }, up: 0 }
  const isAgents = basename(place) === 'subagents'
  const session = isAgents ? basename(dirname(place)) : basename(place)
  const asFile: Place = { kind: 'file', name: `${session}.jsonl` }
  if (entries.some(({ name }) => isLogName(name) && name !== 'history.jsonl')) {
    return isAgents ? { place: asFile, up: 2 } : { place: { kind: 'project' }, up: 0 }
  }
  if (holdsArtifacts(entries)) return { place: asFile, up: 1 }
  if (entries.some(({ name, isFile }) => !isFile && holdsArtifacts(list(name))))
    return { place: { kind: 'project' }, up: 0 }
  return { place: { kind: 'projects' }, up: 0, isGuess: true }
}

function isMain(name: string): boolean {
  return isLogName(name) && roleOf(name) === 'session'
}

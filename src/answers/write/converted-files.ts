// Where converted sessions go: a file that is named, or a home with folders and names as the dialect has them. Only new files
// are written, and into a Claude home only where it is the one that is named.

import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { attempt } from '../../base/attempt.ts'
import { escapeForLine } from '../../base/escape.ts'
import { isBelow } from '../../disk/discover/homes.ts'
import { stemOf } from '../../disk/discover/project.ts'
import type { FileTree } from '../../disk/discover/tree.ts'
import { sampleHome } from '../../files/package-folder.ts'
import type { Converted } from '../../write/edit/converted.ts'
import { bytesOf } from '../../write/new-session.ts'
import { convertedPlace } from '../../write/place.ts'
import { publish, publishedPaths, publishedRoots } from '../../write/publish.ts'
import { UserError } from '../error.ts'

/** What `--out` names. */
export interface ConvertTarget {
  path: string
  isFile: boolean
  /** Whether it was there before: then undoing does not remove it whole. */
  isKnown: boolean
}

/** `roots`: the homes that are read. */
export function convertTarget(out: string, roots: readonly string[]): ConvertTarget {
  const path = resolve(out)
  const target = { path, isFile: /\.jsonl$/i.test(path), isKnown: existsSync(path) }
  if (target.isFile && target.isKnown) throw new UserError(`${escapeForLine(out)} exists already`)
  const home = homeAround(path, roots)
  if (home !== undefined)
    throw new UserError(`${escapeForLine(out)} is inside a Claude home; to write into it: --out ${escapeForLine(home)}`)
  return target
}

/** The home that a path is inside of, if any; an error for the sample history. */
export function homeAround(path: string, roots: readonly string[]): string | undefined {
  if (isBelow(realPlace(path), realPlace(sampleHome()))) throw new UserError('the sample history is not written to')
  return [...roots, ...claudeFolders(path)].map(root => resolve(root)).find(root => isInside(path, root))
}

function isInside(path: string, home: string): boolean {
  const [place, root] = [realPlace(path), realPlace(home)]
  return place !== root && isBelow(place, root)
}

/** Folders on the way to it that are called as homes are. */
function claudeFolders(path: string): string[] {
  const parents: string[] = []
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) if (basename(at) === '.claude') parents.push(at)
  return parents
}

/** The folder that a path is really in, as far as there is one. */
function realPlace(path: string): string {
  const real = attempt(() => realpathSync(path))
  if (real !== undefined || dirname(path) === path) return real ?? path
  return join(realPlace(dirname(path)), basename(path))
}

/** A session and its place. */
export interface PlacedSession {
  folder: string
  edited: Converted
}

export function placed({ path, isFile }: ConvertTarget, converted: Converted): PlacedSession {
  if (isFile) return { folder: dirname(path), edited: { ...converted, name: stemOf(basename(path)) } }
  const { folder, name } = convertedPlace(path, converted.dialect, converted)
  return { folder, edited: { ...converted, name } }
}

export interface WrittenFiles {
  /** The log first. */
  files: string[]
  /** The log, and the folder of its name where it has one. */
  roots: string[]
  bytes: number
}

/** Writes its files, or with `isDry` only says which they are. */
export async function writeConverted(
  { folder, edited }: PlacedSession,
  { tree, isDry }: { tree: FileTree; isDry: boolean },
): Promise<WrittenFiles> {
  const [files, roots] = [publishedPaths(folder, edited), publishedRoots(folder, edited)]
  const taken = roots.find(path => existsSync(path))
  if (taken !== undefined) throw new UserError(`${escapeForLine(taken)} exists already`)
  const bytes = isDry ? bytesOf(edited, tree) : (await publish(folder, edited, { tree })).bytes
  return { files, roots, bytes }
}

// The files of a session as a tree of folders. Folders that contain nothing but one folder are one row with it.

import { relativePath } from '../../src/base/relative-path.ts'
import type { FileTouched } from '../../src/view/reading.ts'

export interface NamedFile {
  /** Its position in the list of files: the number in the address. */
  at: number
  file: FileTouched
  /** The folder, with its last slash; empty in the project's own. */
  folder: string
  name: string
}

/** Paths below the project are relative to it. */
export function namedFiles(files: readonly FileTouched[], project: string | null): NamedFile[] {
  return files.map((file, at) => {
    const path = relativePath(file.path, project)
    const cut = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1
    return { at, file, folder: path.slice(0, cut), name: path.slice(cut) || path }
  })
}

/** A folder, or a file in it, as a row. */
export type TreeRow =
  | { type: 'folder'; path: string; name: string; depth: number }
  | { type: 'file'; file: NamedFile; depth: number }

interface Folder {
  name: string
  path: string
  folders: Map<string, Folder>
  files: NamedFile[]
}

/** Rows from top to bottom: in each folder its folders, then its files, both by name. `closed`: paths of folders. */
export function treeRows(files: readonly NamedFile[], closed: ReadonlySet<string>): TreeRow[] {
  const root: Folder = { name: '', path: '', folders: new Map(), files: [] }
  for (const file of files) folderOf(root, file.folder).files.push(file)
  const rows: TreeRow[] = []
  addRows(rows, root, 0, closed)
  return rows
}

function folderOf(root: Folder, path: string): Folder {
  let folder = root
  for (const part of path.match(/[^/\\]*[/\\]/g) ?? []) {
    let next = folder.folders.get(part)
    if (!next) {
      next = { name: part, path: folder.path + part, folders: new Map(), files: [] }
      folder.folders.set(part, next)
    }
    folder = next
  }
  return folder
}

function addRows(rows: TreeRow[], folder: Folder, depth: number, closed: ReadonlySet<string>): void {
  const folders = [...folder.folders.values()].sort((one, other) => byName(one.name, other.name))
  for (const inner of folders) {
    const { last, name } = joined(inner)
    rows.push({ type: 'folder', path: last.path, name, depth })
    if (!closed.has(last.path)) addRows(rows, last, depth + 1, closed)
  }
  const files = [...folder.files].sort((one, other) => byName(one.name, other.name))
  for (const file of files) rows.push({ type: 'file', file, depth })
}

/** Down to the first folder with files, or with several folders. */
function joined(folder: Folder): { last: Folder; name: string } {
  let last = folder
  let { name } = folder
  while (last.files.length === 0 && last.folders.size === 1) {
    const [only] = last.folders.values()
    if (!only) break
    last = only
    name += only.name
  }
  return { last, name }
}

function byName(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

// Puts an edited session on the disk as a new one: the files in its folder first, its log last, so that Claude Code finds all
// of it or nothing. It never replaces a file.

import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { attempt } from '../base/attempt.ts'
import { textToBytes } from '../base/bytes.ts'
import type { FileTree } from '../disk/discover/tree.ts'
import { AsideFile, ensureFolder, removeAll } from '../files/durable.ts'
import { writeFailure } from '../files/error.ts'
import { realOps, type WriteOps } from '../files/ops.ts'
import type { EditedFile, EditedSession } from './edit/session.ts'
import { WriteError } from './wire/error.ts'

export interface PublishOptions {
  /** Where files that are copied are read. */
  tree: FileTree
  /** Tests put faults in here. */
  ops?: WriteOps
}

export interface Published {
  /** Of the log. */
  path: string
  /** The log first. */
  files: string[]
  bytes: number
}

/** The files that publishing would make, the log first. */
export function publishedPaths(folder: string, edited: EditedSession): string[] {
  return [
    join(folder, `${nameOf(edited)}.jsonl`),
    ...edited.files.map(({ path }) => join(folder, nameOf(edited), path)),
  ]
}

/** What publishing makes and removing undoes: the log, and the folder of its name where it has one. */
export function publishedRoots(folder: string, edited: EditedSession): string[] {
  const log = join(folder, `${nameOf(edited)}.jsonl`)
  return edited.files.length === 0 ? [log] : [log, join(folder, nameOf(edited))]
}

function nameOf({ name, session }: EditedSession): string {
  return name ?? session
}

/** Writes the session into a project folder. When it throws, nothing of it is left. */
export async function publish(folder: string, edited: EditedSession, options: PublishOptions): Promise<Published> {
  const { tree, ops = realOps } = options
  const [path, ...others] = publishedPaths(folder, edited) as [string, ...string[]]
  const own = join(folder, nameOf(edited))
  for (const taken of [path, own])
    if (existsSync(taken)) throw new WriteError('exists', `${taken} exists already.`, taken)
  let bytes = 0
  try {
    for (const [at, file] of edited.files.entries())
      bytes += await writeFile(ops, others[at] as string, chunksOf(file, tree))
    bytes += await writeFile(ops, path, linesAsChunks(edited.lines))
  } catch (error) {
    attempt(() => removeAll(ops, own))
    throw error
  }
  return { path, files: [path, ...others], bytes }
}

/** A file to make. */
export interface NewFile {
  path: string
  chunks: AsyncIterable<Uint8Array>
}

/** Writes the files, in order; the caller has seen that none is there. When it throws, none is left. Answers their bytes. */
export async function publishFiles(files: readonly NewFile[], ops: WriteOps = realOps): Promise<number> {
  const done: string[] = []
  let bytes = 0
  try {
    for (const { path, chunks } of files) {
      bytes += await writeFile(ops, path, chunks)
      done.push(path)
    }
  } catch (error) {
    for (const path of done) attempt(() => ops.unlink(path))
    throw error
  }
  return bytes
}

/** Written aside, synced and renamed. */
async function writeFile(ops: WriteOps, path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  const aside = writing(path, () => {
    ensureFolder(ops, dirname(path))
    return new AsideFile(ops, dirname(path), 'clew')
  })
  try {
    for await (const chunk of chunks) writing(path, () => aside.write(chunk))
    writing(path, () => aside.commit(basename(path)))
    return aside.bytes
  } catch (error) {
    aside.discard()
    throw error
  }
}

/** What fails is about the file to write, not about one that is read. */
function writing<Value>(path: string, act: () => Value): Value {
  try {
    return act()
  } catch (error) {
    throw writeFailure(error, path)
  }
}

function chunksOf({ content }: EditedFile, tree: FileTree): AsyncIterable<Uint8Array> {
  if ('lines' in content) return linesAsChunks(content.lines)
  const found = tree.stat(content.copyOf)
  if (found.kind !== 'file') throw new WriteError('not-found', `${content.copyOf} is not a file.`, content.copyOf)
  return tree.source.read(found.generation, 0, Number.POSITIVE_INFINITY)
}

const chunkLines = 256

async function* linesAsChunks(lines: readonly string[]): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < lines.length; at += chunkLines)
    yield textToBytes(`${lines.slice(at, at + chunkLines).join('\n')}\n`)
}

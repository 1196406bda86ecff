// A log in several files, and back: which files go where, byte for byte. Files next to the log (subagents, stored outputs) go with
// it. It never replaces a file.

import { existsSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { stemOf } from '../disk/discover/project.ts'
import type { ChunkSource, GenerationId, LogFile, SessionFiles } from '../model/source.ts'
import { eventDecoder, recordBatches } from '../session/load.ts'
import { type LogPart, PartPlan, partName } from './edit/split.ts'
import type { NewFile } from './publish.ts'
import { WriteError } from './wire/error.ts'

/** A file that is copied whole or in part. */
export interface CopiedFile {
  /** Where it goes. */
  path: string
  ranges: readonly { generation: GenerationId; from: number; to: number }[]
}

/** How a log is divided. */
export async function planParts(source: ChunkSource, log: LogFile, session: string, size: number): Promise<LogPart[]> {
  const plan = new PartPlan(session, size)
  const decoder = eventDecoder(log, { session: session as SessionFiles['id'] })
  let bytes = 0
  for await (const batch of recordBatches(source, log))
    for (const record of batch) {
      plan.add(record, decoder.decode(record)[0] ?? null)
      bytes = Math.max(bytes, record.offset + record.bytes)
    }
  return plan.end(bytes)
}

/** The parts of a log in a folder. */
export function partFiles(folder: string, log: LogFile, parts: readonly LogPart[]): CopiedFile[] {
  const stem = stemOf(basename(log.path))
  return parts.map(({ from, to }, at) => ({
    path: join(folder, partName(stem, at + 1, parts.length)),
    ranges: [{ generation: log.generation, from, to }],
  }))
}

/** Files of the session below the folder of its log, at the same places below another one. */
export function sideFiles({ logs, side }: SessionFiles, from: string, to: string): CopiedFile[] {
  if (from === to) return []
  const others = [...logs.filter(({ role }) => role !== 'session'), ...side]
  return others.flatMap(({ path, generation }) => {
    const way = relative(from, path)
    if (way === '' || way.startsWith('..') || way.split(sep).includes('..')) return []
    return [{ path: join(to, way), ranges: [{ generation, from: 0, to: Number.POSITIVE_INFINITY }] }]
  })
}

/** As `publishFiles` takes them. Throws where one of them is there. */
export function newFiles(files: readonly CopiedFile[], source: ChunkSource): NewFile[] {
  for (const { path } of files) if (existsSync(path)) throw new WriteError('exists', `${path} exists already.`, path)
  return files.map(({ path, ranges }) => ({ path, chunks: chunksOf(ranges, source) }))
}

async function* chunksOf(ranges: CopiedFile['ranges'], source: ChunkSource): AsyncGenerator<Uint8Array> {
  for (const { generation, from, to } of ranges) yield* source.read(generation, from, to)
}

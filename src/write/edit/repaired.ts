// A session whose logs are repaired, as if it had been read so: what every edit of a damaged session goes on from.

import { concatBytes, textToBytes } from '../../base/bytes.ts'
import { type ChunkSource, type LogFile, mainLogs, type SessionFiles } from '../../model/source.ts'
import { type RepairChange, type RepairOptions, repairLog } from './repair.ts'
import { type ReadSession, readSession } from './session.ts'

/** A log with what was changed in it. */
export interface RepairedFile {
  file: LogFile
  /** As it was read: it must be the same when it is replaced. */
  before: Uint8Array
  lines: string[]
  changes: RepairChange[]
  setAside: number
}

export interface RepairedSession {
  files: RepairedFile[]
  session: ReadSession
}

/** Repairs the session's own logs; those of subagents stay as they are. */
export async function repairSession(
  source: ChunkSource,
  files: SessionFiles,
  options: RepairOptions,
): Promise<RepairedSession> {
  const repaired: RepairedFile[] = []
  for (const file of mainLogs(files)) {
    const before = await allBytes(source, file)
    repaired.push({ file, before, ...repairLog(before, { ...options, own: files.id }) })
  }
  const texts = new Map(repaired.map(({ file, lines }) => [file.generation, textOf(lines)]))
  const mended: ChunkSource = {
    read(generation, from, to) {
      const bytes = texts.get(generation)
      return bytes === undefined ? source.read(generation, from, to) : chunk(bytes.subarray(from, to))
    },
  }
  return { files: repaired, session: await readSession(mended, files) }
}

/** The bytes of a repaired log. */
export function textOf(lines: readonly string[]): Uint8Array {
  return textToBytes(lines.map(line => `${line}\n`).join(''))
}

async function allBytes(source: ChunkSource, { generation }: LogFile): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const bytes of source.read(generation, 0, Number.POSITIVE_INFINITY)) chunks.push(bytes)
  return concatBytes(chunks)
}

async function* chunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

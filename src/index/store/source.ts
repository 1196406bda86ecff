// The bytes of everything that is on disk or kept, for whoever indexes or answers.

import { existsSync } from 'node:fs'
import { archiveFolder, layoutOf } from '../../archive/format/layout.ts'
import { openKept } from '../../archive/read/kept.ts'
import { LiveFrames } from '../../archive/read/live-frames.ts'
import { diskSource } from '../../disk/read/read.ts'
import type { ByteSource, GenerationId } from '../../model/source.ts'
import type { FileTask, TaskFrames } from '../ingest/rows.ts'

/** `home`: Clew's own folder. */
export function openSource(home: string): ByteSource {
  const folder = archiveFolder(home)
  return existsSync(layoutOf(folder).manifest) ? openKept(folder).source : diskSource()
}

/** Where the bytes of a task come from. `open`: everything that there is, which may take a while. */
export function taskSource({ frames }: FileTask, open: () => ByteSource): Pick<ByteSource, 'read'> {
  return frames === undefined
    ? open()
    : { read: (generation, from, to) => readFrames(frames, open, generation, from, to) }
}

/** What was kept just now still lies in the live file, mostly; the rest is asked for. */
async function* readFrames(
  { place, state, ids, lengths }: TaskFrames,
  open: () => ByteSource,
  generation: GenerationId,
  from: number,
  to: number,
): AsyncGenerator<Uint8Array> {
  const live = new LiveFrames(place, state)
  let at = 0
  try {
    for (const [n, id] of ids.entries()) {
      const length = lengths[n] ?? 0
      if (at + length > to) break
      if (at + length > from) {
        const bytes = live.frame(id, at, length)
        if (bytes === null) break
        yield at < from ? bytes.subarray(from - at) : bytes
      }
      at += length
    }
  } finally {
    live.close()
  }
  if (Math.max(at, from) < to) yield* open().read(generation, Math.max(at, from), to)
}

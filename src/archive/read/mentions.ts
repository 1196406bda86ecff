// Counts the lines of a kept file that name a session, however long the lines are. What a line says beyond that is not
// looked at.

import type { Generation } from '../format/catalog.ts'
import type { Archive } from '../store/archive.ts'
import { keptBytes } from './kept-bytes.ts'

export interface Mentions {
  /** Lines that name it. */
  lines: number
  /** Lines that tell of no session at all, as early clients wrote their prompt histories: they may be of any. */
  linesWithoutSession: number
}

const newline = 0x0a
const sessionField = Buffer.from('"sessionId"')

export async function countMentions(archive: Archive, generation: Generation, session: string): Promise<Mentions> {
  const line = new LineLook([Buffer.from(session), sessionField])
  const found: Mentions = { lines: 0, linesWithoutSession: 0 }
  const close = () => {
    const [isNamed = false, hasField = false] = line.end()
    if (isNamed) found.lines++
    else if (!hasField && !line.wasBlank) found.linesWithoutSession++
  }
  for await (const chunk of keptBytes(archive, generation)) {
    let at = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, at)) {
      line.see(chunk.subarray(at, end))
      close()
      at = end + 1
    }
    line.see(chunk.subarray(at))
  }
  close()
  return found
}

/** Looks for a few texts in one line after the other, piece by piece. */
class LineLook {
  wasBlank = true
  private readonly wanted: readonly Buffer[]
  private readonly overlap: number
  private found: boolean[] = []
  private length = 0
  private before: Uint8Array = new Uint8Array(0)

  constructor(wanted: readonly Buffer[]) {
    this.wanted = wanted
    this.overlap = Math.max(...wanted.map(text => text.length)) - 1
  }

  see(piece: Uint8Array): void {
    if (piece.length === 0) return
    this.length += piece.length
    const text = Buffer.concat([this.before, piece])
    for (const [index, wanted] of this.wanted.entries()) {
      if (this.found[index] !== true && text.includes(wanted)) this.found[index] = true
    }
    this.before = text.subarray(Math.max(0, text.length - this.overlap))
  }

  /** Which texts the line held. */
  end(): boolean[] {
    const { found } = this
    this.wasBlank = this.length === 0
    this.found = []
    this.length = 0
    this.before = new Uint8Array(0)
    return found
  }
}

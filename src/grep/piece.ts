// Cuts sessions into pieces that can be searched apart from each other, by whoever is free: ranges of logs, files beside
// them, earlier generations. What is in a piece is found out elsewhere.

import { windowBytes } from '../disk/read/peek.ts'
import type { SessionId } from '../model/ids.ts'
import type { LogFile, SessionFiles, SideFile } from '../model/source.ts'
import type { LinePlace, Range } from './candidates.ts'
import type { GrepHit } from './events.ts'

/** Matches, or how many there are where that is all that is asked. */
export interface Found {
  hits: GrepHit[]
  /** Names of matches that count once. */
  keys: string[]
  count: number
}

/** A part of a log: the lines that begin in it. */
export interface LogPart {
  log: LogFile
  from: number
  /** `Infinity`: to the end. */
  to: number
  /** The lines that may match; absent where that is not known. */
  lines?: LinePlace[]
  /** How many bytes those have. */
  lineBytes?: number
  /** How often other lines than those match, where they were counted already. */
  counted?: number
  /** What was found in it, where it was searched already. */
  found?: Found[]
  /** Where the log is an earlier generation of a file: which one. */
  generation?: number
}

/** Output that was spilled into a file of its own. */
export interface SidePart {
  side: SideFile
  /** Where the call is that printed it. */
  logs: LogFile[]
}

export type Part = LogPart | SidePart

/** What one thread searches at a time. */
export interface GrepPiece {
  session: SessionId
  parts: Part[]
  /** Whether what has no time of its own counts. */
  countsTimeless: boolean
  /** Whether texts of the session may stand in more than one file: matches are then told one by one. */
  hasCopies: boolean
}

/** An earlier content of one of a session's logs. */
export interface EarlierLog {
  log: LogFile
  generation: number
}

/** Large files are cut, so that several threads can search one. */
export const partBytes = 8 * 1024 * 1024

export function partsOf(session: SessionFiles, earlier: readonly EarlierLog[]): Part[] {
  const { logs } = session
  return [
    ...logs.flatMap(partsOfLog),
    ...spillsOf(session).map(side => ({ side, logs })),
    ...earlier.flatMap(({ log, generation }) => partsOfLog(log).map(part => ({ ...part, generation }))),
  ]
}

export function spillsOf({ side }: SessionFiles): SideFile[] {
  return side.filter(file => file.kind === 'tool-result')
}

function partsOfLog(log: LogFile): LogPart[] {
  return rangesOf(log).map(({ from, to }) => ({ log, from, to }))
}

export function rangesOf({ generation, size }: Pick<LogFile, 'generation' | 'size'>): Range[] {
  const count = Math.max(1, Math.floor(size / partBytes))
  const ends = { headTo: windowBytes, tailFrom: size - windowBytes }
  return Array.from({ length: count }, (_, at) => {
    const from = at * partBytes
    const isLast = at === count - 1
    return {
      generation,
      from,
      to: isLast ? Number.POSITIVE_INFINITY : from + partBytes,
      ends,
      bytes: isLast ? size - from : partBytes,
    }
  })
}

/** How much of it has to be decoded, at most. */
export function bytesOfPart(part: Part): number {
  if ('side' in part) return part.side.size
  if (part.found !== undefined) return 0
  if (part.lineBytes !== undefined) return part.lineBytes
  return Math.min(part.to, part.log.size) - part.from
}

export function rangeOf(part: Part): Range {
  if ('side' in part) return { generation: part.side.generation, from: 0, to: Number.POSITIVE_INFINITY, isText: true }
  return { generation: part.log.generation, from: part.from, to: part.to }
}

/** Small parts are handed out together. */
const pieceBytes = 4 * 1024 * 1024

/** Parts of one session as pieces; `isOne`: what is found in one part tells about the others. */
export function piecesOf(piece: GrepPiece, isOne: boolean): GrepPiece[] {
  if (isOne) return [piece]
  const pieces: GrepPiece[] = []
  let parts: Part[] = []
  let bytes = 0
  for (const part of piece.parts) {
    parts.push(part)
    bytes += bytesOfPart(part)
    if (bytes < pieceBytes) continue
    pieces.push({ ...piece, parts })
    parts = []
    bytes = 0
  }
  return parts.length > 0 ? [...pieces, { ...piece, parts }] : pieces
}

// The text of a line without long texts that the index does not need: the structured copy of a tool's output, the middle of a
// long output, output so far, signatures. Rows are the same as those of the whole line, only sooner: what is not made into a
// string costs nothing. What it cannot read for sure is read as a whole.

import { runWasm, type WasmRun } from '../../base/wasm-code.ts'
import type { LeanReader } from '../../decode/records.ts'
import type { LogRecord } from '../../model/record.ts'
import { outputLimit } from '../../session/indexed-texts.ts'
import { cutShift, cuts, isForeign, isOdd, leanFunctions } from './lean-walk.ts'

/** Longer lines are read as a whole. */
const longestLine = 4 * 1024 * 1024
/** A vector may reach beyond the end. */
const slack = 64
const outAt = longestLine + slack
/** Escapes make a line longer by half at most. */
const memoryBytes = outAt + 1.5 * longestLine + 1024
/** One in so many characters may be written as an escape; where more are beyond Latin-1, UTF-8 is read more quickly. */
const bytesPerEscape = 16

const everything = cuts.structured | cuts.output | cuts.progress | cuts.signature

/** To make it ready takes as long as it saves on so many bytes. */
const worthMaking = 4 * 1024 * 1024
let asked = 0

let reader: Lean | null | undefined

/**
 * One for all of a thread, where it pays for so many more bytes; undefined where it does not, or there is no WebAssembly with
 * vectors: then lines are read as a whole.
 */
export function leanReader(bytes = worthMaking): LeanReader | undefined {
  asked += bytes
  if (asked < worthMaking) return undefined
  if (reader === undefined) {
    const wasm = runWasm(leanFunctions(outputLimit), memoryBytes)
    reader = wasm === null ? null : new Lean(wasm)
  }
  return reader ?? undefined
}

class Lean implements LeanReader {
  private readonly bytes: Buffer
  private readonly run: WasmRun<'walk' | 'walkRaw'>['run']
  /** What is in memory: the chunk's bytes from `first` to `last`. */
  private chunk: Uint8Array | undefined
  private first = 0
  private last = 0
  /** What was left out of the last line. */
  private left = 0

  constructor({ memory, run }: WasmRun<'walk' | 'walkRaw'>) {
    this.bytes = Buffer.from(memory)
    this.run = run
  }

  begin(): void {
    this.chunk = undefined
  }

  textOf(chunk: Uint8Array, from: number, to: number): string | null {
    if (to - from > longestLine) return null
    if (chunk !== this.chunk || from < this.first || to > this.last) this.load(chunk, from)
    const start = from - this.first
    const most = 16 + Math.floor((to - from) / bytesPerEscape)
    const end = this.walk('walk', start, to - this.first, most)
    if (end !== isForeign) return end === isOdd ? null : this.bytes.toString('latin1', outAt, end)
    const rawEnd = this.walk('walkRaw', start, to - this.first, 0)
    return rawEnd === isOdd ? null : this.bytes.toString('utf8', outAt, rawEnd)
  }

  /** As much of the chunk as there is room for. */
  private load(chunk: Uint8Array, from: number): void {
    const last = Math.min(chunk.length, from + longestLine)
    this.bytes.set(from === 0 && last === chunk.length ? chunk : chunk.subarray(from, last))
    this.bytes[last - from] = 0
    this.chunk = chunk
    this.first = from
    this.last = last
  }

  /** Once more, and more cautiously, where it turns out that something must stay. */
  private walk(name: 'walk' | 'walkRaw', from: number, to: number, most: number): number {
    for (let allowed = everything; ; ) {
      const answer = this.run[name](from, to, outAt, allowed, most)
      const found = answer >>> cutShift
      const needed = neededOf(found)
      if (needed === 0) {
        this.left = found & everything
        return answer & ((1 << cutShift) - 1)
      }
      allowed &= ~needed
    }
  }

  isEnough({ dialect, type }: Pick<LogRecord, 'dialect' | 'type'>, value: LogRecord['value']): boolean {
    const { left } = this
    if (left === 0) return true
    if (dialect !== 'client') return false
    if (type === 'user') return (left & (cuts.progress | cuts.signature)) === 0
    if (type === 'assistant') return left === cuts.signature
    // On a sidechain, output so far may tell which thread it is.
    return type === 'progress' && left === cuts.progress && value?.['isSidechain'] !== true
  }
}

/** Which of the cuts that were made must not be. */
function neededOf(found: number): number {
  let needed = 0
  if ((found & cuts.isOutputNeeded) !== 0) needed |= found & cuts.output
  // What a subagent was told and answered is compared with other texts; beside what is no result, all texts are searched.
  if ((found & cuts.hasAgent) !== 0 || (found & cuts.hasResult) === 0) needed |= found & cuts.structured
  return needed
}

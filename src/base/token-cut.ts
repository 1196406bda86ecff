// The quick way from a text to its tokens: a text is put into the memory of WebAssembly, hashed and cut there. What it cannot
// cut it leaves to the caller, place by place. Where there is no WebAssembly with vectors it is not there.

import { joinedHash } from './text-hash.ts'
import { longestText, memorySize, order, state, stateView, textPlace, unitsPlace, wholesPlace } from './token-code.ts'
import { chainFunctions } from './token-code-chain.ts'
import { hashing } from './token-code-hash.ts'
import { wordFunctions } from './token-code-words.ts'
import { TokenTable } from './token-table.ts'
import { runWasm, type WasmFunction, type WasmRun } from './wasm-code.ts'

type Name = (typeof order)[number] | 'cut' | 'hash'

/** Writes the code units of a text, low byte first, to where the bytes begin; they are always those of the same array. */
export type TextCopy = (text: string, bytes: Uint8Array) => void
/** Below this a call costs more than it saves. */
const shortestCopied = 32

/** One text at a time. */
export class TokenCut {
  /** What is to be cut, with a zero behind it. */
  readonly codes: Uint16Array
  /** Up to here it is known that no base64 data begins; who cuts a place by itself takes it over and sets it. */
  plainUntil = 0
  text = ''
  private readonly bytes: Uint8Array
  private readonly memory: Uint8Array
  private readonly state: Int32Array
  private readonly run: WasmRun<Name>['run']
  private readonly table: TokenTable

  constructor({ memory, run }: WasmRun<Name>) {
    this.codes = new Uint16Array(memory, textPlace, longestText + 1)
    this.bytes = new Uint8Array(memory, textPlace, 2 * longestText)
    this.memory = new Uint8Array(memory)
    this.state = stateView(memory)
    this.run = run
    this.table = new TokenTable(memory)
  }

  /** Takes a text up, at most `longestText` characters. */
  load(text: string, copy: TextCopy | undefined): void {
    const { length } = text
    if (copy !== undefined && length >= shortestCopied) copy(text, this.bytes)
    else for (let at = 0; at < length; at++) this.codes[at] = text.charCodeAt(at)
    this.codes[length] = 0
    this.text = text
    this.plainUntil = 0
  }

  hash(seed: number): number {
    const low = this.run.hash(this.text.length, seed)
    return joinedHash(low, this.state[state.high] as number)
  }

  /** Cuts from a place on; gives where it stopped. What it wrote before is gone. */
  cut(from: number): number {
    const { state: numbers } = this
    numbers[state.units] = unitsPlace
    numbers[state.wholes] = wholesPlace
    numbers[state.plainUntil] = textPlace + 2 * this.plainUntil
    const end = this.run.cut(textPlace + 2 * from, textPlace + 2 * this.text.length)
    this.plainUntil = ((numbers[state.plainUntil] as number) - textPlace) >> 1
    return (end - textPlace) >> 1
  }

  /** Units, and wholes, that were written; a blank before each. */
  get units(): Uint8Array {
    return this.memory.subarray(unitsPlace, this.state[state.units])
  }

  get wholes(): Uint8Array {
    return this.memory.subarray(wholesPlace, this.state[state.wholes])
  }

  /** Characters that it stopped at may be known from now on. */
  learn(from: number, to: number): void {
    for (let at = from; at < to; at++) {
      const code = this.codes[at] as number
      if (code >= 128) this.table.learn(code)
    }
  }
}

let made: TokenCut | null | undefined

/** The one of this thread. */
export function tokenCut(): TokenCut | null {
  if (made !== undefined) return made
  const all = { ...wordFunctions(), ...chainFunctions() }
  const inner = Object.fromEntries(order.map(name => [name, all[name]])) as Record<Name, WasmFunction>
  const wasm = runWasm<Name>({ ...inner, cut: all.cut, hash: hashing() }, memorySize)
  made = wasm === null ? null : new TokenCut(wasm)
  return made
}

// Reads as much of a broken JSON value as there is: up to where it was cut, with tabs inside strings and line ends anywhere. It says
// where it stopped; whether the rest is of use is for others to say.

import { parseJson } from '../../base/json.ts'

export interface LenientValue {
  /** What was read; undefined where not even a value begins. */
  value: unknown
  /** Behind what was read. */
  end: number
  /** Closed as it should be. */
  isWhole: boolean
  /** The way down to the value that was cut. */
  cutAt: readonly (string | number)[]
}

/** Deeper values are taken for cut. */
const deepest = 500

export function readLenient(text: string, from = 0): LenientValue {
  const reader = new Reader(text, from)
  const value = reader.value()
  return { value, end: reader.at, isWhole: !reader.isStopped, cutAt: reader.cutAt }
}

const number = String.raw`[-\d](?:[\d.eE+-]|[\r\n]+(?=[\d.eE+-]))*`
const words = ['true', 'false', 'null'].map(signs => [...signs].join('[\\r\\n]*'))
const word = new RegExp([number, ...words].join('|'), 'y')
const escaping = /[\r\n]*(?:u(?:[\r\n]*[0-9a-fA-F]){4}|[^u\r\n])/y
const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

class Reader {
  at: number
  isStopped = false
  cutAt: readonly (string | number)[] = []
  private readonly text: string
  private readonly path: (string | number)[] = []

  constructor(text: string, from: number) {
    this.text = text
    this.at = from
  }

  value(): unknown {
    this.skipBlanks()
    if (this.path.length > deepest) return this.stop(undefined)
    switch (this.text[this.at]) {
      case '{':
        return this.object()
      case '[':
        return this.array()
      case '"':
        return this.string()
      default:
        return this.word()
    }
  }

  private stop<Value>(value: Value): Value {
    if (!this.isStopped) this.cutAt = [...this.path]
    this.isStopped = true
    return value
  }

  private skipBlanks(): void {
    while (' \t\r\n'.includes(this.text[this.at] ?? 'x')) this.at++
  }

  /** Takes one of the signs; the empty string where another one is there. */
  private take(signs: string): string {
    this.skipBlanks()
    const sign = this.text[this.at] ?? ''
    if (sign === '' || !signs.includes(sign)) return ''
    this.at++
    return sign
  }

  private object(): Record<string, unknown> {
    const found: Record<string, unknown> = {}
    this.take('{')
    if (this.take('}')) return found
    for (;;) {
      this.skipBlanks()
      if (this.text[this.at] !== '"') return this.stop(found)
      const key = this.string().replace(lineEnds, '')
      if (this.isStopped || !this.take(':')) return this.stop(found)
      this.path.push(key)
      const read = this.value()
      const value = typeof read === 'string' && isName(key) ? read.replace(lineEnds, '') : read
      if (value !== undefined) Object.defineProperty(found, key, { value, ...plain })
      if (this.isStopped) return found
      this.path.pop()
      const sign = this.take(',}')
      if (sign === '}') return found
      if (sign === '') return this.stop(found)
    }
  }

  private array(): unknown[] {
    const found: unknown[] = []
    this.take('[')
    if (this.take(']')) return found
    for (;;) {
      this.path.push(found.length)
      const value = this.value()
      if (value !== undefined) found.push(value)
      if (this.isStopped) return found
      this.path.pop()
      const sign = this.take(',]')
      if (sign === ']') return found
      if (sign === '') return this.stop(found)
    }
  }

  private string(): string {
    const { text } = this
    let said = ''
    this.at++
    for (; this.at < text.length; this.at++) {
      const sign = text[this.at] as string
      if (sign === '"') {
        this.at++
        return said
      }
      if (sign === '\0') break
      if (sign !== '\\') {
        said += sign
        continue
      }
      const escaped = this.escaped()
      if (escaped === undefined) break
      said += escaped
    }
    return this.stop(said)
  }

  /** Moves to the last sign of the escape. */
  private escaped(): string | undefined {
    escaping.lastIndex = this.at + 1
    const found = escaping.exec(this.text)?.[0]
    if (found === undefined) return undefined
    this.at += found.length
    const sign = found.replace(lineEnds, '')
    if (sign.length === 1) return escapes[sign] ?? sign
    return String.fromCharCode(Number.parseInt(sign.slice(1), 16))
  }

  private word(): unknown {
    word.lastIndex = this.at
    const found = word.exec(this.text)?.[0]
    // A number at the very end may have had more digits.
    if (found === undefined || this.at + found.length === this.text.length) return this.stop(undefined)
    this.at += found.length
    const value = parseJson(found.replace(lineEnds, ''))
    return value === undefined ? this.stop(undefined) : value
  }
}

/** Line ends that something put where no line ends: in a word, a name, an escape. */
const lineEnds = /[\r\n]+/g

/** Whether what is written under a key has no line ends: ids, types, times. */
function isName(key: string): boolean {
  return /^(?:id|type|subtype|role|name|model|timestamp|version|uuid|.*(?:Id|_id|Uuid|UUID))$/.test(key)
}

const plain = { enumerable: true, configurable: true, writable: true }

// JSON as specifications write it: with comments, `...` for what is left out, and alternatives instead of a value.
// One variant comes out per alternative. It reads examples only; logs are read by the decoder.

import { parseJson } from '../../src/base/json.ts'

/** A piece of the text; `choices` are the JSON texts it may stand for. */
interface Token {
  kind: 'value' | 'mark'
  choices: string[]
}

const tokenPattern = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/|\.\.\.|"(?:[^"\\]|\\.)*"|[{}[\]:,|]|[-+.\w]+/y

/** All variants of the example, or undefined where it is no JSON even so. Variant n takes each union's n-th alternative. */
export function looseJson(text: string): unknown[] | undefined {
  const tokens = tokensOf(text)
  if (tokens === undefined) return undefined
  const joined = joinUnions(tokens)
  const count = Math.max(1, ...joined.map(token => token.choices.length))
  const variants: unknown[] = []
  for (let at = 0; at < count; at++) {
    const written = joined.map(token => token.choices[Math.min(at, token.choices.length - 1)] ?? '')
    const value = parseJson(withoutLooseCommas(written).join(' '))
    if (value === undefined) return undefined
    variants.push(value)
  }
  return variants
}

function tokensOf(text: string): Token[] | undefined {
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    tokenPattern.lastIndex = at
    const found = tokenPattern.exec(text)?.[0]
    if (found === undefined) return undefined
    at += found.length
    if (/^\s|^\/[/*]|^\.\.\.$/.test(found)) continue
    if (/^[{}[\]:,|]$/.test(found)) tokens.push({ kind: 'mark', choices: [found] })
    else tokens.push({ kind: 'value', choices: alternatives(found) })
  }
  return tokens
}

/** `"a|b"`, `"x or null"`, `"x or empty string"` name several values; a described time stands for any time. */
function alternatives(value: string): string[] {
  const text = value.startsWith('"') ? value.slice(1, -1) : ''
  if (/^[\w-]+(\|[\w-]+)+$/.test(text)) return text.split('|').map(choice => `"${choice}"`)
  if (text.endsWith(' or null')) return [`"${text.slice(0, -' or null'.length)}"`, 'null']
  if (text.endsWith(' or empty string')) return [`"${text.slice(0, -' or empty string'.length)}"`, '""']
  if (text === 'ISO-8601 timestamp') return ['"2026-01-27T10:15:30.123Z"']
  return [value]
}

/** `"a" | "b"` becomes one token with both choices. */
function joinUnions(tokens: readonly Token[]): Token[] {
  const joined: Token[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token
    const before = joined.at(-1)
    const next = tokens[at + 1]
    if (isMark(token, '|') && before?.kind === 'value' && next?.kind === 'value') {
      before.choices = [...before.choices, ...next.choices]
      at++
    } else joined.push({ ...token })
  }
  return joined
}

function isMark(token: Token, mark: string): boolean {
  return token.kind === 'mark' && token.choices[0] === mark
}

/** Leaving out `...` leaves commas that separate nothing. */
function withoutLooseCommas(written: readonly string[]): string[] {
  return written.filter((text, at) => {
    const next = written[at + 1]
    return text !== ',' || !(next === undefined || next === ',' || next === '}' || next === ']')
  })
}

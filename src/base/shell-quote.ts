// Words quoted so that a shell takes them as they are and a terminal shows them harmlessly. It runs nothing.

import { textToBytes } from './bytes.ts'
import { escapeForLine } from './escape.ts'

// `=` at the beginning means something to zsh.
const plain = /^[A-Za-z0-9_/.:@+,-][A-Za-z0-9_/.:=@+,-]*$/

/** Characters that a terminal would act on, or hide. */
function isHarmless(text: string): boolean {
  return escapeForLine(text) === text
}

function bytesOf(character: string): string[] {
  return [...textToBytes(character)].map(byte => byte.toString(8).padStart(3, '0'))
}

/** Single quotes; with control characters the form that `bash`, `zsh` and POSIX of 2024 know. */
export function posixQuote(text: string): string {
  if (plain.test(text)) return text
  if (isHarmless(text)) return `'${text.replaceAll("'", `'\\''`)}'`
  const escaped = [...text].map(character => {
    if (character === "'" || character === '\\') return `\\${character}`
    return isHarmless(character)
      ? character
      : bytesOf(character)
          .map(byte => `\\${byte}`)
          .join('')
  })
  return `$'${escaped.join('')}'`
}

/** Between single quotes only those and backslashes mean something; control characters stand outside. */
export function fishQuote(text: string): string {
  if (plain.test(text)) return text
  const parts = [...text].map(character => {
    if (character === "'" || character === '\\') return `\\${character}`
    if (isHarmless(character)) return character
    return `'${[...textToBytes(character)].map(byte => `\\X${byte.toString(16).padStart(2, '0')}`).join('')}'`
  })
  return `'${parts.join('')}'`
}

/** Typographic single quotes end a text too. */
export function powershellQuote(text: string): string {
  if (plain.test(text) && !/[,@=]/.test(text)) return text
  if (isHarmless(text)) return `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`
  const parts = [...text].map(character =>
    isHarmless(character)
      ? `'${character.replace(/['\u2018-\u201b]/g, '$&$&')}'`
      : `[char]::ConvertFromUtf32(${character.codePointAt(0) ?? 0})`,
  )
  return `(${parts.join(' + ')})`
}

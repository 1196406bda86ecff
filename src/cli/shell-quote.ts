// Words quoted so that a shell takes them as they are and a terminal shows them harmlessly. It runs nothing.

import { textToBytes } from '../base/bytes.ts'
import { escapeForLine } from '../base/escape.ts'
import { UserError } from './command.ts'

export const shells = ['posix', 'fish', 'powershell', 'cmd'] as const
export type Shell = (typeof shells)[number]

/** The command that goes to a folder and resumes a session there; without a folder only the latter. */
export function resumeCommand(shell: Shell, cwd: string | null, session: string): string {
  const quote = quoters[shell]
  // An id is a file's name: one that looks like an option must not be taken for one.
  const resume = session.startsWith('-') ? `--resume=${quote(session)}` : `--resume ${quote(session)}`
  const claude = `claude ${resume}`
  if (cwd === null) return claude
  const folder = quote(cwd)
  if (shell === 'powershell') return `Set-Location -LiteralPath ${folder}; if ($?) { ${claude} }`
  if (shell === 'cmd') return `cd /d ${folder} && ${claude}`
  const cd = cwd.startsWith('-') ? `cd -- ${folder}` : `cd ${folder}`
  return shell === 'fish' ? `${cd}; and ${claude}` : `${cd} && ${claude}`
}

const quoters: Readonly<Record<Shell, (text: string) => string>> = {
  posix: posixQuote,
  fish: fishQuote,
  powershell: powershellQuote,
  cmd: cmdQuote,
}

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
function fishQuote(text: string): string {
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

/** Percent signs stand outside of the quotes, where a caret takes their meaning away. */
export function cmdQuote(text: string): string {
  if (/^[A-Za-z0-9_\\/.:-]+$/.test(text)) return text
  if (!isHarmless(text) || text.includes('"')) {
    throw new UserError('cmd cannot be given this path: it has quotes or control characters; try --shell powershell')
  }
  return `"${text.replaceAll('%', '"^%"')}"`
}

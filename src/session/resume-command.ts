// The command that resumes a session, in the words of each shell. It runs nothing.

import { escapeForLine } from '../base/escape.ts'
import { fishQuote, posixQuote, powershellQuote } from '../base/shell-quote.ts'
import type { SessionGraph } from '../model/session.ts'

/** The shell that people have who name none. */
export function usualShell(platform: string): Shell {
  return platform === 'win32' ? 'powershell' : 'posix'
}

/**
 * Claude Code looks in the project folder of the directory that it is started in. A session may have changed its directory:
 * the one that its project folder is named after counts, else the first.
 */
export function resumeFolder({ events }: Pick<SessionGraph, 'events'>, slug: string): string | null {
  const folders = new Set<string>()
  for (const event of events) if (event.cwd !== undefined) folders.add(event.cwd)
  const all = [...folders]
  return all.find(folder => folder.replace(/[^A-Za-z0-9]/g, '-') === slug) ?? all[0] ?? null
}

export const shells = ['posix', 'fish', 'powershell', 'cmd'] as const
export type Shell = (typeof shells)[number]

/** The arguments of `claude`. An id is a file's name: one that looks like an option must not be taken for one. */
export function resumeWords(session: string, quote = (text: string) => text): string[] {
  return session.startsWith('-') ? [`--resume=${quote(session)}`] : ['--resume', quote(session)]
}

/** The command that goes to a folder and resumes a session there; without a folder only the latter. */
export function resumeCommand(shell: Shell, cwd: string | null, session: string): string {
  const quote = quoters[shell]
  const claude = ['claude', ...resumeWords(session, quote)].join(' ')
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

/** Percent signs are outside the quotes, where a caret escapes them. Throws a RangeError where cmd has no way to quote. */
export function cmdQuote(text: string): string {
  if (/^[A-Za-z0-9_\\/.:-]+$/.test(text)) return text
  if (escapeForLine(text) !== text || text.includes('"')) {
    throw new RangeError('cmd cannot quote this path, which has quotes or control characters; try --shell powershell')
  }
  return `"${text.replaceAll('%', '"^%"')}"`
}

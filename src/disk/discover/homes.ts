// Which roots to read when a command starts, and when Claude Code will delete a session there. It looks at folders and
// settings only.

import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { attempt } from '../../base/attempt.ts'
import { asNumber, asObject, parseJson } from '../../base/json.ts'
import type { SessionFiles } from '../../model/source.ts'

/** Where homes are looked for. */
export interface HomeOptions {
  /** What the user named; then nothing else counts. */
  roots?: string[]
  env: Record<string, string | undefined>
  homeDir: string
}

/** The roots to read, each once: those named, else `$CLAUDE_CONFIG_DIR`, else the usual places that exist. */
export function claudeHomes(options: HomeOptions): string[] {
  const { roots = [], env, homeDir } = options
  if (roots.length > 0) return unique(roots.map(root => expandTilde(root, homeDir)))
  const configured = env['CLAUDE_CONFIG_DIR']?.trim() ?? ''
  if (configured !== '') return unique(splitList(configured, homeDir))
  return unique(usualHomes(homeDir).filter(isFolder))
}

/** Where Claude Code has its files where nothing was named; they may not be there. */
export function usualHomes(homeDir: string): string[] {
  return [join(homeDir, '.claude'), join(homeDir, '.config', 'claude')]
}

/** `~` and `~/…` with the home folder in place of the tilde; other text as it is, `~user` too. */
export function expandTilde(path: string, homeDir: string): string {
  if (path === '~') return homeDir
  return path.startsWith('~/') || path.startsWith(`~${sep}`) ? join(homeDir, path.slice(2)) : path
}

/** A comma may also be part of a folder's name: what exists as a whole is one path. */
function splitList(text: string, homeDir: string): string[] {
  const whole = expandTilde(text, homeDir)
  if (!text.includes(',') || existsSync(whole)) return [whole]
  const parts = text.split(',').map(part => part.trim())
  return parts.filter(part => part !== '').map(part => expandTilde(part, homeDir))
}

/** Whether a path is this folder or inside it; both absolute. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** Names in a folder; none where it is not there or cannot be read. */
export function namesIn(folder: string): string[] {
  return attempt(() => readdirSync(folder)) ?? []
}

function unique(paths: string[]): string[] {
  const byPlace = new Map<string, string>()
  for (const path of paths) {
    const place = realPlace(path)
    if (!byPlace.has(place)) byPlace.set(place, path)
  }
  return [...byPlace.values()]
}

function realPlace(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** What Claude Code takes when its settings say nothing. */
export const defaultCleanupDays = 30

const dayMs = 86_400_000
// The last moment that a date can name.
const lastMs = 8.64e15

/** The home whose `projects` folder a session file is in; null for a file elsewhere. */
export function homeOfLog(path: string): string | null {
  const projects = dirname(dirname(resolve(path)))
  return basename(projects) === 'projects' ? dirname(projects) : null
}

/** `cleanupPeriodDays` of a home's settings. */
export function cleanupDays(home: string): number {
  let text: string
  try {
    text = readFileSync(join(home, 'settings.json'), 'utf8')
  } catch {
    return defaultCleanupDays
  }
  const days = asNumber(asObject(parseJson(text))?.['cleanupPeriodDays'])
  return days === undefined || days < 0 ? defaultCleanupDays : days
}

/** When sessions will be deleted; reads every home's settings once. */
export class Retention {
  private readonly days = new Map<string, number>()

  /** Milliseconds since 1970; undefined where Claude Code will not, or it is not known. */
  deletedOn(session: SessionFiles): number | undefined {
    let last: number | undefined
    for (const log of session.logs) {
      // Claude Code cannot delete what is only in the archive.
      const home = log.role === 'session' && log.isArchiveOnly !== true ? homeOfLog(log.path) : null
      if (home === null) continue
      const at = log.modifiedMs + this.daysOf(home) * dayMs
      if (at <= lastMs && (last === undefined || at > last)) last = at
    }
    return last
  }

  private daysOf(home: string): number {
    let days = this.days.get(home)
    if (days === undefined) {
      days = cleanupDays(home)
      this.days.set(home, days)
    }
    return days
  }
}

// Decides which roots to read when a command starts. It only looks whether folders exist; reading them is `discover`'s.

import { existsSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'

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
  return unique([join(homeDir, '.claude'), join(homeDir, '.config', 'claude')].filter(isFolder))
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

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
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

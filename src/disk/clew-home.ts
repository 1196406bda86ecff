// Where Clew keeps its own files: archive, index, config, locks. It only names the folder and makes nothing.

import { lstatSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { attempt } from '../base/attempt.ts'
import { expandTilde } from './discover/homes.ts'

export interface ClewHomeFacts {
  /** From `--home`. */
  named?: string | undefined
  env: Readonly<Record<string, string | undefined>>
  platform: NodeJS.Platform
  homeDir: string
}

/** Where Clew keeps its own files: `--home`, `$CLEW_HOME`, else the platform's data directory. */
export function clewHome(facts: ClewHomeFacts): string {
  const { named, env, platform, homeDir } = facts
  const chosen = named ?? env['CLEW_HOME']
  if (chosen) return resolve(expandTilde(chosen, homeDir))
  if (platform === 'win32') return join(env['LOCALAPPDATA'] || join(homeDir, 'AppData', 'Local'), 'clew')
  if (platform === 'darwin') return join(homeDir, 'Library', 'Application Support', 'clew')
  // The base directory specification says that a relative path is to be ignored.
  const data = env['XDG_DATA_HOME']
  return join(data?.startsWith('/') ? data : join(homeDir, '.local', 'share'), 'clew')
}

/** That of this process; `named`: chosen by the caller. A link to a folder is followed, once and for all. */
export function ownClewHome(named?: string): string {
  const home = clewHome({ named, env: process.env, platform: process.platform, homeDir: homedir() })
  return isLink(home) ? (attempt(() => realpathSync(home)) ?? home) : home
}

export function isLink(path: string): boolean {
  return attempt(() => lstatSync(path, { throwIfNoEntry: false }))?.isSymbolicLink() === true
}

// The options that every question shares, from the command line or from a program: what is named, then the environment, then
// the config file. It opens the archive where there is one, and no index.

import { openPlaces } from '../archive/read/places.ts'
import { escapeForTerminal } from '../base/escape.ts'
import { type GlobalOptions, UserError } from './command.ts'
import { configDefaults, ownHome, refuseUnusableHome, timezoneFault } from './config.ts'
import { say } from './terminal/output.ts'

/**
 * `options`: `home`, `root`, `json`, `quiet`, `index` and `timezone`, as the parser gives them. `neverFails`: an own folder that
 * cannot be used is no error.
 */
export async function globalsOf(options: Record<string, unknown>, neverFails = false): Promise<GlobalOptions> {
  const home = ownHome(options['home'])
  if (!neverFails) refuseUnusableHome(home)
  const defaults = configDefaults(options['home'])
  const named = asList(options['root'])
  const isNamed = named.length > 0 || Boolean(process.env['CLAUDE_CONFIG_DIR'])
  const globals: GlobalOptions = {
    root: isNamed ? named : defaults.roots,
    isRootNamed: named.length > 0,
    json: options['json'] === true,
    quiet: options['quiet'] === true,
    usesIndex: options['index'] !== false,
    ...(await openPlaces(home, reportArchiveProblem)),
  }
  const timezone = typeof options['timezone'] === 'string' ? options['timezone'] : defaults.timezone
  if (timezone === undefined) return globals
  const fault = timezoneFault(timezone)
  if (fault !== undefined) throw new UserError(fault)
  return { ...globals, timezone }
}

/** What is on disk is shown all the same. */
function reportArchiveProblem(message: string): void {
  say(`clew: the archive has a problem: ${escapeForTerminal(message)}`)
}

export function asList(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}

// Opens the handle for questions: what is named, then the environment, then the config file. It opens the archive where there
// is one; the index is opened by the first question that can use it.

import { openPlaces } from '../archive/read/places.ts'
import { type Clew, type Listener, notingOnce, silent } from './clew.ts'
import { settingsOf } from './configured.ts'
import { UserError } from './error.ts'
import { closeIndex } from './knows/index-use.ts'
import { ownHome, refuseUnusableHome, timezoneFault } from './settings.ts'

export interface OpenOptions {
  /** Claude homes, projects folders, project folders or session files; the configured or usual homes where absent. */
  roots?: readonly string[]
  /** Clew's own folder, with archive and index; `CLEW_HOME` or the usual one where absent. */
  home?: string
  /** False: answers come from the files, without the index. */
  index?: boolean
  /** An IANA name; that of the config or the machine where absent. Days begin at its midnight. */
  timezone?: string
  /** Whether the sample history stands in where there are no sessions. */
  usesSample?: boolean
  /** Nothing is changed, and nothing archived in the background. */
  isReadOnly?: boolean
  /** An own folder that cannot be used is no error, and nothing is noted of a config that cannot be read. */
  neverFails?: boolean
  listener?: Listener
}

/** Close it with `closeClew` when done. */
export async function openClew(options: OpenOptions = {}): Promise<Clew> {
  const { roots = [], index } = options
  const listener = notingOnce(options.listener ?? silent)
  const home = ownHome(options.home)
  if (options.neverFails !== true) refuseUnusableHome(home)
  const settings = settingsOf({ home })
  if (options.neverFails !== true) for (const fault of settings.faults) listener.note(fault)
  const isNamed = roots.length > 0 || Boolean(process.env['CLAUDE_CONFIG_DIR'])
  const clew: Clew = {
    root: isNamed ? [...roots] : [...settings.roots],
    isRootNamed: roots.length > 0,
    usesIndex: index !== false,
    usesSample: options.usesSample === true,
    isReadOnly: options.isReadOnly === true,
    listener,
    // What is on disk is shown all the same.
    ...(await openPlaces(home, message => listener.note(`the archive has a problem: ${message}`))),
  }
  const timezone = options.timezone ?? settings.timezone
  if (timezone === undefined) return clew
  const fault = timezoneFault(timezone)
  if (fault !== undefined) throw new UserError(fault)
  return { ...clew, timezone }
}

export function closeClew(clew: Clew): Promise<void> {
  return closeIndex(clew)
}

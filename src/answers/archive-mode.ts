// When Clew archives by itself and what it leaves out, as the config says, for everything that reads or refreshes.

import { existsSync } from 'node:fs'
import { sep } from 'node:path'
import { archiveFolder } from '../archive/format/layout.ts'
import { type ArchiveMode, type ArchiveSetting, chooseArchiveMode } from '../archive/store/mode.ts'
import { canonicalPlace } from '../files/place.ts'
import type { Clew } from './clew.ts'
import { settingsOf } from './configured.ts'
import { UserError } from './error.ts'
import { asUserError, homesOf } from './settings.ts'

/** When Clew archives by itself. */
export function archiveSettingOf(clew: Pick<Clew, 'home'>): ArchiveSetting {
  return settingsOf(clew).archive
}

/** What must not be archived. Throws where the config cannot be understood, since it may name more. */
export function excludeRules(clew: Pick<Clew, 'home'>): readonly string[] {
  const { exclude, archiveFaults } = settingsOf(clew)
  if (archiveFaults.length > 0) throw new UserError(archiveFaults.join('; '))
  return exclude
}

/** Where it is not known whether people want an archive, and there is something to put into it. */
export function isUndecided(clew: Clew): boolean {
  const { mode, isChosen } = archiveSettingOf(clew)
  return !isChosen && mode !== 'auto' && !clew.isRootNamed && homesOf(clew).some(root => existsSync(root))
}

/** How people switch it on, for those who are not asked. */
export const howToArchive = 'nothing is archived; to archive what Claude Code will delete: clew config set archive auto'

/** Its manifest would look like logs, and what is archived would be archived again with every run. */
export function refuseOwnArchive(path: string, { home }: Pick<Clew, 'home'>): void {
  const own = canonicalPlace(archiveFolder(home))
  if (!`${canonicalPlace(path)}${sep}`.startsWith(own + sep)) return
  throw new UserError(`${path} is the archive itself; nothing of it is taken in`)
}

/** Says who is waited for. */
export function noteWaiting({ listener }: Pick<Clew, 'listener'>): (holder: { what: string; pid: number }) => void {
  return ({ what, pid }) => listener.note(`waiting for another clew (${what}, process ${pid})`)
}

/** What a mode means, for people. `commands`: those with `archives` archive in passing. */
export function modeText(mode: ArchiveMode, commands: readonly { name: string; archives?: string }[]): string {
  if (mode === 'off') return 'off: nothing is archived any more; what is archived stays'
  if (mode === 'manual') return 'manual: only clew archive run archives'
  const names = commands.filter(({ archives }) => archives !== undefined).map(({ name }) => name)
  return `auto: what is new is archived by clew, ${names.join(', ')}`
}

/** Stores the choice in the config. */
export function setArchiveMode({ home }: Pick<Clew, 'home'>, mode: ArchiveMode): void {
  asUserError(() => chooseArchiveMode(home, mode))
}

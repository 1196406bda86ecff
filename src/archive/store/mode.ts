// When Clew archives by itself, as the config says: read and changed here alone. Who archives is up to callers.

import { existsSync } from 'node:fs'
import { readConfigFile, writeConfigKey } from '../../disk/config-file.ts'
import { archiveFolder, layoutOf } from '../format/layout.ts'

/** `auto`: whatever reads sessions also archives what is new. `manual`: only on request. `off`: never. */
export type ArchiveMode = 'auto' | 'manual' | 'off'

export const archiveModes: readonly ArchiveMode[] = ['auto', 'manual', 'off']

export interface ArchiveSetting {
  /** What counts now. Where nothing was chosen: `auto` once there is an archive, `manual` before that. */
  mode: ArchiveMode
  /** The config says it. */
  isChosen: boolean
}

/** `home`: Clew's own folder. Throws a ConfigError where its config cannot be read. */
export function archiveSetting(home: string): ArchiveSetting {
  const value = readConfigFile(home)['archive']
  const chosen = archiveModes.find(mode => mode === value)
  if (chosen !== undefined) return { mode: chosen, isChosen: true }
  const hasArchive = existsSync(layoutOf(archiveFolder(home)).manifest)
  return { mode: hasArchive ? 'auto' : 'manual', isChosen: false }
}

/** Stores the choice in the config. */
export function chooseArchiveMode(home: string, mode: ArchiveMode): void {
  writeConfigKey(home, 'archive', mode)
}

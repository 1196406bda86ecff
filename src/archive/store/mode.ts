// When Clew archives by itself, as the config says: understood and changed here alone. Who archives is up to callers.

import { existsSync } from 'node:fs'
import type { JsonObject } from '../../base/json.ts'
import { writeConfigKey } from '../../disk/config-file.ts'
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

/** `config`: the content of config.json. */
export function archiveSettingIn(config: JsonObject, home: string): ArchiveSetting {
  const chosen = archiveModes.find(mode => mode === config['archive'])
  if (chosen !== undefined) return { mode: chosen, isChosen: true }
  return { mode: hasArchive(home) ? 'auto' : 'manual', isChosen: false }
}

/** Whether anything was ever archived. `home`: Clew's own folder. */
export function hasArchive(home: string): boolean {
  return existsSync(layoutOf(archiveFolder(home)).manifest)
}

/** Stores the choice in the config. */
export function chooseArchiveMode(home: string, mode: ArchiveMode): void {
  writeConfigKey(home, 'archive', mode)
}

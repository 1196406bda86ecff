// The bytes of everything that is on disk or kept, for whoever indexes or answers.

import { existsSync } from 'node:fs'
import { openKept } from '../archive/kept.ts'
import { archiveFolder, layoutOf } from '../archive/layout.ts'
import { diskSource } from '../disk/read.ts'
import type { ByteSource } from '../model/source.ts'

/** `home`: Clew's own folder. */
export function openSource(home: string): ByteSource {
  const folder = archiveFolder(home)
  return existsSync(layoutOf(folder).manifest) ? openKept(folder).source : diskSource()
}

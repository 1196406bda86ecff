// The bytes of everything that is on disk or in the archive, for indexing and for answers.

import { existsSync } from 'node:fs'
import { archiveFolder, layoutOf } from '../../archive/format/layout.ts'
import { openArchiveView } from '../../archive/read/tree.ts'
import { diskSource } from '../../disk/read/read.ts'
import type { ByteSource } from '../../model/source.ts'

/** `home`: Clew's own folder. */
export function openSource(home: string): ByteSource {
  const folder = archiveFolder(home)
  return existsSync(layoutOf(folder).manifest) ? openArchiveView(folder).source : diskSource()
}

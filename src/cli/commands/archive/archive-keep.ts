// Keeping with somebody watching. What is kept and when is decided by those who call it.

import { type KeepReport, keep } from '../../../archive/capture/keep.ts'
import type { Archive } from '../../../archive/store/archive.ts'
import type { GlobalOptions } from '../../command.ts'
import { stoppable } from '../../terminal/progress.ts'
import { excludeRules } from './archive-open.ts'

export function keepWatched(archive: Archive, roots: readonly string[], globals: GlobalOptions): Promise<KeepReport> {
  const stopping = 'clew: stopping when this file is kept; Ctrl-C again stops at once'
  return stoppable(globals, stopping, watching =>
    keep(archive, {
      ...watching,
      roots,
      exclude: excludeRules(globals),
      begin: total => watching.begin('keeping', total),
    }),
  )
}

// Where the built code of a worker thread lies. It starts none.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from './package-folder.ts'

/** `name`: folder and file, as `cli/ls-worker`. Null where the code runs from its sources: then there are no threads. */
export function builtWorker(name: string): string | null {
  if (import.meta.url.endsWith('.ts')) return null
  const path = join(packageFolder(), 'dist', `${name}.js`)
  return existsSync(path) ? path : null
}

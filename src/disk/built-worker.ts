// Where the built code of a worker thread lies. It starts none.

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** `name`: folder and file, as `cli/ls-worker`. Null where the code runs from its sources: then there are no threads. */
export function builtWorker(name: string): string | null {
  const path = fileURLToPath(new URL(`../${name}.js`, import.meta.url))
  return existsSync(path) ? path : null
}

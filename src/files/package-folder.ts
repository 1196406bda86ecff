// Finds the files that ship with the package, whether the code runs built or from its sources. It reads none of them.

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder with `package.json`, `samples` and `dist`. */
export function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}

/** The bundled sample history: a whole Claude home. */
export function sampleHome(): string {
  return join(packageFolder(), 'samples', 'home')
}

/** The built web app; null where it was never built. */
export function webFolder(): string | null {
  const folder = join(packageFolder(), 'dist', 'web')
  return existsSync(join(folder, 'index.html')) ? folder : null
}

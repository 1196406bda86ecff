// Where the bundled sample history lies: beside the package's own code, built or not.

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export function sampleHome(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'samples', 'home')) && dirname(folder) !== folder) folder = dirname(folder)
  return join(folder, 'samples', 'home')
}

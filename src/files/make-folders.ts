// Makes a folder with those above it. It syncs nothing: what has to outlive a power cut is for `durable.ts`.

import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from '../base/error-code.ts'

/** Node's own way tries forever where a file system answers ENOENT below a folder that is there, as /proc does. */
export function makeFolders(path: string, mode = 0o777): void {
  const missing: string[] = []
  for (let at = path; !existsSync(at); at = dirname(at)) missing.push(at)
  for (const folder of missing.reverse()) makeFolder(folder, mode)
}

/** Another process may have made it by now. */
function makeFolder(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error
  }
}

// A temporary folder for tests, filled from a plain description. Not used outside of tests.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface TestFolder {
  root: string
  /** A path below the root, from parts divided by `/`. */
  path(way: string): string
  write(way: string, content: string | Uint8Array): Promise<string>
  remove(): Promise<void>
}

export async function makeTestFolder(): Promise<TestFolder> {
  const root = await mkdtemp(join(tmpdir(), 'clew-disk-'))
  const path = (way: string) => join(root, ...way.split('/'))
  return {
    root,
    path,
    async write(way, content) {
      await mkdir(dirname(path(way)), { recursive: true })
      await writeFile(path(way), content)
      return path(way)
    },
    remove: () => rm(root, { recursive: true, force: true }),
  }
}

/** Records as lines of a log. */
export function lines(...records: object[]): string {
  return records.map(record => `${JSON.stringify(record)}\n`).join('')
}

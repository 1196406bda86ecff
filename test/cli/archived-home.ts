// A Claude home that has an archive of its own, to delete from: for tests of what commands show afterwards.

import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { capture as archive, type CaptureReport } from '../../src/archive/capture/capture.ts'
import { archiveFolder } from '../../src/archive/format/layout.ts'
import { openPlaces } from '../../src/archive/read/places.ts'
import { Archive } from '../../src/archive/store/archive.ts'
import type { CommandRun } from '../../src/cli/command.ts'
import { type Captured, capture } from './capture.ts'
import { samples } from './reviewed.ts'
import { withFolder } from './run.ts'

export interface ArchivedHome {
  /** The Claude home. */
  home: string
  /** Clew's own folder. */
  own: string
  /** Archives what is there now. */
  archive(exclude?: string[]): Promise<CaptureReport>
  /** Deletes a file or folder of the home; without a name the home itself. */
  remove(...path: string[]): void
  /** Runs a command with this home as its root and what is archived by now. */
  run(command: CommandRun, invocation?: Parameters<typeof capture>[1]): Promise<Captured>
}

/** `fill` makes the home. */
export function withArchivedHome(
  fill: (home: string) => void,
  work: (place: ArchivedHome) => Promise<void>,
): Promise<void> {
  return withFolder(async folder => {
    const home = join(folder, 'claude-home')
    const own = join(folder, 'own')
    fill(home)
    await work({
      home,
      own,
      archive: (exclude = []) => archive(new Archive(archiveFolder(own)), { roots: [home], exclude }),
      remove: (...path) => rmSync(join(home, ...path), { recursive: true }),
      run: async (command, invocation = {}) =>
        capture(command, { root: [home], ...(await openPlaces(own)), ...invocation }),
    })
  })
}

export function fillWithSamples(home: string): void {
  cpSync(samples, home, { recursive: true, preserveTimestamps: true })
}

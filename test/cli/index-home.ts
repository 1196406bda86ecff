// A machine with a Claude home, or several, and an index of them: for tests that what commands say from the index is what
// they say from the files.

import { cpSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { expect } from 'vitest'
import { openPlaces } from '../../src/archive/read/places.ts'
import { chooseArchiveMode } from '../../src/archive/store/mode.ts'
import type { CommandRun } from '../../src/cli/command.ts'
import { run as index } from '../../src/cli/commands/index.ts'
import { type Captured, capture } from './capture.ts'
import { withFolder } from './run.ts'

export const samples = resolve('samples/home')

type Invocation = Parameters<typeof capture>[1]

export class IndexedHome {
  readonly folder: string
  /** Claude homes that are read where a test names no others. */
  readonly roots: string[]
  /** Clew's own folder. */
  readonly own: string

  constructor(folder: string, roots: string[]) {
    this.folder = folder
    this.roots = roots
    this.own = join(folder, 'own')
    // What is indexed is archived, too.
    chooseArchiveMode(this.own, 'auto')
  }

  async run(command: CommandRun, invocation: Invocation = {}): Promise<Captured> {
    const globals = { root: this.roots, isRootNamed: true, ...(await openPlaces(this.own)), ...invocation }
    return capture(command, globals)
  }

  async refresh(invocation: Invocation = {}): Promise<void> {
    const { code, stderr } = await this.run(index, { args: ['refresh'], quiet: true, ...invocation })
    expect(code, stderr).toBe(0)
  }

  /** The same from the index and from the files; gives what both printed. */
  async expectSame(command: CommandRun, invocation: Invocation = {}): Promise<Captured> {
    const fromFiles = await this.run(command, { ...invocation, usesIndex: false })
    const fromIndex = await this.run(command, invocation)
    expect(fromIndex.stdout).toBe(fromFiles.stdout)
    expect(fromIndex.code).toBe(fromFiles.code)
    return fromIndex
  }

  remove(path: string): void {
    rmSync(path, { recursive: true })
  }
}

/** Copies of the homes, so that tests can change them. */
export function withHomes(homes: readonly string[], work: (home: IndexedHome) => Promise<void>): Promise<void> {
  return withFolder(async folder => {
    const roots = homes.map((home, n) => join(folder, `home-${n}-${relative(resolve(home, '..'), home)}`))
    for (const [n, root] of roots.entries()) {
      cpSync(homes[n] as string, root, { recursive: true, preserveTimestamps: true })
    }
    await work(new IndexedHome(folder, roots))
  })
}

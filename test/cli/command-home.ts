// A test home that commands run on inside the test's process: from its files, its index, or its archive alone.

import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { capture as archive, type CaptureReport } from '../../src/archive/capture/capture.ts'
import { archiveFolder } from '../../src/archive/format/layout.ts'
import { openPlaces } from '../../src/archive/read/places.ts'
import { Archive } from '../../src/archive/store/archive.ts'
import { chooseArchiveMode } from '../../src/archive/store/mode.ts'
import type { CommandRun } from '../../src/cli/command.ts'
import { run as index } from '../../src/cli/commands/index.ts'
import { samples, TestHome, using } from '../home.ts'
import { type Captured, capture, type Invocation } from './capture.ts'

export class CommandHome extends TestHome {
  /** Claude homes that are read where a test names no others. */
  readonly roots = [this.home]

  /** Runs a command with these homes as roots and what is archived by now. */
  async run(command: CommandRun, invocation: Invocation = {}): Promise<Captured> {
    return capture(command, { root: this.roots, isRootNamed: true, ...(await openPlaces(this.own)), ...invocation })
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

  /** Archives what is there now. */
  archive(exclude: string[] = []): Promise<CaptureReport> {
    return archive(new Archive(archiveFolder(this.own)), { roots: [this.home], exclude })
  }

  /** Deletes a file or folder of the home; without a name the home itself. */
  drop(...path: string[]): void {
    rmSync(join(this.home, ...path), { recursive: true })
  }
}

/** `fill` makes the home. */
export function withCommands(fill: (home: string) => void, work: (home: CommandHome) => Promise<void>): Promise<void> {
  return using(new CommandHome(), home => {
    fill(home.home)
    return work(home)
  })
}

/** Copies of the homes, so that tests can change them. What is indexed is archived, too. */
export function withHomes(homes: readonly string[], work: (home: CommandHome) => Promise<void>): Promise<void> {
  return using(new CommandHome(), home => {
    for (const [n, from] of homes.entries()) {
      const root = n === 0 ? home.home : home.path(`home-${n}`)
      cpSync(from, root, { recursive: true, preserveTimestamps: true })
      if (n > 0) home.roots.push(root)
    }
    chooseArchiveMode(home.own, 'auto')
    return work(home)
  })
}

export function fillWithSamples(home: string): void {
  cpSync(samples, home, { recursive: true, preserveTimestamps: true })
}

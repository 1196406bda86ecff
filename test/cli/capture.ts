// Runs a command inside the test's own process and keeps what it prints: fast, and without a build. How arguments are
// parsed is not tested this way.

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { type Clew, notingOnce, silent } from '../../src/answers/clew.ts'
import { type OpenPlaces, openPlaces } from '../../src/archive/read/places.ts'
import type { CommandRun, GlobalOptions } from '../../src/cli/command.ts'
import { commands } from '../../src/cli/commands.ts'
import { listenerFor } from '../../src/cli/terminal/listener.ts'
import { flush } from '../../src/cli/terminal/output.ts'

export interface Captured {
  stdout: string
  stderr: string
  code: number
}

/** What is asked, of which handle; all but the places may be left out. */
export type Invocation = Partial<Omit<GlobalOptions, 'clew'>> &
  Partial<Clew> & { args?: string[]; options?: Record<string, unknown>; columns?: number }

/** Clew's own folder, which is not there. No other test, and no other run on this machine, can make it. */
export const noHome = join(tmpdir(), `no-clew-home-${process.pid}-${Math.random().toString(36).slice(2)}`)

/** Text without colours; times in UTC, 100 columns unless said otherwise. */
export async function capture(run: CommandRun, invocation: Invocation): Promise<Captured> {
  const { args = [], options = {}, columns = 100, json = false, quiet = false, ...handle } = invocation
  const printed = { stdout: '', stderr: '' }
  const columnsBefore = process.env['COLUMNS']
  process.env['COLUMNS'] = String(columns)
  const spies = (['stdout', 'stderr'] as const).map(name =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk: unknown, ...rest: unknown[]) => {
      printed[name] += String(chunk)
      const done = rest.at(-1)
      if (typeof done === 'function') done()
      return true
    }),
  )
  try {
    const usual = { timezone: 'UTC', listener: notingOnce(listenerFor(quiet)), ...(await openPlaces(noHome)) }
    const globals = { clew: handleOf({ ...usual, ...handle }), json, quiet }
    const code = await run({ args, options, globals, commands })
    await flush()
    return { stdout: withoutColours(printed.stdout), stderr: withoutColours(printed.stderr), code }
  } finally {
    for (const spy of spies) spy.mockRestore()
    if (columnsBefore === undefined) delete process.env['COLUMNS']
    else process.env['COLUMNS'] = columnsBefore
  }
}

/** A handle as `open` makes it, of places that a test has. */
export function handleOf(known: OpenPlaces & Partial<Clew>): Clew {
  return {
    root: [],
    isRootNamed: false,
    usesIndex: true,
    usesSample: true,
    isReadOnly: false,
    listener: silent,
    ...known,
  }
}

function withoutColours(text: string): string {
  return text.replace(new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g'), '')
}

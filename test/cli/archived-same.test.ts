// What commands print of sessions that Claude Code deleted is what they printed before, byte for byte, but for the marks.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CommandRun } from '../../src/cli/command.ts'
import { run as check } from '../../src/cli/commands/check.ts'
import { run as context } from '../../src/cli/commands/context.ts'
import { run as events } from '../../src/cli/commands/events.ts'
import { run as history } from '../../src/cli/commands/history.ts'
import { run as ls } from '../../src/cli/commands/ls.ts'
import { run as records } from '../../src/cli/commands/records.ts'
import { run as show } from '../../src/cli/commands/show.ts'
import { run as stats } from '../../src/cli/commands/stats.ts'
import { run as tree } from '../../src/cli/commands/tree.ts'
import type { Captured } from './capture.ts'
import { type CommandHome, fillWithSamples, withCommands } from './command-home.ts'

interface Case {
  name: string
  command: CommandRun
  invocation: { args?: string[]; json?: boolean; options?: Record<string, unknown> }
}

const bySession: [string, CommandRun, Record<string, unknown>?][] = [
  ['records', records],
  ['events', events],
  ['events --data', events, { data: true }],
  ['context', context],
  ['tree', tree],
  ['stats', stats],
]

async function sessionIds(place: CommandHome): Promise<string[]> {
  const { stdout } = await place.run(ls, { json: true })
  return JSON.parse(stdout).sessions.map((row: { id: string }) => row.id)
}

/** Every log of the home. */
function logPaths(home: string): string[] {
  const paths = readdirSync(home, { recursive: true, encoding: 'utf8' })
  return paths.filter(path => path.endsWith('.jsonl')).map(path => join(home, path))
}

/** Text is made from the same events as JSON: one form of each is enough where that is long. */
function casesFor(ids: readonly string[], home: string): Case[] {
  const cases: Case[] = []
  for (const path of logPaths(home)) {
    cases.push({ name: `check ${path}`, command: check, invocation: { args: [path], json: true } })
    cases.push({ name: `records ${path}`, command: records, invocation: { args: [path] } })
  }
  for (const id of ids) {
    for (const [name, command, options = {}] of bySession) {
      cases.push({ name: `${name} ${id}`, command, invocation: { args: [id], json: true, options } })
    }
    cases.push({ name: `tree ${id}`, command: tree, invocation: { args: [id] } })
  }
  cases.push({ name: 'check', command: check, invocation: { json: true } })
  cases.push({ name: 'stats', command: stats, invocation: { json: true } })
  cases.push({ name: 'history', command: history, invocation: {} })
  cases.push({ name: 'history --pasted', command: history, invocation: { options: { pasted: true } } })
  return cases
}

async function printAll(cases: readonly Case[], place: CommandHome): Promise<Captured[]> {
  const printed: Captured[] = []
  for (const { command, invocation } of cases) printed.push(await place.run(command, { quiet: true, ...invocation }))
  return printed
}

/** JSON without keys that tell where the bytes are. */
function unmarked(text: string): unknown {
  const marks = new Set(['archived', 'onDisk', 'inArchive', 'generations', 'live', 'deletedOn', 'gone'])
  return JSON.parse(text, (key, value) => (marks.has(key) ? undefined : value))
}

const removals: [string, (place: CommandHome) => void][] = [
  ['whose files are gone', place => place.drop('projects')],
  ['whose home is gone altogether', place => place.drop()],
]

describe('sessions that are only in the archive', () => {
  it.each(removals)(
    '%s are printed as they were before',
    async (_, remove) => {
      await withCommands(fillWithSamples, async place => {
        const ids = await sessionIds(place)
        expect(ids.length).toBeGreaterThan(5)
        const cases = casesFor(ids, place.home)
        const before = await printAll(cases, place)
        await place.archive()
        remove(place)
        const after = await printAll(cases, place)
        for (const [at, { name }] of cases.entries()) {
          expect(before[at]?.stdout, name).not.toBe('')
          expect(after[at], name).toEqual(before[at])
        }
      })
    },
    120_000,
  )

  it('are shown and listed as before, but for marks', async () => {
    await withCommands(fillWithSamples, async place => {
      const ids = await sessionIds(place)
      const runs: [CommandRun, string[]][] = [
        [ls, []],
        [ls, ['projects']],
        [history, []],
      ]
      for (const id of ids) runs.push([show, [id]])
      const options = { format: 'json' }
      const print = async ([command, args]: [CommandRun, string[]]) =>
        (await place.run(command, { args, json: true, quiet: true, options: command === show ? options : {} })).stdout
      const before: string[] = []
      for (const run of runs) before.push(await print(run))
      await place.archive()
      place.drop()
      for (const [at, run] of runs.entries()) {
        const after = await print(run)
        expect(unmarked(after), run[1].join(' ')).toEqual(unmarked(before[at] ?? ''))
        expect(after).toMatch(/"onDisk":false|"gone":[1-9]/)
      }
    })
  }, 120_000)
})

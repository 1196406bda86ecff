// What may change without changing a number: the order of files and lines, the clean-up of Claude Code where files were kept,
// and in how many pieces a log arrived.

import { appendFileSync, cpSync, mkdirSync, renameSync, rmSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withFolder } from '../home.ts'
import { archiving, ask, expectForm, expectTotals, forms, type Machine, refresh } from './ask.ts'
import { judge, judgeStatements } from './judge.ts'
import { readHome } from './judge-read.ts'
import { makeHome, writeHome } from './made-home.ts'
import { Chance } from './made-records.ts'

/** Processes are many here, and a busy machine is slow to start them. */
const patience = 240_000

function withHome(seed: number, work: (machine: Machine & { home: string }) => Promise<void>): Promise<void> {
  return withFolder(async folder => {
    const home = join(folder, 'home')
    writeHome(home, makeHome(seed).files)
    await work({ home, roots: [home], own: join(folder, 'own') })
  })
}

describe('no order changes a total', () => {
  it.each([11, 12])('neither of files nor of lines (home %i)', seed =>
    withHome(seed, async machine => {
      const { home } = machine
      const before = judge(home).messages
      const chance = new Chance(seed)
      const { files } = makeHome(seed)
      for (const [name, text] of files) {
        const last = text.lastIndexOf('\n') + 1
        const lines = text.slice(0, last).split('\n').slice(0, -1)
        const mixed = lines.map(line => [chance.next(), line] as const).sort(([one], [other]) => one - other)
        writeHome(home, new Map([[name, `${mixed.map(([, line]) => line).join('\n')}\n${text.slice(last)}`]]))
        utimesSync(join(home, name), 1e9 + chance.below(1e8), 1e9 + chance.below(1e8))
      }
      renameSync(join(home, 'projects/-home-dev-shop'), join(home, 'projects/zz-shop'))
      for (const flags of [['--no-index'], []]) {
        if (flags.length === 0) await refresh(machine)
        for (const form of ['daily', 'model'] as const) {
          const report = await ask(machine, form, ['--timezone', 'Europe/Berlin', ...flags])
          expectTotals(report, before)
        }
      }
    }),
  )
})

describe('what Claude Code deletes', () => {
  it(
    'still counts where it was kept',
    () =>
      withHome(21, async machine => {
        const count = judge(machine.home)
        await archiving(machine)
        await refresh(machine)
        const names = [...makeHome(21).files.keys()]
        for (const [place, name] of names.entries()) if (place % 2 === 0) rmSync(join(machine.home, name))
        expect(judge(machine.home).bounds.messages).toBeLessThan(count.bounds.messages)
        await Promise.all(forms.map(form => expectForm(machine, form, count, 'UTC')))
        await expectForm(machine, 'session', count, 'UTC', ['--no-index'])
      }),
    patience,
  )
})

describe('a home that is there twice', () => {
  it(
    'counts once',
    () =>
      withHome(22, async machine => {
        const copy = join(machine.own, '..', 'copy')
        cpSync(machine.home, copy, { recursive: true })
        const both = { ...machine, roots: [machine.home, copy] }
        const count = judge(machine.home, copy)
        // Records without any id cannot be known again.
        expect(count.bounds.messages - judge(machine.home).bounds.messages).toBeLessThan(9)
        for (const flags of [['--no-index'], []]) {
          if (flags.length === 0) await refresh(both)
          await expectForm(both, 'daily', count, 'UTC', flags)
        }
      }),
    patience,
  )
})

describe('a log that was rewritten', () => {
  it(
    'counts with what it held before, where that was kept',
    () =>
      withHome(23, async machine => {
        const { home } = machine
        await archiving(machine)
        await refresh(machine)
        const before = readHome(home)
        const { files } = makeHome(23)
        const later = new Map([...makeHome(24).files].filter(([name]) => !files.has(name)))
        const texts = [...later.values()]
        const rewritten = [...files].slice(0, 8).map(([name, text], place) => {
          const isCut = place % 2 === 0
          return [
            name,
            isCut ? text.slice(0, text.lastIndexOf('\n', text.length / 2) + 1) : (texts[place] ?? ''),
          ] as const
        })
        writeHome(home, new Map(rewritten))
        const count = judgeStatements([...before, ...readHome(home)])
        expect(judge(home).bounds.messages).toBeLessThan(count.bounds.messages)
        await refresh(machine)
        for (const flags of [[], ['--no-index']]) {
          await expectForm(machine, 'daily', count, 'UTC', flags)
        }
      }),
    patience,
  )
})

describe('logs that grow', () => {
  it.each([31, 32])('give the same when refreshed between any two pieces (home %i)', seed =>
    withFolder(async folder => {
      const home = join(folder, 'home')
      const machine = { roots: [home], own: join(folder, 'own') }
      const chance = new Chance(seed)
      const { files } = makeHome(seed, 6)
      const left = new Map([...files].map(([name, text]) => [name, Buffer.from(text)]))
      for (let round = 0; round < 5; round++) {
        for (const [name, bytes] of left) {
          const size = round === 4 ? bytes.length : chance.below(Math.ceil(bytes.length / 2))
          mkdirSync(dirname(join(home, name)), { recursive: true })
          appendFileSync(join(home, name), bytes.subarray(0, size))
          left.set(name, bytes.subarray(size))
        }
        if (round % 2 === 0) await refresh(machine)
        else await expectForm(machine, 'daily', judge(home), 'UTC')
      }
      const count = judge(home)
      await Promise.all(forms.map(form => expectForm(machine, form, count, 'UTC')))
    }),
  )
})

// `clew usage` against the independent count: every form, from the index and from the files, to the token and to a
// billionth of a dollar; on the sample history, on real logs where they are available, and on made-up homes.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withFolder } from '../home.ts'
import { clientHomes, publicHome } from '../needs.ts'
import { ask, expectForm, forms, type Machine, refresh } from './ask.ts'
import { type Form, judge, limited, type Row, rowsOf, sumOf } from './judge.ts'
import { dayOf } from './judge-time.ts'
import { makeHome, writeHome } from './made-home.ts'

/** Processes are many here, and a busy machine is slow to start them. */
const patience = 240_000

/** One zone for each form in turn, so that all meet all over the homes. */
const zones = ['UTC', 'Europe/Berlin', 'America/Los_Angeles', 'Asia/Kathmandu', 'Australia/Lord_Howe']

/** `asks`: which forms are asked of the files, and which of the index. */
async function expectForms(
  roots: readonly string[],
  own: string,
  turn: number,
  asks: { files: readonly Form[]; index: readonly Form[] },
): Promise<void> {
  const machine: Machine = { roots, own }
  const count = judge(...roots)
  const expectAll = (wanted: readonly Form[], flags: readonly string[]) =>
    Promise.all(
      wanted.map(form => {
        const zone = zones[(forms.indexOf(form) + turn) % zones.length] as string
        return expectForm(machine, form, count, zone, flags)
      }),
    )
  await expectAll(asks.files, ['--no-index'])
  await refresh(machine)
  await expectAll(asks.index, [])
}

/** Half of the forms one way, the rest the other; the next home asks the other way round. */
function halves(turn: number): { files: readonly Form[]; index: readonly Form[] } {
  const isFiles = (form: Form) => forms.indexOf(form) % 2 === turn % 2
  return { files: forms.filter(isFiles), index: forms.filter(form => !isFiles(form)) }
}

describe('usage equals an independent count in every form, with index and without', () => {
  it(
    'on the sample history',
    () => withFolder(own => expectForms([resolve('samples/home')], own, 0, { files: forms, index: forms })),
    patience,
  )

  it('on what nine versions of Claude Code wrote', { tags: ['corpus', 'deep'], timeout: patience }, () => {
    const roots = clientHomes.filter(home => existsSync(join(home, 'projects')))
    return withFolder(own => expectForms(roots, own, 1, { files: ['daily'], index: forms }))
  })

  it('on public sessions', { tags: ['corpus', 'deep'], timeout: patience }, () =>
    withFolder(own => expectForms([publicHome], own, 2, { files: ['session'], index: forms })),
  )

  it.each([1, 2, 3, 4])('on the made-up home %i', seed =>
    withFolder(async folder => {
      const home = join(folder, 'home')
      writeHome(home, makeHome(seed).files)
      await expectForms([home], join(folder, 'own'), seed, halves(seed))
    }),
  )
})

// Answers of one thread, model and quarter of an hour that call the same tools are divided together: there are none here.
describe('tools', () => {
  it(
    'share the answers that call them, to the token',
    () =>
      withFolder(async folder => {
        const home = join(folder, 'home')
        writeHome(home, makeHome(6).files)
        for (const root of [home, resolve('samples/home')]) {
          const machine = { roots: [root], own: join(folder, root === home ? 'own' : 'own-of-samples') }
          await expectForm(machine, 'tool', judge(root), 'UTC', ['--no-index'])
          await refresh(machine)
          await expectForm(machine, 'tool', judge(root), 'UTC')
        }
      }),
    patience,
  )
})

describe('modes, threads and other homes', () => {
  it(
    'of cost are what is stated, what is calculated, or the better of both',
    () =>
      withFolder(async folder => {
        const home = join(folder, 'home')
        writeHome(home, makeHome(8).files)
        const machine = { roots: [home], own: join(folder, 'own') }
        const { messages } = judge(home)
        for (const mode of ['calculate', 'display', 'auto'] as const) {
          const { totals } = await ask(machine, 'model', ['--mode', mode, '--no-index'])
          expect(totals.totalCost).toBeCloseTo(sumOf(messages, mode).totalCost, 9)
        }
        expect(sumOf(messages, 'display').totalCost).not.toBeCloseTo(sumOf(messages, 'calculate').totalCost, 1)
      }),
    patience,
  )

  it(
    'are parted into what subagents did and what they did not',
    () =>
      withFolder(async folder => {
        const home = join(folder, 'home')
        writeHome(home, makeHome(9).files)
        const machine = { roots: [home], own: join(folder, 'own') }
        const { messages } = judge(home)
        const main = sumOf(messages.filter(message => message.isMain))
        await refresh(machine)
        for (const flags of [['--no-index'], []]) {
          const report = await ask(machine, 'subagent', flags)
          const rows = report['subagent'] as (Row & { subagent: string })[]
          expect(rows.find(row => row.subagent === 'main')?.totalTokens).toBe(main.totalTokens)
          expect(rows.reduce((sum, row) => sum + row.totalTokens, 0)).toBe(sumOf(messages).totalTokens)
        }
      }),
    patience,
  )
})

describe('a span of days', () => {
  it.each(['America/Los_Angeles', 'Asia/Kathmandu'])('counts the messages of its days in %s and no others', zone =>
    withFolder(async folder => {
      const home = join(folder, 'home')
      writeHome(home, makeHome(7).files)
      const machine = { roots: [home], own: join(folder, 'own') }
      const all = judge(home)
      const days = [...rowsOf(all.messages, 'daily', zone).keys()].filter(day => day !== 'unknown').sort()
      const since = days[Math.floor(days.length / 4)] as string
      const until = days[Math.floor(days.length / 2)] as string
      const count = limited(all, ({ at }) => at !== null && dayOf(at, zone) >= since && dayOf(at, zone) <= until)
      expect(count.messages.length).toBeGreaterThan(0)
      const flags = ['--since', since, '--until', until]
      await expectForm(machine, 'daily', count, zone, [...flags, '--no-index'])
      await refresh(machine)
      await expectForm(machine, 'model', count, zone, flags)
    }),
  )
})

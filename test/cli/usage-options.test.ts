// What `clew usage` makes of what it is asked: wrong arguments, budgets, prices, running blocks, and names that want to harm.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { usageForms } from '../../src/answers/usage/forms.ts'
import { openPlaces } from '../../src/archive/read/places.ts'
import { run as usage } from '../../src/cli/commands/usage.ts'
import { samples, withFolder } from '../home.ts'
import { type Captured, capture } from './capture.ts'
import { clewHere, shell } from './run.ts'
import { usageSession, writeAnswers } from './usage-home.ts'

type Options = Record<string, unknown>
type Invocation = Parameters<typeof capture>[1]

/** In this process: starting one for each takes long. */
async function inside(
  home: string,
  form: string,
  options: Options = {},
  invocation: Invocation = {},
): Promise<Captured> {
  return capture(usage, { root: [home], isRootNamed: true, args: [form], options, ...invocation })
}

async function asJson(home: string, form: string, options: Options = {}, invocation: Invocation = {}) {
  return JSON.parse((await inside(home, form, options, { json: true, ...invocation })).stdout)
}

const refused: [form: string, options: Options, says: string][] = [
  ['dialy', {}, 'did you mean daily?'],
  ['57ba', {}, 'it is one of daily'],
  ['daily', { last: 'week' }, '24h, 7d, 2w, 3mo, 1y'],
  ['daily', { last: '7d', since: '2026-01-01' }, 'without --since'],
  ['daily', { since: 'soon' }, '2026-02-17'],
  ['daily', { since: '2026-05-05', until: '2026-05-01' }, 'is not before'],
  ['daily', { group: 'day' }, 'project, model, session, subagent'],
  ['project', { group: 'project' }, 'already'],
  ['daily', { group: 'model', breakdown: true }, 'exclude each other'],
  ['daily', { budget: 'much' }, '20/day'],
  ['daily', { weekStart: 'someday' }, 'monday'],
  ['daily', { active: true }, 'clew usage blocks'],
  ['blocks', { tokenLimit: 'few' }, '500k'],
  ['daily', { unknownAs: 'no-such-model' }, 'no price itself'],
  ['daily', { prices: '/no/such/file.json' }, 'cannot read the prices'],
  ['daily', { session: 'nothing-like-it' }, 'no session matches'],
  ['daily', { project: '' }, '--project needs a value'],
]

/** All that moves a terminal, but the end of a line. */
const harmful = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/

describe('clew usage', () => {
  it.each(refused)('refuses %s %j and says what would work', async (form, options, says) => {
    await expect(inside(samples, form, options)).rejects.toThrow(says)
  })

  it.each([
    [['dialy'], 'did you mean daily?'],
    [['--order', 'size'], 'asc, desc, cost'],
    [['--csv', '--json'], 'exclude each other'],
  ])('ends with 2 and one line for %j', async (args, says) => {
    const { stdout, stderr, code } = await clewHere(['usage', ...args, '--root', samples])
    expect([stdout, code]).toEqual(['', 2])
    expect(stderr).toContain(says)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  it('ends with 1 where a budget is exceeded, and says by what', async () => {
    await withFolder(async home => {
      writeAnswers(home, [
        { at: '2026-08-03T10:00:00Z', tokens: [400_000, 0] },
        { at: '2026-08-04T10:00:00Z', tokens: [100_000, 0] },
        { at: '2026-08-11T10:00:00Z', tokens: [200_000, 0] },
      ])
      const { daily } = await asJson(home, 'daily')
      const [first = 0, second = 0, third = 0] = daily.map((row: { totalCost: number }) => row.totalCost)
      expect(first).toBeGreaterThan(third)
      const codeOf = async (budget: string, options: Options = {}) =>
        (await inside(home, 'daily', { budget, ...options })).code
      expect(await codeOf(`${first}/day`)).toBe(0)
      expect(await codeOf(`${first + second}/week`)).toBe(0)
      expect(await codeOf(`${first}/week`)).toBe(1)
      expect(await codeOf(`${first + second}/month`)).toBe(1)
      expect(await codeOf(`${first + second + third}`)).toBe(0)
      expect(await codeOf(`${first}`)).toBe(1)
      expect(await codeOf(`${first}`, { since: '2026-08-04' })).toBe(0)
      const { budget } = await asJson(home, 'daily', { budget: `${first}/week` })
      expect(budget).toMatchObject({ per: 'week', isExceeded: true })
      expect(budget.periods).toMatchObject([{ period: '2026-08-03', isOver: true }, { isOver: false }])
      const over = await clewHere(['usage', '--root', home, '--budget', `${third}/day`, '--timezone', 'UTC'])
      expect(over.code).toBe(1)
      expect(over.stdout).toMatch(/over the budget of \$\S+ a day: 2026-08-03 \$/)
      expect(over.stdout).toMatch(/^2026-08-04 .*\d %/m)
      expect((await clewHere(['usage', '--root', home, '--budget', `${first}`, '-q'])).code).toBe(1)
    })
  })

  it('takes prices from a file, from the config, and for unknown models from a known one', async () => {
    await withFolder(async folder => {
      const [home, own] = [join(folder, 'claude'), join(folder, 'own')]
      mkdirSync(own)
      writeAnswers(home, [{ at: '2026-08-03T10:00:00Z', tokens: [1_000_000, 0], model: 'made-up-model' }])
      const cost = async (options: Options = {}) => {
        const { totals, bounds } = await asJson(home, 'daily', options, await openPlaces(own))
        return [totals.totalCost, bounds.unknownModels]
      }
      const set = (config: Options) => writeFileSync(join(own, 'config.json'), JSON.stringify(config))
      const table = (input: number) => {
        const row = { input, output: 1, cacheWrite5m: 1, cacheWrite1h: 1, cacheRead: 1 }
        return { models: { 'made-up-model': { rows: [row] } } }
      }
      const file = (input: number) => {
        const path = join(folder, `prices-${input}.json`)
        writeFileSync(path, JSON.stringify(table(input)))
        return path
      }
      expect(await cost()).toEqual([0, ['made-up-model']])
      expect((await inside(home, 'daily')).stdout).toMatch(/ \?( |$)/m)
      expect(await cost({ prices: file(3) })).toEqual([3, []])
      set({ prices: file(4) })
      expect(await cost()).toEqual([4, []])
      expect(await cost({ prices: file(3) })).toEqual([3, []])
      expect(await cost({ mode: 'display' })).toEqual([0, []])
      set({ prices: table(6) })
      expect(await cost()).toEqual([6, []])
      set({})
      expect(await cost({ unknownAs: 'claude-opus-5' })).toEqual([expect.any(Number), ['made-up-model']])
      const [known] = await cost({ unknownAs: 'claude-opus-5' })
      expect(known).toBeGreaterThan(0)
      set({ unknownAs: 'claude-opus-5' })
      expect(await cost()).toEqual([known, ['made-up-model']])
      writeFileSync(join(folder, 'bad.json'), '{"models":{"x":{"rows":[{"input":"much"}]}}}')
      const bad = await clewHere(['usage', '--root', home, '--prices', join(folder, 'bad.json')])
      expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('bad.json: models.x.rows[0].')])
    })
  })

  it('begins weeks where people want it, once or always', async () => {
    await withFolder(async folder => {
      const [home, own] = [join(folder, 'claude'), join(folder, 'own')]
      writeAnswers(home, [{ at: '2026-08-09T10:00:00Z' }])
      const week = async (options: Options = {}) =>
        (await asJson(home, 'weekly', options, await openPlaces(own))).weekly[0].period
      expect(await week()).toBe('2026-08-03')
      expect(await week({ weekStart: 'sun' })).toBe('2026-08-09')
      expect((await clewHere(['config', 'set', 'weekStart', 'saturday', '--home', own])).code).toBe(0)
      expect(await week()).toBe('2026-08-08')
      expect((await clewHere(['config', 'set', 'weekStart', 'never', '--home', own])).code).toBe(2)
    })
  })

  it('shows the running block with its rate and what it comes to', async () => {
    await withFolder(async home => {
      const now = Date.now()
      const minute = 60_000
      const old = [0, 10].map(later => ({
        at: now - 30 * 3_600_000 + later * minute,
        tokens: [50_000, 50_000] as const,
      }))
      const fresh = [40, 20, 5].map(ago => ({ at: now - ago * minute, tokens: [50_000, 50_000] as const }))
      writeAnswers(home, [...old, ...fresh])
      const { stdout, code } = await inside(home, 'blocks', { active: true, tokenLimit: 'max' })
      expect(code).toBe(0)
      expect(stdout).toMatch(/^running until \d\d:\d\d, .* left$/m)
      expect(stdout).toMatch(/^used +\S+ tokens +\$\S+ +\d+ % of limit$/m)
      expect(stdout).toMatch(/^rate +\S+ a minute +\$\S+ an hour$/m)
      expect(stdout).toMatch(/^in the end +\S+ tokens +\$\S+ +\d+ % of limit$/m)
      const json = await asJson(home, 'blocks', { active: true, tokenLimit: '1M' })
      expect(json.blocks).toMatchObject([{ isActive: true, limit: { limit: 1_000_000 } }])
      expect(json.tokenLimit).toBe(1_000_000)
      expect((await asJson(home, 'blocks', { recent: true })).blocks.length).toBeGreaterThan(1)
      expect((await inside(home, 'blocks')).stdout).toMatch(/ now .*\$/)
      expect((await inside(home, 'blocks', { active: true, until: '2026-01-01' })).code).toBe(1)
    })
  })

  it('never lets names of a log reach the terminal raw', async () => {
    const evil = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eevil\r\n'
    await withFolder(async home => {
      const more = { gitBranch: evil }
      writeAnswers(home, [
        { at: '2026-08-03T10:00:00Z', model: `claude-${evil}`, tools: [evil], cwd: `/home/${evil}`, more },
      ])
      writeAnswers(home, [{ at: '2026-08-03T11:00:00Z', cwd: evil }], `${usageSession.slice(0, -1)}2`)
      for (const form of usageForms) {
        for (const options of [{}, { csv: true }, { breakdown: true }, { json: true }]) {
          const { stdout, stderr, code } = await inside(home, form, options, { json: 'json' in options })
          expect(code, stderr).toBe(0)
          expect((stdout + stderr).replaceAll('\r\n', '\n')).not.toMatch(harmful)
        }
      }
      expect((await clewHere(['usage', 'tool', '--root', home])).stdout).not.toMatch(harmful)
    })
  })

  it('treats a reader that goes away as success', async () => {
    for (const format of ['--csv', '--json', '--breakdown']) {
      const line = `clew usage session ${format} --root ${samples} | head -n 1 > /dev/null; exit \${PIPESTATUS[0]}`
      const { code, stderr } = await shell(line)
      expect([code, stderr]).toEqual([0, ''])
    }
  })
})

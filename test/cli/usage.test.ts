// `clew usage` as people run it: every report of the sample history as it was reviewed, at every width, in every format.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { usageForms } from '../../src/answers/usage/forms.ts'
import { columnsOf } from '../../src/base/width.ts'
import { run as usage } from '../../src/cli/commands/usage.ts'
import { Sketch } from '../../src/graph/testing.ts'
import type { SessionRow, UsageRow } from '../../src/schema/contract-shapes.ts'
import { lint } from '../../src/schema/schema.ts'
import { samples, withFolder, withHome } from '../home.ts'
import { type Captured, capture } from './capture.ts'
import { withHomes } from './command-home.ts'
import { expectReviewed, steady } from './reviewed.ts'
import { clew, clewHere, type Result } from './run.ts'

function onSamples(args: readonly string[], env: Record<string, string> = {}): Promise<Result> {
  return clewHere(['usage', ...args, '--root', samples, '--timezone', 'UTC'], { env: { ...steady, ...env } })
}

/** In this process: forms are many, and starting a process for each takes long. */
async function inside(
  form: string,
  options: Record<string, unknown> = {},
  invocation: Invocation = {},
): Promise<Captured> {
  return capture(usage, { root: [samples], isRootNamed: true, args: [form], options, ...invocation })
}

async function asJson(form: string, options: Record<string, unknown> = {}) {
  return JSON.parse((await inside(form, options, { json: true })).stdout)
}

type Invocation = Parameters<typeof capture>[1]

const sums = ['inputTokens', 'outputTokens', 'cacheCreationTokens', 'cacheReadTokens', 'totalTokens'] as const

describe('clew usage', () => {
  it.each(usageForms)('prints the report by %s as reviewed', async form => {
    await expectReviewed(`usage-${form}`, ['usage', form])
  })

  it('prints parts of rows, estimates and comparisons as reviewed', async () => {
    await expectReviewed('usage-breakdown-estimate', ['usage', 'weekly', '--breakdown', '--estimate'])
    await expectReviewed('usage-group', ['usage', 'project', '--group', 'session', '--order', 'asc'])
    await expectReviewed('usage-reconcile', ['usage', '--reconcile'])
  })

  it.each([40, 60, 80, 200])('fits into %i columns in every report', async columns => {
    const forms: [form: string, options: Record<string, unknown>][] = [
      ...usageForms.map((form): [string, Record<string, unknown>] => [form, {}]),
      ['daily', { breakdown: true, budget: '0.1/day' }],
      ['weekly', { group: 'session', estimate: true }],
      ['daily', { reconcile: true }],
    ]
    for (const [form, options] of forms) {
      const lines = (await inside(form, options, { columns })).stdout.split('\n')
      expect(lines.length).toBeGreaterThan(4)
      expect(lines.filter(line => columnsOf(line) > columns)).toEqual([])
      // The cost is what people came for: it is there at every width.
      expect(lines[0]).toMatch(options['reconcile'] ? /difference/ : /cost/)
    }
  })

  it('adds up to the same totals in every report', async () => {
    const { totals } = await asJson('daily')
    expect(totals.totalCost).toBeGreaterThan(2)
    for (const form of usageForms) {
      const report = await asJson(form)
      expect(report.totals, form).toEqual(totals)
      for (const key of sums) {
        const sum = report[form].reduce((all: number, row: Record<string, number>) => all + (row[key] ?? 0), 0)
        expect(sum, `${form} ${key}`).toBe(totals[key])
      }
      const cost = report[form].reduce((all: number, row: { totalCost: number }) => all + row.totalCost, 0)
      expect(cost).toBeCloseTo(totals.totalCost, 9)
    }
  })

  it('prints groups within rows that add up to them', async () => {
    const { monthly } = await asJson('monthly', { group: 'subagent' })
    for (const row of monthly) {
      expect(row.groups.length).toBeGreaterThan(0)
      for (const key of sums) {
        const sum = row.groups.reduce((all: number, part: Record<string, number>) => all + (part[key] ?? 0), 0)
        expect(sum).toBe(row[key])
      }
    }
    expect(monthly[0].groups[0]).toMatchObject({ period: '2026-04', subagent: 'main' })
  })

  it('marks estimates everywhere', async () => {
    const { totals, bounds, model } = await asJson('model', { estimate: true })
    const logged = await asJson('model')
    expect(bounds.estimatedOutputTokens).toBeGreaterThan(100)
    expect(totals.outputTokens).toBe(logged.totals.outputTokens + bounds.estimatedOutputTokens)
    expect(logged.bounds).not.toHaveProperty('estimatedOutputTokens')
    const some = model.filter((row: object) => 'estimatedOutputTokens' in row)
    expect(some.map((row: { model: string }) => row.model)).toEqual(['claude-sonnet-4-6', 'claude-opus-4-5'])
    const { stdout } = await inside('model', { estimate: true })
    expect(stdout).toMatch(/^sonnet-4-6 .*~\S+ .*~\$/m)
    // A model in it has no price.
    expect(stdout).toMatch(/^total.*~\S+ .*≥\$/m)
    expect(stdout.match(/≥/g)).toHaveLength(1)
  })

  it('prints comma-separated values that can be added up', async () => {
    const read = async (form: string, options: Record<string, unknown> = {}) => {
      const { stdout } = await inside(form, { csv: true, ...options })
      const [heads = '', ...lines] = stdout.trimEnd().split('\r\n')
      const at = heads.split(',').indexOf('input_tokens')
      return { heads, lines, input: lines.reduce((sum, line) => sum + Number(line.split(',')[at]), 0) }
    }
    const { totals } = await asJson('daily')
    const daily = await read('daily')
    expect(daily.heads).toMatch(/^date,messages,/)
    expect(daily.input).toBe(totals.inputTokens)
    const parted = await read('daily', { breakdown: true })
    expect(parted.heads).toMatch(/^date,by_model,/)
    expect(parted.input).toBe(totals.inputTokens)
    expect((await read('model', { group: 'project' })).heads).toMatch(/^model,by_project,/)
    for (const form of usageForms) expect((await read(form)).lines.length, form).toBeGreaterThan(2)
  })

  it('narrows by time, project, model and session', async () => {
    const may = await asJson('monthly', { since: '2026-05-01', until: '2026-05-31' })
    expect(may.monthly.map((row: { period: string }) => row.period)).toEqual(['2026-05'])
    expect((await asJson('monthly')).monthly[1]).toEqual(may.monthly[0])
    const bakery = await asJson('project', { project: 'BAKERY' })
    expect(bakery.project.map((row: { project: string }) => row.project)).toEqual(['/home/mira/bakery'])
    expect((await asJson('model', { model: 'opus-4' })).model).toHaveLength(3)
    const one = await asJson('session', { session: 'fog of war' })
    expect(one.session).toEqual([expect.objectContaining({ title: 'Fog of war', project: '/home/mira/hexwind' })])
    const days = await asJson('daily', { session: '704f' })
    expect(days.totals.totalTokens).toBe(one.totals.totalTokens)
  })

  it('orders rows as requested', async () => {
    const dates = async (order: string) =>
      (await asJson('daily', { order })).daily.map((row: { date: string }) => row.date)
    const asc = await dates('asc')
    expect(asc).toEqual([...asc].sort())
    expect(await dates('desc')).toEqual([...asc].reverse())
    const costs = (await asJson('daily', { order: 'cost' })).daily.map((row: { totalCost: number }) => row.totalCost)
    expect(costs).toEqual([...costs].sort((one, other) => other - one))
  })

  it('says that nothing fits, and that there is nothing', async () => {
    const none = await onSamples(['--since', '2030-01-01'])
    expect([none.stdout, none.code]).toEqual(['', 1])
    expect(none.stderr).toContain('fewer filters')
    const empty = await asJson('daily', { since: '2030-01-01' })
    expect(empty).toMatchObject({ daily: [], totals: { totalTokens: 0, totalCost: 0 } })
    expect(lint('usage-bounds', empty.bounds)).toEqual([])
    await withFolder(async folder => {
      const { stdout, stderr, code } = await clewHere(['usage', '--root', folder])
      expect([stdout, code]).toEqual(['', 2])
      expect(stderr).toContain(folder)
      expect(stderr).toContain('no usage found')
    })
  })

  it('draws in ASCII on a dumb terminal, and in no colour where none is wanted', async () => {
    const { stdout } = await onSamples(['daily'], { TERM: 'dumb' })
    expect(stdout).toContain('####')
    expect(stdout).not.toMatch(/[^ -~\n]/)
    const args = ['usage', 'daily', '--root', samples]
    expect(clew(args, { env: { ...steady, FORCE_COLOR: '1', NO_COLOR: '' } }).stdout).toContain('\u001b[36m')
    expect((await onSamples(['daily'])).stdout).not.toContain('\u001b')
  })

  it('names what explains a difference to the total of Claude Code, also from the history of prompts', async () => {
    const session = '0d0e51de-0000-4000-8000-000000000001'
    const used = { input_tokens: 1000, output_tokens: 1000 }
    const log = [
      {
        ...{ type: 'assistant', uuid: 'a', sessionId: session, timestamp: '2026-05-04T09:00:01Z', version: '2.1.325' },
        message: {
          id: 'msg_a',
          role: 'assistant',
          model: 'claude-opus-4-5',
          content: [],
          stop_reason: 'x',
          usage: used,
        },
      },
      {
        ...{ type: 'cost-state', sessionId: session, totalCostUSD: 0.06, startTime: Date.UTC(2026, 4, 4, 9) },
        modelUsage: { 'claude-opus-4-5': { inputTokens: 2000, outputTokens: 2000, costUSD: 0.06 } },
      },
    ]
    const history = [
      { display: '/btw what is it', pastedContents: {}, timestamp: 1, project: '/p', sessionId: session },
    ]
    const text = (lines: readonly object[]) => lines.map(line => `${JSON.stringify(line)}\n`).join('')
    await withFolder(async folder => {
      mkdirSync(join(folder, 'projects', '-p'), { recursive: true })
      writeFileSync(join(folder, 'projects', '-p', `${session}.jsonl`), text(log))
      writeFileSync(join(folder, 'history.jsonl'), text(history))
      const { stdout } = await inside('daily', { reconcile: true }, { root: [folder] })
      expect(stdout).toMatch(/^0d0e51de +-\$0\.0300 +1 side question by claude-opus-4-5, not in the log$/m)
      expect(stdout).toContain('sessions with a total: 0 equal, 1 explained, 0 explained in part, 0 unexplained')
      const csv = (await inside('daily', { reconcile: true, csv: true }, { root: [folder] })).stdout
      expect(csv).toMatch(/difference_usd,causes,unexplained_usd\r\n.*1 side question by [^"]*",0\r\n$/)
    })
  })

  it('prints nothing but the table with --quiet', async () => {
    expect((await onSamples(['daily', '-q'])).stdout.trimEnd().split('\n').at(-1)).toMatch(/^total/)
  })
})

describe('clew usage from the index', () => {
  it('prints what it prints from the files', { timeout: 120_000 }, async () => {
    await withHomes([samples], async home => {
      await home.refresh()
      for (const form of usageForms) {
        await home.expectSame(usage, { args: [form], json: true })
        await home.expectSame(usage, { args: [form], options: { estimate: true }, columns: 140 })
      }
      for (const group of ['project', 'session', 'subagent'])
        await home.expectSame(usage, { args: ['weekly'], json: true, options: { group } })
      await home.expectSame(usage, { args: ['branch'], json: true, options: { group: 'subagent' } })
      await home.expectSame(usage, { json: true, options: { reconcile: true } })
      await home.expectSame(usage, { options: { csv: true, project: 'hexwind' } })
    })
  })
})

describe('a row of a session', () => {
  it.each([[[]], [['--no-index']]])('has the title and the directory that lists print %j', flags =>
    withHome(async home => {
      for (const [session, cwd, prompt] of [
        ['one', '/home/dev/shop', 'Bake'],
        ['two', '/home/other/shop', 'very '.repeat(40_000)],
      ] as const) {
        const { records } = new Sketch(session).user('u', null, prompt, { cwd }).answer('a', 'u', 'Done.', { cwd })
        home.write(`projects/-home-dev-shop/${session}.jsonl`, records)
      }
      const places = ['--json', '--root', home.home, '--home', home.own, ...flags]
      const { session } = JSON.parse((await clewHere(['usage', 'session', ...places])).stdout)
      const { sessions } = JSON.parse((await clewHere(['ls', ...places])).stdout)
      const listed = sessions.map((row: SessionRow) => [row.id, row.title, row.project.cwd])
      expect(session.map((row: UsageRow) => [row.session, row.title, row.project]).sort()).toEqual(listed.sort())
    }),
  )
})

// Asks the built tool for usage, as people do, and compares what it prints with the judge's numbers to the token.

import { expect } from 'vitest'
import { clewHere } from '../cli/run.ts'
import { type Count, type Form, type Message, type Row, rowsOf, sumOf } from './judge.ts'

export const forms: readonly Form[] = ['daily', 'weekly', 'monthly', 'session', 'project', 'model', 'blocks']

/** What `clew usage FORM --json` prints. */
export type Report = Record<string, unknown> & {
  totals: Row
  bounds: {
    messages: number
    messagesWithPartialOutput: number
    syntheticMessages: number
    apiErrors: number
    unknownModels: string[]
  }
}

/** Homes to read, and Clew's own folder. */
export interface Machine {
  roots: readonly string[]
  own: string
}

/** Runs `clew` and gives what it prints; it must succeed. */
async function run(machine: Machine, args: readonly string[]): Promise<string> {
  const roots = machine.roots.flatMap(root => ['--root', root])
  const { code, stdout, stderr } = await clewHere([...roots, '--home', machine.own, ...args])
  if (code !== 0) throw new Error(`clew ${args.join(' ')}: ${code} ${stderr}`)
  return stdout
}

/** From now on a refresh archives what is new. */
export async function archiving(machine: Machine): Promise<void> {
  await run(machine, ['config', 'set', 'archive', 'auto', '--quiet'])
}

export async function refresh(machine: Machine): Promise<void> {
  await run(machine, ['index', 'refresh', '--quiet'])
}

/** One form of the report; `rest`: further flags. */
export async function ask(machine: Machine, form: string, rest: readonly string[]): Promise<Report> {
  return JSON.parse(await run(machine, ['usage', form, '--json', '--quiet', ...rest])) as Report
}

interface ProjectUsage {
  project: string
  groups: { session: string }[]
}

/** What the tool answers is what the judge says, in rows, totals and bounds. */
export async function expectForm(
  machine: Machine,
  form: Form,
  count: Count,
  zone: string,
  rest: readonly string[] = [],
): Promise<void> {
  const flags = ['--timezone', zone, ...rest]
  const report = await ask(machine, form, flags)
  if (form === 'project') {
    // Which folder a session worked in is not the judge's question: the tool says it with each session.
    const rows = (await ask(machine, 'project', [...flags, '--group', 'session']))['project'] as ProjectUsage[]
    const projects = new Map(rows.flatMap(({ project, groups }) => groups.map(({ session }) => [session, project])))
    const placed = count.messages.map(message => ({ ...message, slug: projects.get(message.session) ?? '' }))
    expectReport(report, form, { ...count, messages: placed }, zone)
  } else {
    expectReport(report, form, count, zone)
  }
}

export function expectReport(report: Report, form: Form, count: Count, zone: string): void {
  const rows = rowsOf(count.messages, form, zone)
  expect(tokensOf(rowsByKey(report, form)), form).toEqual(tokensOf(rows))
  for (const [key, row] of rowsByKey(report, form)) {
    const cost = rows.get(key)?.totalCost ?? Number.NaN
    // The judge parts the cost of an answer by calls, the tool by the whole tokens of each: a token more or less.
    if (form === 'tool') expect(Math.abs(row.totalCost - cost), `cost of ${key}`).toBeLessThan(0.001 + cost / 1000)
    else expect(row.totalCost, `cost of ${form} ${key}`).toBeCloseTo(cost, 9)
  }
  expectTotals(report, count.messages)
  const { messages, messagesWithPartialOutput, syntheticMessages, apiErrors, unknownModels } = report.bounds
  const partial = messagesWithPartialOutput
  const bounds = { messages, partial, synthetic: syntheticMessages, errors: apiErrors, unknownModels }
  expect({ ...bounds, unknownModels: [...unknownModels].sort() }).toEqual(count.bounds)
}

export function expectTotals(report: Report, messages: readonly Message[]): void {
  const sum = sumOf(messages)
  expect(report.totals).toMatchObject({ ...sum, totalCost: expect.closeTo(sum.totalCost, 9) })
}

/** Rows as they are, by what they are rows of. */
export function rowsByKey(report: Report, form: Form): Map<string, Row> {
  const rows = report[form] as (Row & Record<string, unknown>)[]
  const field = { daily: 'date', weekly: 'period', monthly: 'period', blocks: 'start' }[form as string] ?? form
  return new Map(rows.filter(row => row['kind'] !== 'gap').map(row => [String(row[field] ?? 'unknown'), row]))
}

type Tokens = Omit<Row, 'totalCost'>

function tokensOf(rows: ReadonlyMap<string, Row>): Record<string, Tokens> {
  return Object.fromEntries(
    [...rows].map(([key, { inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens, totalTokens }]) => [
      key,
      { inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens, totalTokens },
    ]),
  )
}

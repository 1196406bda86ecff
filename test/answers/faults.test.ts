// A config or prices that cannot be read: everything else works, no cost is made up, and every asker says the same of it.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listSessions, usage } from '../../src/library/library.ts'
import type { DoctorReport, SessionRow, UsageBounds, UsageRow } from '../../src/schema/contract-shapes.ts'
import { openData } from '../../src/server/api/open-data.ts'
import { clewHere } from '../cli/run.ts'

const samples = resolve('samples/home')
let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'clew-faults-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const run = (...args: string[]) => clewHere([...args, '--root', samples, '--home', home])
const jsonOf = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout)
const config = (content: unknown) => {
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'config.json'), typeof content === 'string' ? content : JSON.stringify(content))
}

async function doctorMessages(): Promise<string[]> {
  const { problems } = (await jsonOf('doctor')) as DoctorReport
  return problems.map(({ message }) => message)
}

describe.each([
  ['that is not there', 'none.json', undefined, /^cannot read the prices in .*none\.json \(ENOENT\)/],
  ['that is damaged', 'bad.json', '{"models": ', /bad\.json/],
])('a file of prices %s', (_name, file, content, message) => {
  beforeEach(() => {
    config({ prices: join(home, file) })
    if (content !== undefined) writeFileSync(join(home, file), content)
  })

  it('leaves everything but prices, and is said in the same words by whoever is asked', async () => {
    const whole = mkdtempSync(join(tmpdir(), 'clew-whole-'))
    const expected = JSON.parse((await clewHere(['ls', '--json', '--root', samples, '--home', whole])).stdout)
    rmSync(whole, { recursive: true })
    const faults = new Set<string>()
    let statedCost = 0
    for (const flags of [['--no-index'], []]) {
      const { sessions } = (await jsonOf('ls', ...flags)) as { sessions: SessionRow[] }
      const unpriced = ({ costUSD: _, ...row }: SessionRow) => row
      expect(sessions.map(unpriced)).toEqual(expected.sessions.map(unpriced))
      const { bounds, totals } = (await jsonOf('usage', 'daily', ...flags)) as { bounds: UsageBounds; totals: UsageRow }
      // Old records state what they cost.
      const { totals: stated } = (await jsonOf('usage', 'daily', '--mode', 'display', ...flags)) as { totals: UsageRow }
      expect([totals.totalTokens > 0, totals.totalCost]).toEqual([true, stated.totalCost])
      expect(sessions.reduce((sum, row) => sum + (row.costUSD ?? 0), 0)).toBeCloseTo(stated.totalCost, 6)
      statedCost = stated.totalCost
      faults.add(bounds.pricesFault ?? 'nothing')
      for (const args of [['ls'], ['usage'], ['show', 'last', '--json']]) {
        const { code, stderr } = await run(...args, ...flags)
        expect(code).toBe(0)
        if (args[0] !== 'ls') faults.add(stderr.trim().replace(/^clew: /, ''))
      }
      await run('index', 'refresh')
    }
    for (const fault of await doctorMessages()) if (message.test(fault)) faults.add(fault)
    const { bounds } = await usage({ roots: [samples], home })
    faults.add(bounds?.pricesFault ?? 'nothing')
    expect((await listSessions({ roots: [samples], home })).length).toBe(expected.sessions.length)
    const said: string[] = []
    const data = await openData({ home, roots: [samples], onProblem: text => said.push(text) })
    try {
      await data.answer('GET /api/search', { q: 'anything' })
      const answer = await data.answer('GET /api/usage', { by: 'daily' })
      expect(answer.totals.totalCost).toBe(statedCost)
      faults.add(answer.bounds.pricesFault ?? 'nothing')
      for (const problem of (await data.answer('GET /api/about', {})).problems) faults.add(problem)
      expect(said).toHaveLength(1)
    } finally {
      await data.close()
    }
    expect([...said, ...faults]).toEqual([said[0], said[0]])
    expect([...faults][0]).toMatch(message)
  }, 60_000)

  it('is an error where a budget is to be kept, and where it was named for this once', async () => {
    expect((await run('usage', '--budget', '1', '-q')).code).toBe(2)
    const named = await run('usage', '--prices', join(home, file))
    expect([named.code, named.stderr.includes(file)]).toEqual([2, true])
  })
})

it('a config that is no JSON stops nothing, and is said in the same words by whoever is asked', async () => {
  config('{"timezone": ')
  const fault = `${join(home, 'config.json')} is not a JSON object; fix or remove it`
  for (const args of [['ls'], ['usage'], ['show', 'last'], ['stats'], ['search', 'the'], []]) {
    const { code, stderr } = await run(...args)
    expect([args, code, stderr.split('\n')[0]]).toEqual([args, 0, `clew: ${fault}`])
  }
  expect(await doctorMessages()).toContain(fault)
  const said: string[] = []
  const data = await openData({ home, roots: [samples], onProblem: text => said.push(text) })
  try {
    expect((await data.answer('GET /api/about', {})).problems).toEqual([fault])
    expect((await data.answer('GET /api/sessions', {})).total).toBeGreaterThan(0)
  } finally {
    await data.close()
  }
  expect(said).toEqual([fault])
})

it('values that cannot be used count as not set, and are named', async () => {
  config({ weekStart: 'someday', timezone: 'Mars', unknownAs: 'nobody' })
  const { code, stderr } = await run('usage')
  expect(code).toBe(0)
  expect(stderr).toContain('weekStart in the config: Invalid weekday "someday"')
  expect(stderr).toContain('timezone in the config: Invalid time zone "Mars"')
  expect(stderr).toContain('unknownAs in the config: nobody: it has no price itself')
})

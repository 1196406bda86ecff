// Where there are no sessions: programs get nothing found, and people on a terminal the sample history, by that name.

import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { clewHere } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'clew-nothing-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let homes = 0

function here(line: string, isTerminal = false, home = join(folder, `own-${homes++}`)) {
  const env = { HOME: folder, CLAUDE_CONFIG_DIR: '', CLEW_HOME: home }
  return clewHere(line.split(' ').filter(Boolean), { env, isTerminal })
}

describe('without any sessions', () => {
  it.each([
    '',
    'ls',
    'ls --csv',
    'stats',
    'usage',
    'usage --csv',
    'history',
    'search the',
    'grep the',
    'export --all --out nowhere',
  ])('a program that reads `clew %s` gets nothing and exit code 1', async line => {
    const { stdout, stderr, code } = await here(line)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^clew: .*(no|nothing|neither)/m)])
    expect(stderr).not.toContain('sample')
    expect(stdout.split('\n').length, stdout).toBeLessThan(3)
  })

  it.each(['usage --budget 1', 'usage --budget 1 -q', 'usage --budget 1/day --json'])(
    '`clew %s` ends with 0: where nothing was used, the budget is kept',
    async line => expect((await here(line)).code).toBe(0),
  )

  it.each([
    ['', { isSample: false, sessions: [], roots: [] }],
    ['ls', { sessions: [] }],
    ['ls projects', { projects: [] }],
    ['stats', { sessions: 0, events: 0 }],
    ['usage', { daily: [], totals: { totalCost: 0 } }],
    ['usage subagent', { subagent: [] }],
    ['usage --reconcile', { reconcile: { rows: [] } }],
    ['history', { prompts: [] }],
    ['search the', { total: 0, hits: [] }],
    ['grep the', { total: 0, hits: [] }],
    ['export --all --out nowhere', { sessions: 0, written: 0 }],
  ])('`clew %s --json` prints what is valid and empty, on a terminal too', async (line, empty) => {
    for (const isTerminal of [false, true]) {
      const { stdout, code } = await here(`${line} --json --no-pager`, isTerminal)
      expect(code).toBe(1)
      const expected = 'roots' in empty ? { ...empty, roots: expect.any(Array) } : empty
      expect(JSON.parse(stdout)).toMatchObject(expected)
    }
  })

  it.each(['usage --budget 1 -q', 'usage --csv', 'ls -q', 'check --sarif'])(
    '`clew %s` has no sample history on a terminal either',
    async line => {
      const { stdout, code } = await here(`${line} --no-pager`, true)
      expect(stdout).not.toMatch(/33c79d8c|claude-|2026-0[1-9]-\d\d\s|\.jsonl/)
      expect(code).toBe(/^check|--budget/.test(line) ? 0 : 1)
    },
  )

  it.each(['ls', 'stats', 'usage', 'history', 'search the', 'grep -l the', 'tree', 'show last', 'check', 'events', ''])(
    'people on a terminal see the sample history with `clew %s`, and are told once',
    async line => {
      const { stdout, stderr } = await here(`${line} --no-pager`, true)
      expect(stdout.length).toBeGreaterThan(100)
      expect(stderr.split('bundled sample history')).toHaveLength(2)
    },
  )

  it('a program gets nothing of the samples that somebody looked at before', async () => {
    const own = join(folder, 'looked')
    expect((await here('search the --no-pager', true, own)).code).toBe(0)
    expect(readdirSync(join(own, 'index')).length).toBeGreaterThan(0)
    for (const line of ['ls --json', 'search the --json', 'usage --json'])
      expect((await here(line, false, own)).code, line).toBe(1)
  })

  it('nothing is exported on a terminal either', async () => {
    const out = join(folder, 'exported')
    expect((await here(`export --all --out ${out}`, true)).code).toBe(1)
    expect(existsSync(out)).toBe(false)
  })
})

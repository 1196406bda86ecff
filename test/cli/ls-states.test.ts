// Tags, sessions that are archived in Claude Code, sessions that programs ran, and forks: in lists, from files and the index.

import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { run as ls } from '../../src/cli/commands/ls.ts'
import { run as show } from '../../src/cli/commands/show.ts'
import { run as stats } from '../../src/cli/commands/stats.ts'
import { run as tree } from '../../src/cli/commands/tree.ts'
import { schema } from '../../src/schema/schema.ts'
import { fillFolder } from '../home.ts'
import { type CommandHome, withHomes } from './command-home.ts'

const typed = 'aaaaaaaa-0000-4000-8000-000000000001'
const program = 'bbbbbbbb-0000-4000-8000-000000000002'
const fork = 'cccccccc-0000-4000-8000-000000000003'
const forkedAt = '2026-01-01T00:26:00.000Z'

type Line = Record<string, unknown>

function exchange(session: string, entrypoint: string): Line[] {
  const common = { sessionId: session, isSidechain: false, cwd: '/home/mira/shop', entrypoint }
  const usage = { input_tokens: 1, output_tokens: 2 }
  const content = [{ type: 'text', text: 'Done' }]
  const message = { id: 'msg-1', role: 'assistant', model: 'claude-test-1', content, usage }
  const [first, second] = [`${session}-u`, `${session}-a`]
  return [
    {
      ...common,
      type: 'user',
      uuid: first,
      parentUuid: null,
      timestamp: '2026-01-01T00:00:00.000Z',
      message: { role: 'user', content: 'Bake' },
    },
    {
      ...common,
      type: 'assistant',
      uuid: second,
      parentUuid: first,
      timestamp: '2026-01-01T00:00:00.203Z',
      message,
    },
  ]
}

/** As `forkSession` of the agent SDK writes it: the last message has the time of the fork. */
function forkLines(): Line[] {
  const copies = exchange(fork, 'cli').map((line, n) => ({
    ...line,
    forkedFrom: { sessionId: typed, messageUuid: `${typed}-${n === 0 ? 'u' : 'a'}` },
    ...(n === 1 && { timestamp: forkedAt }),
  }))
  const title = { type: 'custom-title', sessionId: fork, customTitle: 'Bake (fork)', uuid: 't', timestamp: forkedAt }
  return [...copies, title]
}

const text = (lines: readonly Line[]) => lines.map(line => `${JSON.stringify(line)}\n`).join('')
const tag = (session: string, name: string) => ({ type: 'tag', tag: name, sessionId: session })

const project = 'projects/-home-mira-shop'

const inHome = (work: (home: CommandHome, project: string) => Promise<void>) => () =>
  withHomes([], home => {
    const state = { archived: true, at: '2026-01-02T00:00:00.000Z', by: 'sdk' }
    fillFolder(home.at(project), {
      [`${typed}.jsonl`]: [...exchange(typed, 'cli'), tag(typed, 'later'), tag(typed, 'cakes')],
      [`${program}.jsonl`]: [...exchange(program, 'sdk-ts'), tag(program, '')],
      [`${program}/archived.json`]: JSON.stringify(state),
      [`${fork}.jsonl`]: forkLines(),
    })
    return work(home, home.at(project))
  })

async function listed(home: CommandHome, options: Record<string, unknown> = {}): Promise<Record<string, unknown>[]> {
  const { stdout } = await home.expectSame(ls, { json: true, options })
  return JSON.parse(stdout).sessions.sort((one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1))
}
const idsOf = (rows: readonly Record<string, unknown>[]) => rows.map(row => row['id'])

describe('clew ls', () => {
  it(
    'shows how far a session in the background is, whatever its state says',
    inHome(async home => {
      const folder = join(home.home, 'jobs', typed.slice(0, 8))
      mkdirSync(folder, { recursive: true })
      const state = {
        state: 'working',
        detail: 'Reading pear.txt',
        updatedAt: '2026-01-03T00:00:00.000Z',
        sessionId: typed,
      }
      const listedState = async (content: unknown) => {
        writeFileSync(join(folder, 'state.json'), JSON.stringify(content))
        return (await listed(home))[0]?.['background']
      }
      await home.refresh()
      expect(await listedState(state)).toEqual({
        state: 'working',
        detail: 'Reading pear.txt',
        at: '2026-01-03T00:00:00.000Z',
      })
      const { stdout } = await home.run(ls, { usesIndex: false })
      expect(stdout.split('\n').find(line => line.startsWith(typed.slice(0, 8)))).toContain('bg: working')
      for (const odd of [[], { state: 5 }, { state: 'working' }, { ...state, updatedAt: 'soon' }])
        expect(await listedState(odd)).toBeUndefined()
      writeFileSync(join(folder, 'state.json'), JSON.stringify({ ...state, state: '\u001b[2Jgone' }))
      expect((await home.run(ls, { usesIndex: false })).stdout).not.toContain('\u001b[2J')
    }),
  )

  it(
    'shows the tag and that a session is set aside, from the ends of files too',
    inHome(async home => {
      const { stdout } = await home.run(ls, { usesIndex: false })
      const lineOf = (id: string) => stdout.split('\n').find(line => line.startsWith(id.slice(0, 8)))
      expect(lineOf(typed)).toContain('#cakes')
      expect(lineOf(program)).toContain('set aside')
      expect(lineOf(program)).not.toContain('#')
      expect(lineOf(fork)).not.toMatch(/set aside|#/)
    }),
  )

  it(
    'prints both, who sent the prompts and the start of a fork, from files and from the index',
    inHome(async home => {
      await home.refresh()
      const rows = await listed(home)
      for (const row of rows) expect(schema('session-row')?.safeParse(row).success).toBe(true)
      expect(rows).toMatchObject([
        { id: typed, tag: 'cakes', programmatic: false, startedAt: '2026-01-01T00:00:00.000Z', durationMs: 203 },
        { id: program, programmatic: true, setAside: { at: '2026-01-02T00:00:00.000Z', by: 'sdk' } },
        { id: fork, programmatic: false, startedAt: forkedAt, endedAt: forkedAt, durationMs: 0, copiedEvents: 2 },
      ])
      expect(rows[1]).not.toHaveProperty('tag')
      expect(rows[0]).not.toHaveProperty('setAside')
    }),
  )

  it(
    'filters by both',
    inHome(async home => {
      await home.refresh()
      expect(idsOf(await listed(home, { setAside: true }))).toEqual([program])
      expect(idsOf(await listed(home, { setAside: false }))).toEqual([typed, fork])
      expect(idsOf(await listed(home, { programmatic: true }))).toEqual([program])
      expect(idsOf(await listed(home, { typed: true }))).toEqual([typed, fork])
      const both = await home.run(ls, { options: { typed: true, programmatic: true } }).catch(error => error)
      expect(String(both instanceof Error ? both.message : both.stderr)).toContain('exclude each other')
    }),
  )

  it(
    'shows what changed after the index was built',
    inHome(async (home, project) => {
      await home.refresh()
      const prompt = { ...exchange(program, 'sdk-ts')[0], uuid: 'later', timestamp: '2026-01-03T00:00:00.000Z' }
      appendFileSync(join(project, `${program}.jsonl`), text([prompt]))
      mkdirSync(join(project, typed))
      const state = { archived: true, at: '2026-01-04T00:00:00.000Z', by: 'sdk' }
      writeFileSync(join(project, typed, 'archived.json'), JSON.stringify(state))
      await home.refresh()
      expect(idsOf(await listed(home, { setAside: true }))).toEqual([typed])
    }),
  )

  it(
    'takes the start of a fork for --until, from the ends of files too',
    inHome(async home => {
      const { stdout } = await home.run(ls, {
        usesIndex: false,
        options: { until: '2026-01-01 00:10' },
        timezone: 'UTC',
      })
      expect(stdout).toContain(typed.slice(0, 8))
      expect(stdout).not.toContain(fork.slice(0, 8))
    }),
  )
})

describe('a fork by the agent SDK', () => {
  it(
    'has the durations of its origin',
    inHome(async home => {
      await home.refresh()
      const { stdout } = await home.run(show, { args: [fork], json: true, options: {} })
      expect(JSON.parse(stdout)).toMatchObject({ startedAt: forkedAt, turns: [{ durationMs: 203, inherited: true }] })
      const numbers = JSON.parse((await home.expectSame(stats, { args: [fork], json: true })).stdout)
      // The turn counts for its origin.
      expect(numbers.turns.count).toBe(0)
      expect((await home.expectSame(tree, { args: [fork] })).stdout).toContain('203 ms')
    }),
  )

  it(
    'has no duration where the origin is not known',
    inHome(async (home, project) => {
      rmSync(join(project, `${typed}.jsonl`))
      const { stdout } = await home.run(show, { args: [fork], json: true, options: {} })
      const [turn] = JSON.parse(stdout).turns
      expect(turn).toMatchObject({ endedAt: null })
      expect(turn).not.toHaveProperty('durationMs')
      const numbers = JSON.parse((await home.run(stats, { args: [fork], json: true })).stdout)
      expect(numbers.turns.durationMs.count).toBe(0)
    }),
  )
})

test('inherited history costs what its first session states, not the 0 of a copy', () =>
  withHomes([], async home => {
    const resumed = 'dddddddd-0000-4000-8000-000000000004'
    const answer = (session: string, name: string, id: string, costUSD: number, minute: number) => ({
      ...{ sessionId: session, isSidechain: false, cwd: '/home/mira/shop', version: '1.0.3', type: 'assistant' },
      uuid: `${session}-${name}`,
      parentUuid: null,
      timestamp: `2026-01-01T00:0${minute}:00.000Z`,
      message: { ...{ id, role: 'assistant', model: 'claude-opus-4-5', content: [] }, usage: { input_tokens: 1000 } },
      costUSD,
      durationMs: 0,
    })
    const [first, second] = ['msg_0123456789abcdefgh01', 'msg_0123456789abcdefgh02']
    fillFolder(home.at(project), {
      [`${typed}.jsonl`]: [answer(typed, 'a', first, 0.5, 1)],
      [`${resumed}.jsonl`]: [answer(resumed, 'a', first, 0, 2), answer(resumed, 'b', second, 0.25, 2)],
    })
    await home.refresh()
    const costs = async (session: string) => {
      const { stdout } = await home.expectSame(show, { args: [session], json: true })
      const { usage, withInherited } = JSON.parse(stdout)
      return [usage.costUSD, withInherited?.costUSD]
    }
    expect(await costs(resumed)).toEqual([0.25, 0.75])
    home.drop(project, `${typed}.jsonl`)
    await home.refresh()
    // Archived.
    expect(await costs(resumed)).toEqual([0.25, 0.75])
  }))

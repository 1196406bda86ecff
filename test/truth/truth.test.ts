// One truth: whatever two commands, the web app or the library report of one session is the same, on every session of the
// samples, of the corpus and of homes made by hand; so are the sums over all of them, and which session is the latest.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Overview, ProjectRow, SessionRow, Stats, UsageRow } from '../../src/schema/contract-shapes.ts'
import { clientHomes, publicHome } from '../needs.ts'
import { type Home as HomeFiles, writeHome } from '../specs/home.ts'
import { home000, home001, home002, home003, home004 } from '../specs/whole-homes.ts'
import { handMadeHome } from './hand-made.ts'
import { disagreements, Home, reportsOf, tokensIn } from './sources.ts'

const written: Readonly<Record<string, HomeFiles>> = {
  'a home made by hand': handMadeHome(),
  'a home as 000 has it': home000(),
  'a home as 001 has it': home001(),
  'a home as 002 has it': home002(),
  'a home as 003 has it': home003(),
  'a home as 004 has it': home004(),
}
const folders = mkdtempSync(join(tmpdir(), 'clew-homes-'))
afterAll(() => rmSync(folders, { recursive: true, force: true }))

const homes: [name: string, root: string, tags: string[]][] = [
  ['the sample history', resolve('samples/home'), []],
  ...Object.entries(written).map(([name, files], at): [string, string, string[]] => {
    writeHome(join(folders, String(at)), files)
    return [name, join(folders, String(at)), []]
  }),
  ['published sessions', publicHome, ['corpus', 'deep']],
  ...clientHomes.map((root): [string, string, string[]] => [
    `what ${root.split('/').at(-1)} wrote`,
    root,
    ['corpus', 'deep'],
  ]),
]

interface Listed {
  sessions: SessionRow[]
}

describe.each(homes)('of %s', (_name, root, tags) => {
  const folder = mkdtempSync(join(tmpdir(), 'clew-truth-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const home = new Home(root, folder)

  it('every fact of every session is the same wherever it is reported', { tags, timeout: 600_000 }, async () => {
    const reports = await reportsOf(home, { withStatusline: !clientHomes.includes(root) })
    expect(reports.get('ls')?.size).toBeGreaterThan(0)
    expect(disagreements(reports)).toEqual([])
  })

  it.each([[[]], [['--no-index']]])('all sums are those of usage %j', { tags, timeout: 600_000 }, async flags => {
    const { totals } = await home.json<{ totals: UsageRow }>('usage', 'session', ...flags)
    const { sessions } = await home.json<Listed>('ls', ...flags)
    const { projects } = await home.json<{ projects: ProjectRow[] }>('ls', 'projects', ...flags)
    const { tokens } = await home.json<Stats>('stats', ...flags)
    const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0)
    expect({
      ls: sum(sessions.map(row => tokensIn(row.usage))),
      projects: sum(projects.map(row => row.tokens ?? 0)),
      stats: tokensIn(tokens),
      cost: sum(sessions.map(row => row.costUSD ?? 0)).toFixed(6),
      projectCost: sum(projects.map(row => row.costUSD ?? 0)).toFixed(6),
    }).toEqual({
      ls: totals.totalTokens,
      projects: totals.totalTokens,
      stats: totals.totalTokens,
      cost: totals.totalCost.toFixed(6),
      projectCost: totals.totalCost.toFixed(6),
    })
  })

  it.each([[[]], [['--no-index']]])('projects are the same %j', { tags, timeout: 600_000 }, async flags => {
    const { projects } = await home.json<{ projects: ProjectRow[] }>('ls', 'projects', ...flags)
    const { sessions } = await home.json<Listed>('ls', ...flags)
    const names = projects.map(row => row.name).sort()
    expect([...new Set(sessions.map(row => row.project.name))].sort()).toEqual(names)
    expect((await home.json<Overview>(...flags)).counts.projects).toBe(names.length)
    const used = await home.json<{ project: UsageRow[] }>('usage', 'project', ...flags)
    const keys = new Set(projects.map(row => row.cwd ?? row.slug))
    expect(used.project.filter(row => !keys.has(row.project ?? ''))).toEqual([])
    await home.served(async data => {
      const answer = await data.answer('GET /api/sessions', { count: '1000' })
      expect(answer.projects.map(row => row.name).sort()).toEqual(names)
      const named = new Map(sessions.map(row => [row.id, row.project.name]))
      expect(answer.sessions.filter(row => row.projectName !== named.get(row.id))).toEqual([])
    })
  })

  it.each([[[]], [['--no-index']]])('the name of a project selects it %j', { tags, timeout: 600_000 }, async flags => {
    const { sessions } = await home.json<Listed>('ls', ...flags)
    const told = new Set(sessions.map(row => row.project.name).filter(name => name.endsWith(')')))
    for (const name of told) {
      const ids = sessions.filter(row => row.project.name === name && row.project.cwd !== null).map(row => row.id)
      const listed = await home.json<Listed>('ls', '--project', name, ...flags)
      expect(listed.sessions.map(row => row.id)).toEqual(ids)
      const { session } = await home.json<{ session: UsageRow[] }>('usage', 'session', '--project', name, ...flags)
      const used = new Set(session.map(row => row.session))
      expect(ids.filter(id => used.has(id))).toHaveLength(used.size)
      if (flags.length > 0) continue
      const found = await home.json<{ hits: { session: string }[] }>('search', `project:"${name}"`, '--all')
      expect(new Set(found.hits.map(hit => hit.session))).toEqual(new Set(ids))
    }
  })

  it.each([[[]], [['--no-index']]])('the latest is the same %j', { tags, timeout: 600_000 }, async flags => {
    const { sessions } = await home.json<Listed>('ls', ...flags)
    const latest = sessions[0]?.id
    const times = sessions.map(row => row.endedAt ?? '')
    expect(times).toEqual([...times].sort().reverse())
    const overview = await home.json<Overview>(...flags)
    expect(overview.sessions).toEqual(sessions.slice(0, overview.sessions.length))
    expect((await home.json<{ id: string }>('show', 'last', ...flags)).id).toBe(latest)
    // Claude Code knows a session by the name of its file, which may be another than the id that its records have.
    const { session } = await home.json<{ session: string }>('resume', 'last', ...flags)
    expect((await home.json<{ id: string }>('show', session, ...flags)).id).toBe(latest)
    await home.served(async data => {
      // Live ones are on top there, and forks next to each other.
      const listed = (await data.answer('GET /api/sessions', { count: '1000' })).sessions.filter(row => !row.isLive)
      expect(listed[0]?.id).toBe(sessions.find(row => !row.live)?.id)
    })
  })
})

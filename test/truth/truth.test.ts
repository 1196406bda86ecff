// One truth: whatever two commands, the web app or the library report of one session is the same, on every session of the
// samples, of the corpus and of homes made by hand; so are the sums over all of them, and which session is the latest.

import { mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { listSessions } from '../../src/library/library.ts'
import type {
  ArchiveStatus,
  DoctorReport,
  HistoryPrompt,
  IndexStatus,
  Overview,
  ProjectRow,
  SessionRow,
  Stats,
  UsageRow,
} from '../../src/schema/contract-shapes.ts'
import { clientHomes, publicHome, sample } from '../needs.ts'
import { type Home as HomeFiles, writeHome } from '../specs/home.ts'
import { home000, home001, home002, home003, home004 } from '../specs/whole-homes.ts'
import { homeReports } from './askers.ts'
import { handMadeHome } from './hand-made.ts'
import { agentsHome, copiesHome, historyHome, namesakesHome } from './homes.ts'
import { disagreements, Home, reportsOf, tokensIn } from './sources.ts'
import { reportCompared } from './table.ts'

const written: Readonly<Record<string, HomeFiles>> = {
  'a home made by hand': handMadeHome(),
  'copies whose ids sort after the original': copiesHome('original first'),
  'copies whose ids sort before the original': copiesHome('fork first'),
  'subagents of every kind': agentsHome(),
  'one line of history': historyHome(),
  'two sessions with one id': namesakesHome(),
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

/** A status line reads the log of its session alone: what that copied without a word it cannot know. */
const silentCopies = new Set(['copies whose ids sort after the original', 'copies whose ids sort before the original'])

interface Listed {
  sessions: SessionRow[]
}

/** How many there are, as everything that counts sessions reports it. */
async function expectEqualCounts(home: Home): Promise<void> {
  await home.text('index', 'refresh')
  const { sessions } = await home.json<Listed>('ls')
  const gone = sessions.filter(row => !row.onDisk).length
  const expected = {
    sessions: sessions.length,
    bytes: sessions.reduce((sum, row) => sum + row.bytes, 0),
    gone,
    archived: sessions.filter(row => row.archived).length,
    latest: sessions.find(row => row.onDisk)?.endedAt ?? null,
    withinWeek: dueIn(7, sessions),
    withinMonth: dueIn(30, sessions),
  }
  const index = await home.json<IndexStatus>('index', 'status')
  const archive = await home.json<ArchiveStatus>('archive', 'status')
  const doctor = await home.json<DoctorReport>('doctor')
  const stats = await home.json<Stats>('stats')
  for (const flags of [[], ['--no-index']]) {
    const { counts } = await home.json<Overview>(...flags)
    const { projects } = await home.json<{ projects: ProjectRow[] }>('ls', 'projects', ...flags)
    const of = (count: (row: ProjectRow) => number) => projects.reduce((sum, row) => sum + count(row), 0)
    const listed = { sessions: of(row => row.sessions), bytes: of(row => row.bytes), gone: of(row => row.gone) }
    expect(listed).toEqual({ sessions: expected.sessions, bytes: expected.bytes, gone })
    const { sessions: known, bytes, gone: goneThere, deletedWithinWeek } = counts
    expect([known, bytes, goneThere, deletedWithinWeek]).toEqual([
      ...[expected.sessions, expected.bytes, gone, expected.withinWeek],
    ])
  }
  expect([index.sessions, stats.sessions, stats.bytes]).toEqual([sessions.length, sessions.length, expected.bytes])
  const { environment, homes, retention } = doctor
  expect(environment['newestRecord'] ?? null).toEqual(expected.latest)
  expect(homes.reduce((sum, one) => sum + one.sessions, 0)).toBe(sessions.length - gone)
  expect([retention.overdue + retention.withinWeek, retention.overdue + retention.withinMonth]).toEqual([
    ...[expected.withinWeek, expected.withinMonth],
  ])
  expect([doctor.archive.sessions, doctor.archive.gone]).toEqual([archive.sessions, archive.goneSessions])
  expect([archive.sessions, archive.goneSessions]).toEqual([expected.archived, gone])
  const due = sessions.flatMap(row => (row.deletedOn === undefined ? [] : [[row.id, row.deletedOn, row.archived]]))
  const expiring = archive.expiring.map(row => [row.session, row.deletedOn, row.archived])
  expect(expiring.sort()).toEqual(due.sort())
  await home.served(async data => {
    const answer = await data.answer('GET /api/archive', {})
    expect([answer.gone.length, answer.expiring.length]).toEqual([gone, due.length])
    expect(answer.unarchivedSessions).toBe(sessions.length - expected.archived)
    expect(answer.unarchivedBytes).toBe(archive.unarchivedBytes)
    expect((await data.answer('GET /api/sessions', { limit: '1000' })).total).toBe(sessions.length)
    expect((await data.answer('GET /api/sessions', { is: 'gone', limit: '1000' })).total).toBe(gone)
  })
}

function dueIn(days: number, sessions: readonly SessionRow[]): number {
  const last = Date.now() + days * 86_400_000
  return sessions.filter(({ deletedOn }) => deletedOn !== undefined && Date.parse(deletedOn ?? '') < last).length
}

/** Sessions in which a search finds a prompt or an answer. */
async function saidIn(home: Home, ...flags: string[]): Promise<Set<string>> {
  const { hits } = await home.json<{ hits: { session: string }[] }>(
    ...['search', 'kind:prompt OR kind:answer', '--all', ...flags],
  )
  return new Set(hits.map(hit => hit.session))
}

describe.each(homes)('of %s', (name, root, tags) => {
  const folder = mkdtempSync(join(tmpdir(), 'clew-truth-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const home = new Home(root, folder)

  it('every fact of every session is the same wherever it is reported', { tags, timeout: 600_000 }, async () => {
    const reports = await reportsOf(home, {
      withStatusline: !clientHomes.includes(root) && !silentCopies.has(name),
    })
    expect(reports.get('ls')?.size).toBeGreaterThan(0)
    reportCompared(reports)
    expect(disagreements(reports)).toEqual([])
  })

  it('every fact of days, projects, models and prompts is the same wherever it is reported', {
    tags,
    timeout: 600_000,
  }, async () => {
    const reports = await homeReports(home)
    reportCompared(reports)
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

  it('every count is the same wherever it is reported', { tags, timeout: 600_000 }, () => expectEqualCounts(home))

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
      const answer = await data.answer('GET /api/sessions', { limit: '1000' })
      expect(answer.projects.map(row => row.name).sort()).toEqual(names)
      const named = new Map(sessions.map(row => [row.id, row.project.name]))
      expect(answer.sessions.filter(row => row.project.name !== named.get(row.id))).toEqual([])
    })
  })

  it.each([[[]], [['--no-index']]])('the name of a project selects it %j', { tags, timeout: 600_000 }, async flags => {
    const { sessions } = await home.json<Listed>('ls', ...flags)
    expect(sessions.length).toBeGreaterThan(0)
    const used = (await home.json<{ session: UsageRow[] }>('usage', 'session', ...flags)).session.map(
      row => row.session,
    )
    const inHistory = await home.json<{ prompts: HistoryPrompt[] }>('history', ...flags)
    const typedIn = new Set(inHistory.prompts.map(prompt => prompt.session))
    const written = await home.json<{ sessions: { session: string }[] }>('grep', '.', '-l', ...flags)
    const everywhere = await saidIn(home)
    const said = new Set(written.sessions.map(one => one.session))
    const projects = sample([...new Map(sessions.map(row => [row.project.name, row.project])).values()], 12)
    for (const { name, slug, cwd } of projects) {
      for (const text of [name, slug, cwd].filter(one => one !== null && one !== '') as string[]) {
        const ids = sessions.filter(row => row.project[text === cwd ? 'cwd' : text === slug ? 'slug' : 'name'] === text)
        const listed = (await home.json<Listed>('ls', '--project', text, ...flags)).sessions.map(row => row.id)
        expect(listed).toEqual(expect.arrayContaining(ids.map(row => row.id)))
        // A name alone is any part of a path.
        if (text === name && name.endsWith(')')) expect(listed).toEqual(ids.map(row => row.id))
        const meant = (all: Iterable<string | undefined>) => [...all].filter(id => listed.includes(id ?? '')).sort()
        const asked = ['--project', text, ...flags]
        const { session = [] } = await home.json<{ session?: UsageRow[] }>('usage', 'session', ...asked)
        expect(session.map(row => row.session).sort(), text).toEqual(meant(used))
        const { prompts } = await home.json<{ prompts: HistoryPrompt[] }>('history', ...asked)
        const known = prompts.map(prompt => prompt.session).filter(id => sessions.some(row => row.id === id))
        expect([...new Set(known)].sort(), text).toEqual(meant(typedIn))
        const lines = await home.json<{ sessions: { session: string }[] }>('grep', '.', '-l', ...asked)
        expect(lines.sessions.map(one => one.session).sort(), text).toEqual(meant(said))
        if (flags.length > 0) continue
        const hits = await saidIn(home, '--project', text)
        // A text that several sessions have is shown in one of them.
        expect(meant(hits), text).toEqual([...hits].sort())
        expect([...hits], text).toEqual(expect.arrayContaining(meant(everywhere)))
        const row = (await listSessions({ ...home.options(), project: text })).map(one => one.id)
        expect(row).toEqual(listed)
        await home.served(async data => {
          const answer = await data.answer('GET /api/sessions', { project: text, limit: '1000' })
          expect(answer.sessions.map(one => one.id).sort()).toEqual([...listed].sort())
        })
      }
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
      const listed = (await data.answer('GET /api/sessions', { limit: '1000' })).sessions.filter(row => !row.live)
      expect(listed[0]?.id).toBe(sessions.find(row => !row.live)?.id)
    })
  })
})

describe('of a home with an archive', () => {
  const folder = mkdtempSync(join(tmpdir(), 'clew-truth-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('facts and counts are the same after sessions were deleted', { timeout: 600_000 }, async () => {
    const root = join(folder, 'claude')
    writeHome(root, handMadeHome())
    const home = new Home(root, join(folder, 'own'))
    const paths = Object.keys(handMadeHome()).map(path => join(root, path))
    // Claude Code will delete some of the files tomorrow.
    const old = Date.now() / 1000 - 29 * 86_400
    for (const path of paths.slice(0, 4)) utimesSync(path, old, old)
    await home.text('archive', 'run')
    await expectEqualCounts(home)
    // A whole session; a main file whose subagent stays; a subagent without a main file.
    for (const path of paths.filter(one => /0000000[2]-|work-app.*0000000[1]-[^/]*$|0000000[7]-/.test(one)))
      rmSync(path)
    await expectEqualCounts(home)
    expect(disagreements(await reportsOf(home, { withStatusline: false }))).toEqual([])
  })
})

describe('of homes that are asked about in another way', () => {
  const folder = mkdtempSync(join(tmpdir(), 'clew-truth-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  async function expectNoDisagreement(home: Home): Promise<void> {
    const reports = new Map([...(await reportsOf(home, { withStatusline: false })), ...(await homeReports(home))])
    reportCompared(reports)
    expect(disagreements(reports)).toEqual([])
  }

  it('facts are the same of two roots', { timeout: 600_000 }, async () => {
    const [one, other] = [join(folder, 'one'), join(folder, 'other')]
    writeHome(one, historyHome(1))
    writeHome(other, historyHome(3))
    await expectNoDisagreement(new Home(one, join(folder, 'own-two'), [other]))
  })

  it('facts are the same from an index that was rebuilt', { timeout: 600_000 }, async () => {
    const root = join(folder, 'rebuilt')
    writeHome(root, handMadeHome())
    const home = new Home(root, join(folder, 'own-rebuilt'))
    await home.text('index', 'refresh')
    writeHome(root, { ...copiesHome('fork first'), ...agentsHome() })
    await home.text('index', 'refresh')
    const before = await home.json<Listed>('ls')
    await home.text('index', 'rebuild')
    expect(await home.json<Listed>('ls')).toEqual(before)
    await expectNoDisagreement(home)
  })

  it.each([
    ['a config that is no JSON', 'config.json', '{ "roots": ['],
    ['prices that are no JSON', 'prices.json', '[1, 2'],
  ])('facts are the same with %s', { timeout: 600_000 }, async (_what, name, content) => {
    const root = join(folder, 'broken')
    writeHome(root, copiesHome('original first'))
    const own = join(folder, `own-${name}`)
    writeHome(own, { [name]: content })
    if (name !== 'config.json') writeHome(own, { 'config.json': JSON.stringify({ prices: join(own, name) }) })
    await expectNoDisagreement(new Home(root, own))
  })
})

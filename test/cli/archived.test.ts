// How commands mark what is only in the archive, and what they say about what will be.

import { appendFileSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { segmentBytes } from '../../src/archive/format/lines.ts'
import { columnsOf } from '../../src/base/width.ts'
import type { CommandRun } from '../../src/cli/command.ts'
import { run as context } from '../../src/cli/commands/context.ts'
import { run as doctor } from '../../src/cli/commands/doctor.ts'
import { run as events } from '../../src/cli/commands/events.ts'
import { run as history } from '../../src/cli/commands/history.ts'
import { run as ls } from '../../src/cli/commands/ls.ts'
import { run as overview } from '../../src/cli/commands/overview.ts'
import { run as records } from '../../src/cli/commands/records.ts'
import { run as resume } from '../../src/cli/commands/resume.ts'
import { run as show } from '../../src/cli/commands/show.ts'
import { run as stats } from '../../src/cli/commands/stats.ts'
import { run as tree } from '../../src/cli/commands/tree.ts'
import { type CommandHome, withCommands } from './command-home.ts'
import { ids, makeHome, SessionLines, writeLines } from './ls-home.ts'

const shop = ['projects', '-home-mira-shop'] as const
const goneText = `${ids.cart} is no longer on disk`

/** Archives four sessions, then deletes one of them. */
function withOneGone(work: (place: CommandHome) => Promise<void>): Promise<void> {
  return withCommands(makeHome, async place => {
    await place.archive()
    place.drop(...shop, `${ids.cart}.jsonl`)
    await work(place)
  })
}

/** Sets back the last change of all sessions, or of one. */
function age(place: CommandHome, days: number, only?: string): void {
  const at = new Date(Date.now() - days * 86_400_000)
  for (const name of readdirSync(join(place.home, ...shop))) {
    if (name.endsWith('.jsonl') && (only === undefined || name.startsWith(only))) {
      utimesSync(join(place.home, ...shop, name), at, at)
    }
  }
}

describe('clew ls with an archive', () => {
  it('has a column for what is gone, only where something is', () =>
    withOneGone(async place => {
      const { stdout, stderr } = await place.run(ls)
      const lines = stdout.trimEnd().split('\n')
      expect(lines[0]).toMatch(/ where /)
      expect(lines.filter(line => / archive /.test(line))).toEqual([expect.stringContaining('=Cart totals')])
      expect(stderr).toContain('1 of 4 is only in the archive')
      expect((await place.run(ls, { options: { project: '地図' } })).stdout).not.toContain('where')
    }))

  it('lists with --gone what is no longer on disk, and nothing else', () =>
    withOneGone(async place => {
      const { stdout } = await place.run(ls, { json: true, options: { gone: true } })
      expect(JSON.parse(stdout).sessions.map((row: { id: string }) => row.id)).toEqual([ids.cart])
    }))

  it('reports with --gone that all sessions are on disk, or that there is no archive', () =>
    withCommands(makeHome, async place => {
      const options = { gone: true }
      expect(await place.run(ls, { options })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('archive run'),
      })
      await place.archive()
      const { code, stderr } = await place.run(ls, { options })
      expect([code, stderr]).toEqual([1, 'clew: all 4 sessions are still on disk\n'])
    }))

  it('reports in JSON what is archived whole and what is on disk', () =>
    withOneGone(async place => {
      appendFileSync(join(place.home, ...shop, `${ids.tax}.jsonl`), '{"type":"summary","summary":"More"}\n')
      place.drop(...shop, ids.tax, 'subagents')
      const { stdout } = await place.run(ls, { json: true })
      const rows: Record<string, unknown>[] = JSON.parse(stdout).sessions
      const marks = new Map(rows.map(row => [row['id'], [row['archived'], row['onDisk'], 'deletedOn' in row]]))
      expect(marks.get(ids.cart)).toEqual([true, false, false])
      expect(marks.get(ids.old)).toEqual([true, true, true])
      expect(marks.get(ids.tax)).toEqual([false, true, true])
      const csv = (await place.run(ls, { options: { csv: true } })).stdout.trimEnd().split(/\r?\n/)
      expect(csv[0]).toMatch(/,archived,on_disk,tag,/)
      expect(csv.find(line => line.startsWith(ids.cart))).toMatch(/,true,false,,,false,$/)
    }))

  it('does not take a session for one in use once it is deleted', () =>
    withCommands(makeHome, async place => {
      const file = join(place.home, ...shop, `${ids.cart}.jsonl`)
      const now = {
        type: 'system',
        subtype: 'turn_duration',
        durationMs: 1,
        uuid: 'now',
        timestamp: new Date().toISOString(),
      }
      appendFileSync(file, `${JSON.stringify({ ...now, parentUuid: null, sessionId: ids.cart })}\n`)
      await place.archive()
      const live = async () => {
        const { stdout } = await place.run(ls, { json: true, options: { grep: 'Rounded' } })
        return JSON.parse(stdout).sessions.map((row: { live: boolean }) => row.live)
      }
      expect(await live()).toEqual([true])
      place.drop(...shop, `${ids.cart}.jsonl`)
      expect(await live()).toEqual([false])
    }))

  it('counts gone sessions by project', () =>
    withOneGone(async place => {
      const { stdout } = await place.run(ls, { args: ['projects'] })
      expect(stdout).toMatch(/project .* gone/)
      expect(stdout).toMatch(/\/home\/mira\/shop +3 +\S+ \S+ +\S+ \S+ +1 /)
    }))
})

describe('clew with an archive', () => {
  it('warns only of sessions that are not archived', () =>
    withCommands(makeHome, async place => {
      age(place, 28)
      const said = async (columns = 100) => (await place.run(overview, { columns })).stdout
      expect(await said()).toContain('will delete all of them within a week; clew archive run archives them')
      await place.archive()
      expect(await said()).toContain('Claude Code will delete all of them within a week; the archive has them')
      appendFileSync(join(place.home, ...shop, `${ids.tax}.jsonl`), '{"type":"summary"}\n')
      age(place, 28, ids.tax)
      expect(await said()).toContain(
        'will delete 1 within a week that are not archived; clew archive run archives them',
      )
      for (const line of (await said(40)).split('\n')) expect(columnsOf(line)).toBeLessThanOrEqual(40)
      const { counts } = JSON.parse((await place.run(overview, { json: true })).stdout)
      expect(counts).toMatchObject({ deletedWithinWeek: 4, lostWithinWeek: 1, gone: 0 })
    }))

  it('says how many sessions are only in the archive, and which of the latest', () =>
    withOneGone(async place => {
      const { stdout } = await place.run(overview)
      expect(stdout).toContain('1 of them only in the archive')
      expect(stdout).toMatch(/=Cart totals +archive/)
    }))

  it('does not warn of what a rule leaves out', () =>
    withCommands(makeHome, async place => {
      await place.archive(['/home/mira'])
      const { stdout } = await place.run(overview)
      expect(stdout).not.toContain('archive run')
    }))
})

describe('clew show with an archive', () => {
  it.each(['text', 'md', 'html'])('says in %s that the session is no longer on disk', format =>
    withOneGone(async place => {
      const options = { format }
      const gone = await place.run(show, { args: [ids.cart], options })
      expect(gone.stdout).toContain('archived: no longer on disk')
      expect((await place.run(show, { args: [ids.tax], options })).stdout).not.toContain('kept:')
    }),
  )

  it('names earlier generations of the file, and shows them', () =>
    withCommands(makeHome, async place => {
      await place.archive()
      const file = join(place.home, ...shop, `${ids.cart}.jsonl`)
      writeLines(
        file,
        new SessionLines(ids.cart, '2026-02-19T08:00:00Z', '/home/mira/shop', 'main').prompt('Anew').lines,
      )
      await place.archive()
      const now = await place.run(show, { args: [ids.cart] })
      expect(now.stdout).toContain(`generations: 2 archived; for the first: clew show ${ids.cart}@1`)
      const first = await place.run(show, { args: [`${ids.cart}@1`] })
      expect(first.stdout).toContain('archived: generation 1 of 2')
      expect(first.stdout).toContain('Rounded to cents.')
      expect(first.stdout).not.toContain('no longer on disk')
      const json = async (session: string) =>
        JSON.parse((await place.run(show, { args: [session], json: true })).stdout)
      const generations = [
        { number: 1, size: expect.any(Number), modified: '2026-02-17T23:40:00.000Z', current: false },
        { number: 2, size: readFileSync(file).length, modified: expect.any(String), current: true },
      ]
      expect(await json(ids.cart)).toMatchObject({ archived: true, onDisk: true, generations })
      expect(await json(ids.cart)).not.toHaveProperty('generation')
      expect(await json(`${ids.cart}@1`)).toMatchObject({ onDisk: true, generation: 1, generations })
    }))

  it('reports in JSON a session of which nothing is archived', () =>
    withCommands(makeHome, async place => {
      const { stdout } = await place.run(show, { args: [ids.cart], json: true })
      const detail = JSON.parse(stdout)
      expect(detail).toMatchObject({ archived: false, onDisk: true })
      expect(detail).not.toHaveProperty('generations')
    }))
})

const readers: [string, CommandRun][] = [
  ['show', show],
  ['context', context],
  ['stats', stats],
  ['tree', tree],
  ['events', events],
  ['records', records],
  ['resume', resume],
]

describe('a command that reads a session from the archive', () => {
  it.each(readers)('%s says so once, and not with --quiet', (_, command) =>
    withOneGone(async place => {
      const { stderr } = await place.run(command, { args: [ids.cart] })
      expect(stderr.split(goneText).length - 1).toBe(1)
      expect((await place.run(command, { args: [ids.cart], quiet: true })).stderr).not.toContain(goneText)
      expect((await place.run(command, { args: [ids.tax] })).stderr).not.toContain('archive')
    }),
  )
})

describe('clew resume with an archive', () => {
  it('says how to bring back what Claude Code needs', () =>
    withOneGone(async place => {
      const { stdout, stderr } = await place.run(resume, { args: [ids.cart] })
      expect(stdout).toContain(ids.cart)
      expect(stderr).toContain(`its files are no longer on disk; clew archive restore ${ids.cart} restores them`)
      const json = async (id: string) => JSON.parse((await place.run(resume, { args: [id], json: true })).stdout)
      expect([(await json(ids.cart)).onDisk, (await json(ids.tax)).onDisk]).toEqual([false, true])
    }))
})

describe('clew history with an archive', () => {
  const prompt = (sessionId: string, display: string) => ({
    display,
    pastedContents: {},
    timestamp: Date.parse('2026-02-17T23:30:00Z'),
    project: '/home/mira/shop',
    sessionId,
  })

  it('names sessions that only the archive has, and those that no one has', () =>
    withCommands(
      home => {
        makeHome(home)
        writeLines(join(home, 'history.jsonl'), [prompt(ids.cart, 'Round the cart'), prompt('lost', 'Where to?')])
      },
      async place => {
        await place.archive()
        place.drop()
        const { stdout } = await place.run(history)
        expect(stdout).toMatch(/aaaaaaaa-0 +Round the cart/)
        expect(stdout).toMatch(/gone +Where to\?/)
        const { prompts } = JSON.parse((await place.run(history, { json: true })).stdout)
        const named = (text: string) => prompts.find((one: { text: string }) => one.text === text)
        expect(named('Round the cart')).toMatchObject({ onDisk: false, inArchive: true })
        expect(named('Where to?')).toMatchObject({ onDisk: false })
        expect(named('Where to?')).not.toHaveProperty('inArchive')
      },
    ))
})

describe('clew doctor with an archive', () => {
  const examined = async (place: CommandHome) => {
    const { stdout, code } = await place.run(doctor, { json: true, options: { home: place.own } })
    const report = JSON.parse(stdout)
    const lossy = report.problems.filter((problem: { losesData: boolean }) => problem.losesData)
    return { report, code, codes: lossy.map((problem: { code: string }) => problem.code) }
  }

  it('takes deletion for a problem only where something is not archived', () =>
    withCommands(makeHome, async place => {
      age(place, 28)
      const before = await examined(place)
      expect(before).toMatchObject({ code: 1, report: { archive: { path: null, atRisk: 4 } } })
      expect(before.report.problems.at(-1).remedy).toMatch(/clew archive run\. .*clew archive install/)
      await place.archive()
      const after = await examined(place)
      expect([after.code, after.codes]).toEqual([0, []])
      expect(after.report.archive).toMatchObject({ sessions: 4, gone: 0, atRisk: 0, mode: 'auto', damage: [] })
      expect(Date.parse(after.report.archive.lastRun)).toBeGreaterThan(Date.now() - 60_000)
      expect(after.report.retention.next[0]).toMatchObject({ archived: true })
    }))

  it('says where the archive is, what it has, and what is damaged', () =>
    withOneGone(async place => {
      const options = { home: place.own }
      const { stdout } = await place.run(doctor, { options })
      expect(stdout).toMatch(/^archive +.*clew\/archive: 4 sessions, 1 of them no longer on disk$/m)
      expect(stdout).toMatch(/\.claude: 3 sessions, 4 files/)
      const manifest = join(place.own, 'archive', 'manifest')
      const segment = join(manifest, readdirSync(manifest)[0] ?? '')
      writeFileSync(segment, readFileSync(segment, 'utf8').replace('"size":', '"size": '))
      const { code, codes, report } = await examined(place)
      expect([code, codes]).toEqual([1, expect.arrayContaining(['archive-damaged'])])
      expect(report.archive.damage).toHaveLength(1)
    }))

  it('says that an archive of a newer version cannot be read, and examines the rest', () =>
    withOneGone(async place => {
      const manifest = join(place.own, 'archive', 'manifest')
      const segment = join(manifest, readdirSync(manifest)[0] ?? '')
      writeFileSync(segment, segmentBytes([{ clew: 'archive', format: 99, segment: 1 }]))
      const { report } = await examined(place)
      expect(report.problems.map((problem: { code: string }) => problem.code)).toContain('archive-unreadable')
      expect(report.homes[0]).toMatchObject({ sessions: 3 })
    }))
})

import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { columnsOf } from '../../src/base/width.ts'
import { run as ls } from '../../src/cli/commands/ls.ts'
import { run as overview } from '../../src/cli/commands/overview.ts'
import { schema } from '../../src/schema/schema.ts'
import { withFolder } from '../home.ts'
import { capture } from './capture.ts'
import { ids, makeHome, SessionLines, writeLines } from './ls-home.ts'

const samples = resolve('samples/home')

/** The ids that a list has, in its order. */
async function listed(root: string, options: Record<string, unknown> = {}): Promise<string[]> {
  const { stdout } = await capture(ls, { root: [root], options, json: true })
  return JSON.parse(stdout).sessions.map((row: { id: string }) => row.id)
}

const inHome = (work: (home: string) => Promise<void>) => () =>
  withFolder(async home => {
    makeHome(home)
    await work(home)
  })

describe('clew ls', () => {
  it(
    'lists sessions from the ends of files, the latest first',
    inHome(async home => {
      const { stdout, stderr, code } = await capture(ls, { root: [home] })
      expect(code).toBe(0)
      const lines = stdout.trimEnd().split('\n')
      expect(lines[0]).toMatch(/^session\s+when\s+title\s+project\s+branch\s+size$/)
      const first = lines.slice(1).map(line => line.split(' ', 1)[0])
      expect(first).toEqual(['bbbbbbbb', 'aaaaaaaa-1', 'aaaaaaaa-0', 'cccccccc'])
      expect(stdout).toContain('=Cart totals')
      expect(stdout).toContain('Tax on cakes')
      expect(stdout).toContain('島の地図を描いて')
      expect(stderr).toContain('--long')
    }),
  )

  it(
    'names a session by a summary in another file of its folder, quickly and with --long',
    inHome(async home => {
      for (const options of [{}, { long: true }]) {
        const { stdout } = await capture(ls, { root: [home], options })
        expect(stdout).toContain('Looking for the till')
      }
    }),
  )

  it(
    'prints rows by the contract',
    inHome(async home => {
      const { stdout } = await capture(ls, { root: [home], json: true })
      const { sessions } = JSON.parse(stdout)
      for (const row of sessions) expect(schema('session-row')?.safeParse(row).success).toBe(true)
      expect(sessions.find((row: { id: string }) => row.id === ids.tax)).toMatchObject({
        title: 'Tax on cakes',
        titleFrom: 'ai',
        project: { cwd: '/home/mira/shop', slug: '-home-mira-shop' },
        gitBranch: 'tax',
        prompts: 2,
        subagents: 1,
        files: 2,
        models: ['claude-opus-5'],
        onDisk: true,
        archived: false,
        durationMs: 3000,
        deletedOn: '2026-03-20T09:10:00.000Z',
      })
    }),
  )

  it(
    "takes Claude Code's own setting for the day of deletion",
    inHome(async home => {
      writeFileSync(join(home, 'settings.json'), JSON.stringify({ cleanupPeriodDays: 1 }))
      const { stdout } = await capture(ls, { root: [home], json: true, options: { branch: 'tax' } })
      expect(JSON.parse(stdout).sessions[0].deletedOn).toBe('2026-02-19T09:10:00.000Z')
    }),
  )

  it(
    'filters by project, time, model, branch, tool, content and what is in a session',
    inHome(async home => {
      const { cart, tax, map, old } = ids
      const cases: [Record<string, unknown>, string[]][] = [
        [{ project: 'SHOP' }, [tax, cart, old]],
        [{ project: '地図' }, [map]],
        [{ since: '2026-02-18' }, [map, tax]],
        [{ until: '2026-02-17' }, [cart, old]],
        [{ since: '2026-02-17', until: '2026-02-18' }, [tax, cart]],
        [{ model: 'sonnet' }, [old]],
        [{ branch: 'isl' }, [map]],
        [{ tool: 'bash' }, [map]],
        [{ has: ['image', 'error'] }, [map]],
        [{ has: ['subagent'] }, [tax]],
        [{ grep: 'ROUNDED to' }, [cart]],
        [{ grep: '/^Also\\.$/' }, [tax]],
        [{ grep: 'cakes' }, [tax]],
        [{ grep: 'looking for the TILL' }, [old]],
        [{ sort: 'tokens', limit: '1' }, [tax]],
        [{ sort: 'title' }, [cart, old, tax, map]],
        [{ reverse: true, limit: '2' }, [old, cart]],
      ]
      for (const [options, expected] of cases) {
        expect(await listed(home, options), JSON.stringify(options)).toEqual(expected)
      }
    }),
  )

  it(
    'reads a day in the zone that is asked for',
    inHome(async home => {
      const at = async (timezone: string) => {
        const options = { since: '2026-02-18', until: '2026-02-18' }
        const { stdout } = await capture(ls, { root: [home], json: true, options, timezone })
        return JSON.parse(stdout).sessions.map((row: { id: string }) => row.id)
      }
      expect(await at('UTC')).toEqual([ids.tax])
      expect(await at('Europe/Berlin')).toEqual([ids.tax, ids.cart])
      expect(await at('America/Los_Angeles')).toEqual([ids.tax])
    }),
  )

  it(
    'says what would work where an option is wrong, and that nothing fits',
    inHome(async home => {
      const wrong: Record<string, unknown>[] = [
        { since: 'soon' },
        { has: ['luck'] },
        { grep: '/(/' },
        { limit: '0' },
        { sort: 'luck' },
        { project: '' },
        { since: '2026-02-18', until: '2026-02-17' },
      ]
      for (const options of wrong) await expect(capture(ls, { root: [home], options })).rejects.toThrow(/--/)
      await expect(capture(ls, { root: [home], args: ['shop'] })).rejects.toThrow('--project shop')
      const none = await capture(ls, { root: [home], options: { grep: 'nowhere' } })
      expect(none).toMatchObject({ code: 1, stdout: '' })
      expect(none.stderr).toContain('none of 4 sessions')
    }),
  )

  it(
    'fits 40, 80 and 200 columns, wide characters included',
    inHome(async home => {
      for (const columns of [40, 80, 200]) {
        for (const options of [{}, { long: true }]) {
          const { stdout } = await capture(ls, { root: [home], options, columns })
          const longest = Math.max(...stdout.split('\n').map(columnsOf))
          expect(longest, `${columns} ${JSON.stringify(options)}\n${stdout}`).toBeLessThanOrEqual(columns)
        }
      }
    }),
  )

  it(
    'prints values that a spreadsheet takes as text',
    inHome(async home => {
      const { stdout } = await capture(ls, { root: [home], options: { csv: true } })
      const lines = stdout.split('\r\n')
      expect(lines[0]).toMatch(/^id,title,/)
      expect(stdout).toContain(`${ids.cart},'=Cart totals,custom,`)
      expect(lines.at(-1)).toBe('')
      expect(lines).toHaveLength(6)
    }),
  )

  it('shows nothing of a hostile title raw', async () =>
    withFolder(async home => {
      const title = '\u001b]0;owned\u0007\u202eevil\r\n\u009b31m'
      const lines = new SessionLines(ids.cart, '2026-01-01T00:00:00Z', '/tmp/\u001b[2J', '\u001b[31mx').prompt('Hello')
      lines.side({ type: 'custom-title', customTitle: title })
      writeLines(join(home, 'projects', '-tmp', `${ids.cart}.jsonl`), lines.lines)
      for (const options of [{}, { long: true }, { csv: true }]) {
        const { stdout } = await capture(ls, { root: [home], options, columns: 200 })
        const raw = [...stdout].filter(character => character < ' ' && character !== '\n' && character !== '\r')
        expect(raw).toEqual([])
        expect(stdout).not.toMatch(/[\u0080-\u009f\u202e]/)
        expect(stdout).toContain('evil')
      }
    }))

  it(
    'lists projects by their directories, never by decoding a folder name',
    inHome(async home => {
      const { stdout } = await capture(ls, { root: [home], args: ['projects'], json: true })
      expect(JSON.parse(stdout).projects).toEqual([
        expect.objectContaining({ cwd: '/home/mira/地図', slug: '-home-mira---', sessions: 1 }),
        expect.objectContaining({
          cwd: '/home/mira/shop',
          sessions: 3,
          lastUsed: '2026-02-18T09:00:03.000Z',
          models: expect.arrayContaining(['claude-opus-5', 'claude-sonnet-4']),
        }),
      ])
      const table = await capture(ls, { root: [home], args: ['projects'] })
      expect(table.stdout).toContain('/home/mira/地図')
    }),
  )
})

describe('clew alone', () => {
  it(
    'says what there is, how much will be deleted, and ids that are unique',
    inHome(async home => {
      const { stdout, code } = await capture(overview, { root: [home] })
      expect(code).toBe(0)
      expect(stdout).toMatch(/^4 sessions · 2 projects · /)
      expect(stdout).toContain(home)
      expect(stdout).toContain('will delete all of them within a week')
      expect(stdout).toMatch(/^aaaaaaaa-0 .*=Cart totals/m)
      expect(stdout).toContain('clew show bbbbbbbb')
    }),
  )

  it('reads ten sessions whole for scripts', async () => {
    const { stdout } = await capture(overview, { root: [samples], json: true })
    const { sessions, counts, roots } = JSON.parse(stdout)
    expect(roots).toEqual([samples])
    expect(counts.sessions).toBeGreaterThan(10)
    expect(sessions).toHaveLength(10)
    for (const row of sessions) expect(schema('session-row')?.safeParse(row).success).toBe(true)
  })

  it('fits 40 columns', async () => {
    const { stdout } = await capture(overview, { root: [samples], columns: 40 })
    expect(Math.max(...stdout.split('\n').map(columnsOf))).toBeLessThanOrEqual(40)
  })
})

describe('the ends of files', () => {
  let quick = ''
  let whole: { id: string; title: string; project: { cwd: string | null }; gitBranch?: string }[] = []
  beforeAll(async () => {
    quick = (await capture(ls, { root: [samples], columns: 400 })).stdout
    whole = JSON.parse((await capture(ls, { root: [samples], json: true })).stdout).sessions
  })

  it('report of the sample history what whole files contain', () => {
    const lines = quick.split('\n')
    for (const row of whole) {
      const line = lines.find(text => text.startsWith(row.id.slice(0, 8)))
      expect(line, row.id).toContain([...row.title].slice(0, 20).join(''))
      if (row.gitBranch !== undefined) expect(line).toContain(row.gitBranch)
    }
  })
})

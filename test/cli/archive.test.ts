// `clew archive` as people type it: what it prints, how it ends, and that it leaves the Claude home alone.

import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { columnsOf } from '../../src/base/width.ts'
import { filesBelow, sampleIds } from '../home.ts'
import { expectHarmless, type Fixture, withFixture } from './archive-fixture.ts'
import { lines } from './run.ts'

describe('clew archive before anything is archived', () => {
  it.concurrent.each([
    [['archive', 'run'], 'no Claude home found; --root PATH names one'],
    [['archive', 'verify'], 'nothing is archived yet; clew archive run archives your sessions'],
    [['archive', 'restore', '--all'], 'nothing is archived yet; clew archive run archives your sessions'],
    [['archive', 'prune', '--gone'], 'nothing is archived yet; clew archive run archives your sessions'],
  ])('says what to do: %j', (args, message) =>
    withFixture(async fixture => {
      expect(await fixture.clew(...args)).toEqual({ code: 2, stdout: '', stderr: `clew: ${message}\n` })
      expect(existsSync(fixture.own)).toBe(false)
    }),
  )

  it.concurrent('reports in its status that there is neither an archive nor a home, and makes none', () =>
    withFixture(async fixture => {
      const { code, stdout, stderr } = await fixture.clew('archive')
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toContain('(not there yet)')
      expect(stdout).toMatch(/^pending +no Claude home was found/m)
      expect(existsSync(fixture.own)).toBe(false)
    }))

  it.concurrent('counts what a run would archive', () =>
    withFixture(async fixture => {
      fixture.copy()
      const { stdout } = await fixture.leavingHome(() => fixture.clew('archive', 'status'))
      expect(stdout).toMatch(/^pending +48 files, \d+ kB: 48 new; clew archive run archives them$/m)
      expect(existsSync(fixture.own)).toBe(false)
    }))
})

describe('words and flags', () => {
  it.concurrent.each([
    [['stat'], 'archive does not know "stat"; did you mean clew archive status?'],
    [['frobnicate'], 'it knows run, status, verify, salvage, restore, prune, import, install, uninstall'],
    [['run', 'extra'], 'too many words: "extra"; --root PATH names what to archive'],
    [['status', 'extra'], 'too many words: "extra"'],
    [['verify', 'extra'], 'verify checks everything'],
    [['prune', 'extra', '--gone'], 'clew forget SESSION erases one session'],
    [['run', '--quick'], 'clew archive run has no --quick; it is for verify'],
    [['verify', '--dry-run'], 'clew archive verify has no --dry-run; it is for prune, install, uninstall'],
    [['prune', '--nope'], "unknown option '--nope'"],
    [['prune'], 'prune needs a rule: --older-than DAYS, --project PATH, --gone or --generations N'],
    [['prune', '--apply'], 'prune needs a rule'],
    [['prune', '--gone', '--apply', '--dry-run'], '--apply and --dry-run do not go together'],
    [['prune', '--generations', '0'], 'Invalid --generations "0". It takes a whole number of at least 1'],
    [['prune', '--older-than', 'x'], 'Invalid --older-than "x". It takes a whole number of at least 0'],
    [['prune', '--project', ''], '--project needs a path'],
    [['restore'], 'which session? Name some, or --all for everything'],
    [['restore', '--all', 'x'], 'restore takes sessions or --all, not both'],
    [['import'], 'what to import? A folder with a backup of a Claude home'],
    [['import', 'a', 'b'], 'import takes one folder at a time'],
    [['import', '/nowhere/at/all'], 'there is no /nowhere/at/all'],
    [['run', '\u001b[31m'], 'too many words: "\\u{1b}[31m"'],
    [['\u001b[31m'], 'archive does not know "\\u{1b}[31m"'],
  ])('refuses %j with a hint', (args, message) =>
    withFixture(async fixture => {
      const result = await fixture.clew('archive', ...args)
      expect([result.code, result.stdout]).toEqual([2, ''])
      expect(result.stderr).toContain(message)
      expectHarmless(result)
      expect(existsSync(fixture.own)).toBe(false)
    }),
  )
})

describe('clew archive run', () => {
  it.concurrent('archives all, says once what continues, and changes nothing in the home', () =>
    withFixture(async fixture => {
      fixture.copy()
      const first = await fixture.leavingHome(() => fixture.clew('archive', 'run'))
      expect([first.code, first.stdout]).toEqual([
        0,
        expect.stringMatching(/^archived 48 files, \d+ kB in \d+ kB: 48 new\n$/),
      ])
      expect(first.stderr).toContain('clew archive install does it without you')
      const second = await fixture.leavingHome(() => fixture.clew('archive', 'run'))
      expect(second).toEqual({ code: 0, stdout: 'nothing new; 48 files looked at\n', stderr: '' })
      expect(await fixture.clew('archive', 'run', '--quiet')).toEqual({ code: 0, stdout: '', stderr: '' })
      expect(lines(await fixture.clew('archive', 'run', '--json'))[0]).toMatchObject({
        files: 48,
        added: 0,
        findings: [],
      })
    }))

  it.concurrent('stores for the owner alone', () =>
    withFixture(async fixture => {
      await fixture.copy().clew('archive', 'run')
      const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
      for (const path of filesBelow(fixture.own)) expect([path, modeOf(path)]).toEqual([path, '600'])
      for (const folder of ['', 'archive', 'archive/packs', 'archive/manifest']) {
        expect(modeOf(join(fixture.own, folder))).toBe('700')
      }
    }))

  it.concurrent('distinguishes grown, rewritten, moved and deleted files', () =>
    withFixture(async fixture => {
      await fixture.copy().clew('archive', 'run')
      appendFileSync(fixture.log(sampleIds.hours), '{"type":"summary","summary":"more"}\n')
      truncateSync(fixture.log(sampleIds.croissants), 500)
      rmSync(fixture.log(sampleIds.prices))
      mkdirSync(join(fixture.home, 'projects', '-home-mira-elsewhere'))
      const last = readdirSync(join(fixture.home, 'projects', '-home-mira-sakana'))[0] ?? ''
      const from = join(fixture.home, 'projects', '-home-mira-sakana', last)
      renameSync(from, join(fixture.home, 'projects', '-home-mira-elsewhere', last))
      expect((await fixture.clew('archive')).stdout).toMatch(/^pending +2 files, \d+ B: .*1 grown/m)
      const { stdout } = await fixture.clew('archive', 'run')
      expect(stdout).toMatch(/^archived 2 files.*: 1 grown, 1 rewritten \(the earlier content stays\), 1 moved\n$/)
      expect((await fixture.clew('archive')).stdout).toMatch(
        /^archived +18 sessions, 48 files, 1 earlier generation, .*; 1 session no longer on disk$/m,
      )
    }))

  it.concurrent('takes nothing from places without sessions, nor from the archive', () =>
    withFixture(async fixture => {
      await fixture.copy().clew('archive', 'run')
      mkdirSync(fixture.path('empty'))
      const empty = await fixture.clew('archive', 'run', '--root', fixture.path('empty'))
      expect([empty.code, empty.stdout]).toEqual([1, 'nothing to archive: no session was found\n'])
      const missing = await fixture.clew('archive', 'run', '--root', fixture.path('missing'))
      expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('error missing-root')])
      for (const path of [join(fixture.own, 'archive'), join(fixture.own, 'archive', 'manifest')]) {
        const own = await fixture.clew('archive', 'run', '--root', path)
        expect([own.code, own.stderr]).toEqual([2, `clew: ${path} is the archive itself; nothing of it is taken in\n`])
      }
      expect(lines(await fixture.clew('archive', '--json'))[0]).toMatchObject({ sessions: 18, files: 48 })
    }))

  it.concurrent('does not follow links out of the home', () =>
    withFixture(async fixture => {
      fixture.copy()
      writeFileSync(fixture.path('secret.jsonl'), '{"secret":true}\n')
      symlinkSync(fixture.path('secret.jsonl'), fixture.log('00000000-0000-4000-8000-000000000000'))
      const { code, stderr, stdout } = await fixture.clew('archive', 'run')
      expect([code, stdout]).toEqual([0, expect.stringContaining('48 new')])
      expect(stderr).toContain('warning link-out-of-home')
      expect(stderr).toContain(`--root ${fixture.path('secret.jsonl')}`)
    }))

  it.concurrent('says with --quiet too why it ends with 1, as a refresh of the index does', { tags: 'linux' }, () =>
    withFixture(async fixture => {
      fixture.copy()
      const log = Buffer.from(fixture.log('00000000-0000-4000-8000-000000000000'))
      writeFileSync(Buffer.concat([log.subarray(0, -8), Buffer.from([0xff]), log.subarray(-8)]), '{}\n')
      for (const command of [
        ['archive', 'run', '-q'],
        ['index', 'refresh', '-q'],
      ]) {
        const { code, stdout, stderr } = await fixture.clew(...command)
        expect([code, stdout]).toEqual([1, ''])
        expect(stderr).toMatch(/^warning unreadable-file .*its name is not UTF-8.*\n$/)
      }
    }),
  )

  it.concurrent('says what may not be read, and ends with 1', { tags: 'user' }, () =>
    withFixture(async fixture => {
      chmodSync(fixture.copy().home, 0)
      const { code, stderr } = await fixture.clew('archive', 'run')
      const status = await fixture.clew('archive')
      chmodSync(fixture.home, 0o700)
      expect([code, stderr]).toEqual([1, expect.stringContaining('warning unreadable-file')])
      expect(status.stdout).toMatch(/^pending +unknown: not everything may be looked at$/m)
    }),
  )
})

describe('clew archive status', () => {
  it.concurrent('lists what Claude Code deletes next, what is not archived first', () =>
    withFixture(async fixture => {
      await fixture.copy().clew('archive', 'run')
      fixture.age(28)
      const { expiring } = lines(await fixture.clew('archive', '--json'))[0] as { expiring: { archived: boolean }[] }
      expect(expiring.filter(({ archived }) => archived)).toEqual([])
      await fixture.clew('archive', 'run')
      const at = new Date(Date.now() - 40 * 86_400_000)
      utimesSync(fixture.log(sampleIds.prices), at, at)
      const { stdout } = await fixture.clew('archive')
      expect(stdout).toMatch(/^deletion +Claude Code deletes 17 sessions within a week: 1 not archived$/m)
      expect(stdout).toMatch(
        /^ +9a1f4da4 {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}any time now {2}not archived\n.* {2}archived$/m,
      )
      expect(stdout).toMatch(/^ +and 9 more$/m)
    }))

  it.concurrent('names rules and modes', () =>
    withFixture(async fixture => {
      await fixture.copy().clew('archive', 'run')
      await fixture.clew('forget', sampleIds.prices, '--yes')
      await fixture.clew('config', 'set', 'exclude', '/home/mira/hexwind')
      await fixture.clew('config', 'set', 'archive', 'off')
      appendFileSync(fixture.log(sampleIds.hours), '{}\n')
      writeFileSync(
        join(fixture.home, 'projects', '-home-mira-hexwind', 'aaaaaaaa-0000-4000-8000-000000000001.jsonl'),
        excluded,
      )
      const { stdout } = await fixture.clew('archive')
      expect(stdout).toMatch(/^mode +off: nothing is archived any more; what is archived stays$/m)
      expect(stdout).toMatch(/^pending .*1 grown; clew config set archive manual allows it$/m)
      expect(stdout).toMatch(/^left out +\d+ files: .*of forgotten sessions/m)
    }))

  it.concurrent('fits narrow and wide terminals', () =>
    withFixture(async fixture => {
      const folder = fixture.copy().path('')
      fixture.age(29)
      await fixture.clew('archive', 'run')
      for (const columns of [40, 72, 200]) {
        for (const args of [['archive'], ['archive', 'prune', '--older-than', '3', '--dry-run']]) {
          const { stdout } = await fixture.with({ COLUMNS: String(columns) }, ...args)
          const long = stdout.split('\n').filter(line => columnsOf(line) > columns && !line.includes(folder))
          // Sentences are left to the terminal.
          expect(long.filter(line => !/^(\d+ sessions|nothing was)/.test(line))).toEqual([])
        }
      }
    }))
})

const excluded = `${JSON.stringify({ type: 'user', sessionId: 'aaaaaaaa-0000-4000-8000-000000000001', cwd: '/home/mira/hexwind' })}\n`

describe('clew archive verify', () => {
  it.concurrent('finds a flipped bit and says who suffers', () =>
    withFixture(async fixture => {
      await fixture.copy().clew('archive', 'run')
      const intact = await fixture.leavingHome(() => fixture.clew('archive', 'verify'))
      expect([intact.code, intact.stdout]).toEqual([
        0,
        expect.stringMatching(/^every byte is as it was written: 1 segment/),
      ])
      flip(fixture)
      const damaged = await fixture.clew('archive', 'verify')
      expect(damaged.code).toBe(1)
      expect(damaged.stdout).toMatch(/session [0-9a-f-]{36}: .*\.jsonl, generation 1, bytes \d+ to \d+/)
      expect(damaged.stdout).toMatch(/^damaged: 1 segment, 1 pack, 48 frames, 48 generations looked at$/m)
      const quick = await fixture.clew('archive', 'verify', '--quick')
      expect([quick.code, quick.stdout]).toEqual([0, expect.stringContaining('what is stored was not read')])
      expect(lines(await fixture.clew('archive', 'verify', '--json'))[0]).toMatchObject({
        quick: false,
        isIntact: false,
      })
    }))
})

function flip(fixture: Fixture): void {
  const packs = join(fixture.own, 'archive', 'packs')
  const pack = join(packs, readdirSync(packs)[0] ?? '')
  const bytes = readFileSync(pack)
  bytes[2000] = (bytes[2000] ?? 0) ^ 1
  writeFileSync(pack, bytes)
}

describe('clew archive prune', () => {
  it.concurrent('says what would go, and removes it only when told to', () =>
    withFixture(async fixture => {
      await fixture.copy().clew('archive', 'run')
      rmSync(fixture.log(sampleIds.prices))
      for (const flags of [[], ['--dry-run']]) {
        const { code, stdout } = await fixture.leavingHome(() => fixture.clew('archive', 'prune', '--gone', ...flags))
        expect(code).toBe(0)
        expect(stdout).toMatch(/^9a1f4da4 .* no$/m)
        expect(stdout).toMatch(
          /^1 session, 2 files, 2 generations, 18 kB: frees about .*\nnothing was removed; --apply/m,
        )
      }
      expect(lines(await fixture.clew('archive', 'prune', '--gone', '--json'))[0]).toMatchObject({ done: false })
      const done = await fixture.leavingHome(() => fixture.clew('archive', 'prune', '--gone', '--apply'))
      expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('removed 2 generations; the archive is ')])
      expect(await fixture.clew('archive', 'prune', '--gone', '--apply')).toMatchObject({
        code: 1,
        stdout: 'nothing fits this rule\n',
      })
      expect((await fixture.clew('archive', 'verify')).code).toBe(0)
    }))

  it.concurrent('says of what is still on disk that it will be archived again', () =>
    withFixture(async fixture => {
      await fixture.copy().clew('archive', 'run')
      const { stdout } = await fixture.clew('archive', 'prune', '--project', '/home/mira/bakery')
      expect(stdout).toContain('5 sessions are still on disk: the next run archives them again')
      expect((await fixture.clew('archive', 'prune', '--project', '-home-mira-bakery')).stdout).toContain(
        '5 sessions, ',
      )
      expect(await fixture.clew('archive', 'prune', '--project', 'bakery')).toMatchObject({ code: 1 })
    }))

  it.concurrent('leaves the last generations', () =>
    withFixture(async fixture => {
      await fixture.copy().clew('archive', 'run')
      writeFileSync(fixture.log(sampleIds.prices), '{"type":"user"}\n')
      await fixture.clew('archive', 'run')
      expect((await fixture.clew('show', `${sampleIds.prices}@1`)).code).toBe(0)
      const { code, stdout } = await fixture.clew('archive', 'prune', '--generations', '1', '--apply', '--yes')
      expect([code, stdout]).toEqual([0, expect.stringContaining('removed 1 generation;')])
      expect(lines(await fixture.clew('archive', '--json'))[0]).toMatchObject({
        generations: 48,
        earlierGenerations: 0,
      })
    }))
})

// `clew forget` as people type it: what goes, what it says remains, and that no one is erased by mistake.

import { appendFileSync, copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { unpackAll } from '../archive/unpack-all.ts'
import { sampleIds } from '../home.ts'
import { expectHarmless, type Fixture, withFixture } from './archive-fixture.ts'
import { lines, mainFile } from './run.ts'
import { Terminal } from './terminal.ts'

function withArchive(work: (fixture: Fixture) => void | Promise<void>): Promise<void> {
  return withFixture(async fixture => {
    await fixture.copy().clew('archive', 'run')
    return work(fixture)
  })
}

/** All content of the packs, the manifest and the list of seen files. */
function everything(fixture: Fixture): string {
  const folder = join(fixture.own, 'archive')
  const packs = readdirSync(join(folder, 'packs')).map(name =>
    unpackAll(name, readFileSync(join(folder, 'packs', name))),
  )
  const manifest = readdirSync(join(folder, 'manifest')).map(name => readFileSync(join(folder, 'manifest', name)))
  return Buffer.concat([...packs, ...manifest, readFileSync(join(folder, 'seen.tsv'))]).toString('utf8')
}

async function archivedSessions(fixture: Fixture): Promise<unknown> {
  return lines(await fixture.clew('archive', '--json'))[0]?.['sessions']
}

describe('clew forget', () => {
  it.concurrent('says what would go and what remains, and does nothing without a yes', () =>
    withArchive(async fixture => {
      const dry = await fixture.leavingHome(() => fixture.clew('forget', '9a1f', '--dry-run'))
      expect(dry).toMatchObject({ code: 0, stderr: '' })
      expect(dry.stdout.split('\n').slice(0, 4)).toEqual([
        sampleIds.prices,
        '  Prices in cents, not floats',
        'to be erased from the archive: 2 files, 18 kB',
        'what remains:',
      ])
      expect(dry.stdout).toContain('  on disk, not touched: 2 files of Claude Code\n')
      expect(dry.stdout).toContain(`    ${fixture.log(sampleIds.prices)}\n`)
      expect(dry.stdout).toMatch(/\nnothing was erased\n$/)
      const unasked = await fixture.clew('forget', '9a1f')
      expect([unasked.code, unasked.stderr]).toEqual([1, 'clew: not a terminal; pass --yes to confirm\n'])
      expect(lines(await fixture.clew('forget', '9a1f', '--json'))[0]).toMatchObject({
        session: sampleIds.prices,
        done: false,
      })
      expect(await archivedSessions(fixture)).toBe(18)
    }))

  it.concurrent('erases what a killed one left, when it is run again', () =>
    withArchive(async fixture => {
      const packs = join(fixture.own, 'archive', 'packs')
      const before = readdirSync(packs).map(name => ({
        path: join(packs, name),
        bytes: readFileSync(join(packs, name)),
      }))
      await fixture.clew('forget', '9a1f', '--yes')
      const after = readdirSync(packs)
      // Killed before the old packs were removed.
      for (const { path, bytes } of before) writeFileSync(path, bytes)
      expect(readdirSync(packs).length).toBeGreaterThan(after.length)
      const again = await fixture.clew('forget', sampleIds.prices, '--yes')
      expect([again.code, again.stderr]).toEqual([0, ''])
      expect(again.stdout).toContain('to be erased: what a stopped command left in the archive')
      expect(readdirSync(packs)).toEqual(after)
      expect((await fixture.clew('forget', sampleIds.prices, '--yes')).stdout).not.toContain('to be erased')
    }))

  it.concurrent('erases from the index what was never archived and is deleted by now', () =>
    withFixture(async fixture => {
      fixture.copy()
      await fixture.clew('config', 'set', 'archive', 'off')
      await fixture.clew('index', 'refresh')
      const index = () =>
        readdirSync(join(fixture.own, 'index'))
          .map(name => readFileSync(join(fixture.own, 'index', name), 'latin1'))
          .join('')
      expect(index()).toContain(sampleIds.prices)
      rmSync(fixture.log(sampleIds.prices))
      rmSync(join(fixture.log(sampleIds.prices), '..', sampleIds.prices), { recursive: true, force: true })
      for (const times of [1, 2]) {
        expect((await fixture.clew('forget', sampleIds.prices, '--yes')).code, `${times}`).toBe(0)
        expect(index()).not.toContain('Prices in cents')
      }
    }))

  it.concurrent('erases every byte of it, keeps it out, and lets it in again', () =>
    withArchive(async fixture => {
      expect(everything(fixture)).toContain(sampleIds.prices)
      const { code, stdout } = await fixture.leavingHome(() => fixture.clew('forget', '9a1f', '--yes'))
      expect([code, stdout]).toEqual([
        0,
        expect.stringContaining(`${sampleIds.prices} is erased: 2 generations, 18 kB; it stays out`),
      ])
      const left = everything(fixture)
      expect(left).not.toContain('"uuid":"9a1f')
      expect(left.split(sampleIds.prices)).toHaveLength(2)
      expect((await fixture.clew('archive', 'verify')).code).toBe(0)
      expect((await fixture.clew('archive', 'run')).stdout).toBe(
        'nothing new; 46 files looked at; 2 files left out by rule\n',
      )
      expect(await fixture.clew('forget', '--list')).toEqual({ code: 0, stdout: `${sampleIds.prices}\n`, stderr: '' })
      expect(lines(await fixture.clew('forget', '--list', '--json'))).toEqual([{ forgotten: [sampleIds.prices] }])
      expect((await fixture.clew('forget', '--undo', '9a1f')).stdout).toBe(
        `${sampleIds.prices} is archived again from the next run on\n`,
      )
      expect((await fixture.clew('archive', 'run')).stdout).toContain('2 new')
    }))

  it.concurrent('marks a session that was never archived, and says when it is marked already', () =>
    withFixture(async fixture => {
      fixture.copy()
      const first = await fixture.clew('forget', sampleIds.prices, '--yes')
      expect([first.code, first.stdout]).toEqual([
        0,
        expect.stringContaining('nothing of it was archived; it is excluded from now on'),
      ])
      const second = await fixture.clew('forget', sampleIds.prices)
      expect([second.code, second.stderr]).toEqual([0, ''])
      expect(second.stdout).toContain('forgotten already: nothing of it is archived')
      expect((await fixture.clew('archive', 'run')).stdout).toContain('46 new; 2 files left out by rule')
    }))

  it.concurrent('takes ids before titles, and with --yes no part of a title', () =>
    withArchive(async fixture => {
      const guess = await fixture.clew('forget', 'in cents', '--yes')
      expect([guess.code, guess.stdout]).toEqual([2, ''])
      expect(guess.stderr).toContain(
        `is a part of the title of ${sampleIds.prices}; --yes needs its id or its whole title`,
      )
      expect((await fixture.clew('forget', 'in cents', '--dry-run')).stdout).toContain(sampleIds.prices)
      expect((await fixture.clew('forget', '9a1', '--yes')).code).toBe(0)
      // It is on disk still: the prefix means it, and no one whose title has a 9.
      expect((await fixture.clew('forget', '9', '--dry-run')).stdout).toContain(`${sampleIds.prices}\n`)
      expect((await fixture.clew('forget', 'Which pages show our opening hours?', '--yes')).stdout).toContain(
        `${sampleIds.hours} is erased`,
      )
      const several = await fixture.clew('forget', 'c', '--yes')
      expect([several.code, several.stderr]).toEqual([2, expect.stringContaining('"c" is not unique; it matches\n')])
      expect((await fixture.clew('forget', 'zzz', '--yes')).stderr).toContain('no session "zzz" is archived or on disk')
    }))

  it.concurrent('says who else has what it cannot erase', () =>
    withArchive(async fixture => {
      const copy = 'ffffffff-0000-4000-8000-000000000001'
      copyFileSync(fixture.log(sampleIds.prices), fixture.log(copy))
      await fixture.clew('archive', 'run')
      rmSync(fixture.log(sampleIds.prices))
      const { remains } = lines(await fixture.clew('forget', sampleIds.prices, '--dry-run', '--json'))[0] as {
        remains: object
      }
      expect(remains).toMatchObject({ mentions: [{ path: 'history.jsonl' }] })
      const { stdout } = await fixture.clew('forget', sampleIds.prices, '--dry-run')
      expect(stdout).toMatch(/history\.jsonl \(generation 1\) has 7 lines that may be its, since they name no session/)
    }))

  it.concurrent.each([
    [[], 'which session? Nothing is forgotten without a name'],
    [['a', 'b'], 'quote a title with spaces'],
    [['--undo'], 'missing session; clew forget --list shows forgotten ones'],
    [['--list', '--undo', 'x'], '--list and --undo do not go together'],
    [['--list', 'x'], '--list takes no session'],
    [['--undo', 'x', '--dry-run'], '--undo erases nothing; leave out --dry-run'],
    [['--undo', 'x'], '"x" is not forgotten; clew forget --list shows which are'],
    [['x'], 'no session "x" is archived or on disk; clew ls lists them'],
  ])('refuses %j with a hint', (args, message) =>
    withFixture(async fixture => {
      const { code, stdout, stderr } = await fixture.clew('forget', ...args)
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)])
    }),
  )

  it.concurrent('says that nothing is forgotten', () =>
    withFixture(async fixture => {
      expect(await fixture.clew('forget', '--list')).toEqual({
        code: 1,
        stdout: '',
        stderr: 'clew: no session is forgotten\n',
      })
    }))

  it.concurrent('does not rewrite a damaged manifest unless forced', () =>
    withArchive(async fixture => {
      const manifest = join(fixture.own, 'archive', 'manifest')
      const segment = join(manifest, readdirSync(manifest)[0] ?? '')
      const text = readFileSync(segment, 'utf8').split('\n')
      const at = text.findIndex(line => line.includes(sampleIds.hours))
      text[at] = (text[at] ?? '').replace('"size"', '"sise"')
      writeFileSync(segment, text.join('\n'))
      const refused = await fixture.clew('forget', sampleIds.prices, '--yes')
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringContaining('to continue anyway, pass --even-if-damaged'),
      ])
      expect((await fixture.clew('forget', sampleIds.prices, '--yes', '--even-if-damaged')).code).toBe(0)
    }))

  it.concurrent('prints no name of a home raw', () =>
    withFixture(async fixture => {
      fixture.copy()
      const id = 'abcd\u001b]0;own\u0007'
      const record = {
        type: 'user',
        sessionId: id,
        cwd: '/x\u001b[2J\n',
        message: { role: 'user', content: 'a\u001b[31m' },
      }
      appendFileSync(fixture.log(id), `${JSON.stringify(record)}\n`)
      const commands = [['archive', 'run'], ['archive'], ['ls'], ['archive', 'prune', '--older-than', '0']]
      for (const args of [
        ...commands,
        ['forget', 'abcd', '--dry-run'],
        ['forget', 'abcd', '--yes'],
        ['forget', '--list'],
      ]) {
        const result = await fixture.clew(...args)
        expect([args, result.code]).toEqual([args, 0])
        expectHarmless(result)
      }
      rmSync(fixture.log(id))
      expectHarmless(await fixture.clew('forget', '--undo', 'abcd'))
    }))
})

describe('the question of clew forget', () => {
  it.concurrent('is asked on a terminal after what it is about, and only a yes erases', { tags: 'tmux' }, async () => {
    await withArchive(async fixture => {
      const ask = `"${process.execPath}" "${mainFile}" forget 9a1f; echo "ended $?"`
      const answers: [string[], string][] = [
        [['n', 'Enter'], 'nothing was erased\nended 1'],
        [['C-c'], 'nothing was erased\nended 1'],
        [['y', 'Enter'], 'that others have too\nended 0'],
      ]
      for (const [keys, end] of answers) {
        const terminal = new Terminal(ask, { columns: 200, env: fixture.env })
        try {
          expect(await terminal.until('Erase it? [y/N]')).toMatch(
            /^9a1f4da4[\s\S]*what remains:[\s\S]*\nErase it\? \[y\/N\]/,
          )
          terminal.keys(...keys)
          expect(await terminal.until('ended')).toContain(end)
        } finally {
          terminal.close()
        }
      }
      expect(await archivedSessions(fixture)).toBe(17)
    })
  })
})

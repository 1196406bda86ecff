// `clew archive restore` and `import` as people type them: what comes back, where, and what is left alone.

import { spawn } from 'node:child_process'
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sampleIds } from '../home.ts'
import { contents, type Fixture, picture, withFixture } from './archive-fixture.ts'
import { lines } from './run.ts'

/** The sample history, archived. */
function withArchive(work: (fixture: Fixture) => void | Promise<void>): Promise<void> {
  return withFixture(async fixture => {
    await fixture.copy().clew('archive', 'run')
    return work(fixture)
  })
}

/** A file may look just changed for a minute, and is then taken to be in use. */
function settle(path: string): void {
  const at = new Date(Date.now() - 3_600_000)
  utimesSync(path, at, at)
}

describe('clew archive restore', () => {
  it.concurrent('puts a deleted session back, byte for byte, and touches nothing else', () =>
    withArchive(async fixture => {
      const before = picture(fixture.home)
      const bytes = readFileSync(fixture.log(sampleIds.prices))
      rmSync(fixture.log(sampleIds.prices))
      const started = Date.now()
      const { code, stdout, stderr } = await fixture.clew('archive', 'restore', '9a1f')
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toBe(`restored 1 file, 18 kB, in ${fixture.home}; 1 file is there already\n`)
      expect(readFileSync(fixture.log(sampleIds.prices))).toEqual(bytes)
      // Claude Code deletes by this time: a file system may round it down.
      expect(statSync(fixture.log(sampleIds.prices)).mtimeMs).toBeGreaterThan(started - 2_000)
      const after = picture(fixture.home)
      const changed = Object.keys(after).filter(path => after[path] !== before[path])
      expect(changed.filter(path => path.endsWith('.jsonl'))).toEqual([expect.stringContaining(sampleIds.prices)])
      expect(changed.length).toBeLessThanOrEqual(2)
      expect(await fixture.clew('archive', 'restore', '9a1f')).toMatchObject({
        code: 0,
        stdout: 'nothing was restored; 2 files are there already\n',
      })
    }))

  it.concurrent('gives files their old times when asked to', () =>
    withArchive(async fixture => {
      const { mtimeMs } = statSync(fixture.log(sampleIds.prices))
      rmSync(fixture.log(sampleIds.prices))
      expect((await fixture.clew('archive', 'restore', sampleIds.prices, '--keep-times')).code).toBe(0)
      expect(statSync(fixture.log(sampleIds.prices)).mtimeMs).toBeCloseTo(mtimeMs, -1)
    }))

  it.concurrent('leaves another content alone until told to replace it, and then keeps it first', () =>
    withArchive(async fixture => {
      const bytes = readFileSync(fixture.log(sampleIds.prices))
      writeFileSync(fixture.log(sampleIds.prices), '{"type":"user","sessionId":"other"}\n')
      settle(fixture.log(sampleIds.prices))
      const left = await fixture.leavingHome(() => fixture.clew('archive', 'restore', '9a1f'))
      expect(left.code).toBe(1)
      expect(left.stdout).toContain(
        `different ${fixture.log(sampleIds.prices)}: Another content is there, and was left alone.`,
      )
      expect(left.stdout).toContain('1 file is there with other content (--overwrite replaces it)')
      expect((await fixture.clew('archive', 'restore', '9a1f', '--overwrite')).code).toBe(0)
      expect(readFileSync(fixture.log(sampleIds.prices))).toEqual(bytes)
      expect(lines(await fixture.clew('archive', '--json'))[0]).toMatchObject({ earlierGenerations: 1 })
    }))

  it.concurrent('takes ID@1 and --generation 1 for the same', () =>
    withArchive(async fixture => {
      const bytes = readFileSync(fixture.log(sampleIds.prices))
      truncateSync(fixture.log(sampleIds.prices), 400)
      await fixture.clew('archive', 'run')
      for (const [n, words] of [['9a1f@1'], ['9a1f', '--generation', '1']].entries()) {
        const to = fixture.path(`to-${n}`)
        expect((await fixture.clew('archive', 'restore', ...words, '--to', to)).code).toBe(0)
        expect(readFileSync(join(to, 'projects', '-home-mira-bakery', `${sampleIds.prices}.jsonl`))).toEqual(bytes)
      }
      const none = await fixture.clew('archive', 'restore', '9a1f@7', '--to', fixture.path('none'))
      expect([none.code, none.stdout]).toEqual([
        2,
        expect.stringContaining('No generation 7 was archived of this file.'),
      ])
      for (const words of [
        ['9a1f@1', '33c7'],
        ['9a1f@1', '33c7@2'],
        ['9a1f@1', '--generation', '2'],
      ]) {
        const { code, stderr } = await fixture.clew('archive', 'restore', ...words)
        expect([code, stderr]).toEqual([2, expect.stringContaining('one generation at a time')])
      }
    }))

  it.concurrent('says once for a whole session that Claude Code has it open', () =>
    withArchive(async fixture => {
      const client = spawn('sleep', ['60'])
      try {
        mkdirSync(join(fixture.home, 'sessions'))
        const note = join(fixture.home, 'sessions', `${client.pid}.json`)
        writeFileSync(note, JSON.stringify({ pid: client.pid, sessionId: sampleIds.croissants }))
        rmSync(fixture.log(sampleIds.croissants))
        const refused = await fixture.leavingHome(() => fixture.clew('archive', 'restore', '33c7', '--overwrite'))
        expect(refused).toMatchObject({ code: 1, stderr: '' })
        expect(refused.stdout).toBe(
          `in use session ${sampleIds.croissants}: Claude Code has this session open (process ${client.pid}). (12 files)\n` +
            'nothing was restored; 12 files are in use\n',
        )
        expect((await fixture.clew('archive', 'restore', '33c7', '--to', fixture.path('to'))).code).toBe(0)
      } finally {
        client.kill()
      }
    }))

  it.concurrent('waits with a session that was just written to', () =>
    withArchive(async fixture => {
      writeFileSync(fixture.log(sampleIds.prices), 'just now\n')
      const { code, stdout } = await fixture.leavingHome(() =>
        fixture.clew('archive', 'restore', '9a1f', '--overwrite'),
      )
      expect([code, stdout]).toEqual([1, expect.stringContaining('changed within the last minute')])
    }))

  it.concurrent('brings everything back after the home was lost', () =>
    withArchive(async fixture => {
      const before = contents(fixture.home)
      rmSync(fixture.home, { recursive: true })
      const { code, stdout } = await fixture.clew('archive', 'restore', '--all')
      expect([code, stdout]).toEqual([0, expect.stringContaining('restored 48 files')])
      for (const path of Object.keys(before)) if (/^(settings\.json|README)/.test(path)) delete before[path]
      expect(contents(fixture.home)).toEqual(before)
      expect((await fixture.clew('archive', 'run')).stdout).toBe('nothing new; 48 files looked at\n')
    }))

  it.concurrent('restores below another folder, never into a file or the archive', () =>
    withArchive(async fixture => {
      const to = fixture.path('to')
      const { code, stdout } = await fixture.leavingHome(() => fixture.clew('archive', 'restore', '--all', '--to', to))
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^restored 48 files, \d+ kB, in .*to\n$/)])
      writeFileSync(fixture.path('file'), '')
      const refused: [string, string][] = [
        [fixture.path('file'), 'is a file; --to needs a folder'],
        [' ', '--to needs the name of a folder'],
        [join(fixture.own, 'archive', 'x'), 'lies in the archive itself'],
      ]
      for (const [place, message] of refused) {
        const { code, stdout, stderr } = await fixture.clew('archive', 'restore', '--all', '--to', place)
        expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)])
      }
    }))

  it.concurrent('finds sessions by id, prefix and title, and lists what fits where several do', () =>
    withArchive(async fixture => {
      const to = fixture.path('to')
      expect((await fixture.clew('archive', 'restore', 'in cents', '--to', to)).code).toBe(0)
      expect((await fixture.clew('archive', 'restore', sampleIds.prices, '33c7', '--to', to)).code).toBe(0)
      const several = await fixture.clew('archive', 'restore', 'c', '--to', to)
      expect([several.code, several.stderr]).toEqual([2, expect.stringContaining('"c" is not unique; it matches\n')])
      expect(several.stderr).toMatch(new RegExp(`^ {2}${sampleIds.hours} {2}\\S+`, 'm'))
      const none = await fixture.clew('archive', 'restore', '\u001b[31m')
      expect(none.stderr).toBe('clew: nothing is archived of "\\u{1b}[31m" (of 18 sessions); clew ls lists them\n')
    }))

  it.concurrent('restores all other files where some are damaged', () =>
    withArchive(async fixture => {
      const packs = join(fixture.own, 'archive', 'packs')
      const pack = join(packs, readdirSync(packs)[0] ?? '')
      const bytes = readFileSync(pack)
      bytes[3000] = (bytes[3000] ?? 0) ^ 1
      writeFileSync(pack, bytes)
      const { code, stdout } = await fixture.clew('archive', 'restore', '--all', '--to', fixture.path('to'))
      expect([code, stdout]).toEqual([2, expect.stringMatching(/^failed .*\nrestored 47 files.*; 1 file failed\n$/)])
    }))
})

describe('clew archive import', () => {
  it.concurrent('takes in a copy of another archive, generations and all', () =>
    withArchive(async fixture => {
      truncateSync(fixture.log(sampleIds.prices), 400)
      await fixture.clew('archive', 'run')
      const copy = fixture.path('copy')
      cpSync(join(fixture.own, 'archive'), copy, { recursive: true })
      const other = { CLEW_HOME: fixture.path('other') }
      const taken = await fixture.leavingHome(() => fixture.with(other, 'archive', 'import', copy))
      expect(taken.stdout).toMatch(new RegExp(`^imported 49 generations, .*, as files of ${fixture.home}\n$`))
      expect((await fixture.with(other, 'archive', 'import', copy)).stdout).toBe(
        'nothing new; 49 files were archived already\n',
      )
      expect((await fixture.with(other, 'show', `${sampleIds.prices}@1`)).stdout).toContain('Prices in cents')
    }))

  it.concurrent('takes in a folder, and says whose files it takes them for', () =>
    withArchive(async fixture => {
      const name = join('projects', '-old', 'dddddddd-0000-4000-8000-000000000001.jsonl')
      const backup = fixture.path('backup')
      mkdirSync(join(backup, 'projects', '-old'), { recursive: true })
      copyFileSync(fixture.log(sampleIds.prices), join(backup, name))
      appendFileSync(join(backup, name), '{}\n')
      const folder = await fixture.leavingHome(() => fixture.clew('archive', 'import', backup))
      expect(folder).toMatchObject({ code: 0, stdout: expect.stringContaining(`as files of ${fixture.home}\n`) })
      expect((await fixture.clew('archive', 'import', backup)).stdout).toBe(
        'nothing new; 1 file was archived already\n',
      )
      const other = await fixture.clew('archive', 'import', backup, '--as', fixture.path('else'))
      expect(other.stdout).toContain(`as files of ${fixture.path('else')}\n`)
    }))

  it.concurrent('refuses what is not a backup, and archives of its own', () =>
    withArchive(async fixture => {
      mkdirSync(fixture.path('empty'))
      const empty = await fixture.clew('archive', 'import', fixture.path('empty'))
      expect(empty).toEqual({ code: 1, stdout: 'no session was found in it\n', stderr: '' })
      writeFileSync(fixture.path('no.tar'), 'no tar')
      expect(await fixture.clew('archive', 'import', fixture.path('no.tar'))).toMatchObject({ code: 2, stdout: '' })
      for (const path of [fixture.own, join(fixture.own, 'archive')]) {
        expect(await fixture.clew('archive', 'import', path)).toMatchObject({ code: 2, stdout: '' })
      }
      await fixture.clew('config', 'set', 'archive', 'off')
      const off = await fixture.clew('archive', 'import', fixture.path('empty'))
      expect(off.stderr).toBe('clew: the config says archive off; clew config set archive manual allows it\n')
    }))
})

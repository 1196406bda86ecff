// What `clew archive import` asks and says where a backup names homes that are none of this machine, or is more than it seems.

import { cpSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { capture } from '../../src/archive/capture/capture.ts'
import { generationLine, newGenerationId } from '../../src/archive/format/catalog.ts'
import { appendSegment } from '../../src/archive/format/manifest.ts'
import { Archive } from '../../src/archive/store/archive.ts'
import { sampleIds } from '../home.ts'
import { expectHarmless, type Fixture, withFixture } from './archive-fixture.ts'
import { mainFile } from './run.ts'
import { Terminal } from './terminal.ts'

/** A copy of the archive of another machine with the sample history, and this machine with a home of its own and no archive. */
async function foreignCopy(fixture: Fixture): Promise<string> {
  fixture.copy()
  const source = join(fixture.folder, 'source')
  const archive = new Archive(join(source, 'archive'))
  cpSync(fixture.home, foreignHome(fixture), { recursive: true })
  await capture(archive, { roots: [foreignHome(fixture)] })
  rmSync(foreignHome(fixture), { recursive: true })
  return source
}

const foreignHome = (fixture: Fixture) => join(fixture.folder, 'else', '.claude')

/** One session and no archive, with a log that is longer than what it takes on the disk. */
function backupWithHole(fixture: Fixture): string {
  const folder = fixture.path('holes', '.claude', 'projects', '-x')
  mkdirSync(folder, { recursive: true })
  const log = join(folder, `${sampleIds.prices}.jsonl`)
  writeFileSync(log, '')
  truncateSync(log, 80_000_000)
  return fixture.path('holes')
}

describe('clew archive import', () => {
  it.concurrent('takes a home that is none of this machine for nothing until it is told what it is here', () =>
    withFixture(async fixture => {
      const copy = await foreignCopy(fixture)
      const other = { CLEW_HOME: fixture.path('other') }
      const home = foreignHome(fixture)
      const refused = await fixture.with(other, 'archive', 'import', copy)
      expect([refused.code, refused.stdout]).toEqual([2, ''])
      expect(refused.stderr).toBe(
        `clew: the archive has files of the Claude home ${home}, which is none of this machine; --home-map ${home}=HOME says which home here it is\n`,
      )
      expect((await fixture.with(other, 'archive', 'import', copy, '--yes')).code, '--yes is no answer to it').toBe(2)
      const taken = await fixture.with(other, 'archive', 'import', copy, '--home-map', `${home}=${fixture.home}`)
      expect([taken.code, taken.stderr]).toEqual([0, ''])
      expect(taken.stdout).toContain(`as files of ${fixture.home}\n`)
      expect((await fixture.with(other, 'show', sampleIds.prices)).stdout).toContain('Prices in cents')
      const bad = await fixture.with(other, 'archive', 'import', copy, '--home-map', 'x')
      expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('It takes OLD=NEW')])
    }))

  it.concurrent('names a hostile home without letting it onto the terminal', () =>
    withFixture(async fixture => {
      const home = '/home/\u001b[31m\n/.claude'
      const archive = new Archive(fixture.path('evil'))
      await archive.change('plant', async manifest => {
        const facts = { size: 0, modifiedMs: 0, mode: 0o600, archivedMs: 0, closed: 0, frames: [] }
        const generation = { id: newGenerationId(), number: 1, home, path: 'history.jsonl', ...facts }
        appendSegment(archive.ops, archive.layout, manifest, [generationLine(generation, 0, [])])
      })
      const result = await fixture.clew('archive', 'import', fixture.path('evil'))
      expect(result.code).toBe(2)
      expectHarmless(result)
    }))

  it.concurrent('does not take in what is two hundred times as large as it seems, unless it is told to', () =>
    withFixture(async fixture => {
      mkdirSync(fixture.home, { recursive: true })
      const backup = backupWithHole(fixture)
      const refused = await fixture.clew('archive', 'import', backup)
      expect([refused.code, refused.stdout]).toEqual([2, ''])
      expect(refused.stderr).toMatch(
        /more than 200 times what it takes on the disk.*; --yes imports it all the same\n$/,
      )
      expect(readdirSync(join(fixture.own, 'archive', 'packs'))).toEqual([])
      const taken = await fixture.clew('archive', 'import', backup, '--yes')
      expect([taken.code, taken.stdout]).toEqual([0, expect.stringMatching(/^imported 1 generation, 80 MB/)])
    }))
})

describe('clew archive import on a terminal', { tags: 'tmux' }, () => {
  it(
    'asks before it takes a home that is none of this machine, and before it takes too much',
    { timeout: 60_000 },
    () =>
      withFixture(async fixture => {
        const copy = await foreignCopy(fixture)
        const holes = backupWithHole(fixture)
        const env = { ...fixture.env, CLEW_HOME: fixture.path('other') }
        const questions = [
          [copy, 'is none of this machine'],
          [holes, 'more than 200 times what it takes on the disk'],
        ] as const
        const answers = [
          [['n', 'Enter'], 'nothing was imported\nended 1'],
          [['y', 'Enter'], 'ended 0'],
        ] as const
        for (const [backup, question] of questions) {
          for (const [keys, end] of answers) {
            const ask = `"${process.execPath}" "${mainFile}" archive import "${backup}"; echo "ended $?"`
            const terminal = new Terminal(ask, { columns: 400, env })
            try {
              expect(await terminal.until('[y/N]')).toContain(question)
              terminal.keys(...keys)
              expect(await terminal.until('ended')).toContain(end)
            } finally {
              terminal.close()
            }
          }
        }
      }),
  )
})

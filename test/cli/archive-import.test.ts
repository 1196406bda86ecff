// What `clew archive import` asks and says where a backup names homes that are none of this machine, or is more than it seems.

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { endMark, rawEntry, tarBytes } from '../../src/archive/transfer/tar-testing.ts'
import { concatBytes } from '../../src/base/bytes.ts'
import { expectHarmless, type Fixture, ids, withFixture } from './archive-fixture.ts'
import { mainFile } from './run.ts'
import { Terminal } from './terminal.ts'

const foreign = '/home/else/.claude'

/** An export of the sample history by another machine, and this machine with a home of its own and no archive. */
async function foreignTar(fixture: Fixture): Promise<string> {
  fixture.fill()
  const { exportArchive } = await import('../../src/archive/transfer/export.ts')
  const { Archive } = await import('../../src/archive/store/archive.ts')
  await fixture.clew('archive', 'run')
  const parts: Uint8Array[] = []
  await exportArchive(new Archive(join(fixture.own, 'archive')), async bytes => void parts.push(Uint8Array.from(bytes)))
  // The list is the first file of the tar, and its length must stay.
  const text = Buffer.concat(parts).toString('latin1')
  const other = foreign.padEnd(fixture.home.length, 'x')
  const tar = fixture.path('foreign.tar')
  writeFileSync(tar, text.replace(JSON.stringify(fixture.home), JSON.stringify(other)), 'latin1')
  return tar
}

describe('clew archive import', () => {
  it.concurrent('takes a home that is none of this machine for nothing until it is told what it is here', () =>
    withFixture(async fixture => {
      const tar = await foreignTar(fixture)
      const other = { CLEW_HOME: fixture.path('other') }
      const home = foreign.padEnd(fixture.home.length, 'x')
      const refused = await fixture.with(other, 'archive', 'import', tar)
      expect([refused.code, refused.stdout]).toEqual([2, ''])
      expect(refused.stderr).toBe(
        `clew: the export has files of the Claude home ${home}, which is none of this machine; --home-map ${home}=HOME says which home here it is\n`,
      )
      expect((await fixture.with(other, 'archive', 'import', tar, '--yes')).code, '--yes is no answer to it').toBe(2)
      const taken = await fixture.with(other, 'archive', 'import', tar, '--home-map', `${home}=${fixture.home}`)
      expect([taken.code, taken.stderr]).toEqual([0, ''])
      expect(taken.stdout).toContain(`as files of ${fixture.home}\n`)
      expect((await fixture.with(other, 'show', ids.prices)).stdout).toContain('Prices in cents')
      const bad = await fixture.with(other, 'archive', 'import', tar, '--home-map', 'x')
      expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('It takes OLD=NEW')])
    }))

  it.concurrent('names a hostile home without letting it onto the terminal', () =>
    withFixture(async fixture => {
      const list = {
        clew: 'export',
        format: 1,
        homes: ['/home/\u001b[31m\n/.claude'],
        files: [{ home: 0, path: 'history.jsonl', number: 1, size: 1, sha256: 'x', entry: 'home-0/x' }],
      }
      const bytes = Buffer.from(JSON.stringify(list))
      writeFileSync(
        fixture.path('evil.tar'),
        await tarBytes([{ path: 'clew-export/manifest.json', mode: 0o600, modifiedMs: 0, bytes }]),
      )
      const result = await fixture.clew('archive', 'import', fixture.path('evil.tar'))
      expect(result.code).toBe(2)
      expectHarmless(result)
    }))

  it.concurrent('does not unpack what is two hundred times as large as it seems, unless it is told to', () =>
    withFixture(async fixture => {
      mkdirSync(fixture.home, { recursive: true })
      const log = `.claude/projects/-x/${ids.prices}.jsonl`
      writeFileSync(
        fixture.path('b.tgz'),
        gzipSync(concatBytes([rawEntry('0', log, Buffer.alloc(80_000_000)), endMark])),
      )
      const refused = await fixture.clew('archive', 'import', fixture.path('b.tgz'))
      expect([refused.code, refused.stdout]).toEqual([2, ''])
      expect(refused.stderr).toMatch(/more than 200 times its own size.*; --yes imports it all the same\n$/)
      expect(readdirSync(join(fixture.own, 'archive', 'packs'))).toEqual([])
      const taken = await fixture.clew('archive', 'import', fixture.path('b.tgz'), '--yes')
      expect([taken.code, taken.stdout]).toEqual([0, expect.stringMatching(/^imported 1 generation, 80 MB/)])
    }))

  it.concurrent('exits with 1 and the list where something of a tar could not be taken in', () =>
    withFixture(async fixture => {
      const line = `${JSON.stringify({ type: 'user', sessionId: ids.prices, cwd: '/x' })}\n`
      const names = [`.claude/projects/-x/${ids.prices}.jsonl`, `.claude/todos/${'x'.repeat(300)}`]
      const files = names.map(path => ({ path, mode: 0o600, modifiedMs: 0, bytes: Buffer.from(line) }))
      writeFileSync(fixture.path('b.tar'), await tarBytes(files))
      const { code, stdout } = await fixture.clew('archive', 'import', fixture.path('b.tar'))
      expect(code).toBe(1)
      expect(stdout).toMatch(/^skipped \.claude\/todos\/x{300}: no file can be called so here/)
      expect(stdout).toContain('imported 1 generation')
    }))
})

describe('clew archive import on a terminal', { tags: 'tmux' }, () => {
  it(
    'asks before it takes a home that is none of this machine, and before it unpacks too much',
    { timeout: 60_000 },
    () =>
      withFixture(async fixture => {
        const tar = await foreignTar(fixture)
        const log = `.claude/projects/-x/${ids.prices}.jsonl`
        writeFileSync(
          fixture.path('b.tgz'),
          gzipSync(concatBytes([rawEntry('0', log, Buffer.alloc(80_000_000)), endMark])),
        )
        const env = { ...fixture.env, CLEW_HOME: fixture.path('other') }
        const questions = [
          [tar, 'is none of this machine'],
          [fixture.path('b.tgz'), 'more than 200 times its own size'],
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

// `clew forget` where one session has several files, and what it looks at in the end.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { unpackAll } from '../archive/unpack-all.ts'
import { type Fixture, withFixture } from './archive-fixture.ts'
import { lines } from './run.ts'

const id = 'abcdef01-1111-4222-8333-444444444444'

function record(n: number, text: string): string {
  const uuid = `aaaaaaaa-0000-4000-8000-00000000000${n}`
  const message = { role: 'user', content: text }
  const times = { timestamp: '2026-05-01T10:00:00.000Z', version: '2.1.0' }
  return `${JSON.stringify({ type: 'user', uuid, parentUuid: null, sessionId: id, cwd: '/home/mira/boat', ...times, message })}\n`
}

const project = (fixture: Fixture, ...way: string[]) => join(fixture.home, 'projects', '-home-mira-boat', ...way)

/** A session and a copy of its log under another name that went on by itself; each has a subagent and spilled output. */
function fill(fixture: Fixture): void {
  const files = {
    [`${id}.jsonl`]: record(1, 'the quick marmalade of the original'),
    [`${id}/subagents/agent-1.jsonl`]: record(2, 'the tangerine subagent of the original'),
    [`${id}/tool-results/one.txt`]: 'the apricot output of the original',
    'copy.jsonl': record(1, 'the quick marmalade of the original') + record(3, 'the velvet ending of the copy'),
    'copy/subagents/agent-2.jsonl': record(4, 'the linen subagent of the copy'),
    'copy/tool-results/two.txt': 'the cotton output of the copy',
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(project(fixture, name)), { recursive: true })
    writeFileSync(project(fixture, name), text)
  }
}

const original = ['marmalade', 'tangerine', 'apricot']
const copied = ['velvet', 'linen', 'cotton']

function archived(fixture: Fixture): string {
  const folder = join(fixture.own, 'archive', 'packs')
  return readdirSync(folder)
    .map(name => unpackAll(name, readFileSync(join(folder, name))).toString())
    .join('\n')
}

function indexed(fixture: Fixture): string {
  const folder = join(fixture.own, 'index')
  return readdirSync(folder)
    .map(name => readFileSync(join(folder, name)).toString('latin1'))
    .join('\n')
}

describe('clew forget of one of several files', () => {
  it.concurrent('refuses its name, and names the files', () =>
    withFixture(async fixture => {
      fill(fixture)
      await fixture.clew('archive', 'run')
      const { code, stdout, stderr } = await fixture.clew('forget', 'copy', '--yes')
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toBe(
        `clew: "copy" is one of 2 files of session ${id}\n  ${project(fixture, `${id}.jsonl`)}\n  ${project(fixture, 'copy.jsonl')}\nthe id names all of them, a path one alone\n`,
      )
      expect(await fixture.clew('forget', '--list')).toMatchObject({ code: 1, stdout: '' })
    }))

  it.concurrent('erases the copy alone by its path, with its subagents and spilled output, and keeps it out', () =>
    withFixture(async fixture => {
      fill(fixture)
      await fixture.clew('archive', 'run')
      await fixture.clew('index', 'refresh')
      const place = project(fixture, 'copy.jsonl')
      const dry = await fixture.clew('forget', place, '--dry-run')
      expect(dry.stdout).toContain(`only ${place}, one of several files with this id`)
      rmSync(place)
      rmSync(project(fixture, 'copy'), { recursive: true })
      const { code, stdout } = await fixture.clew('forget', place, '--yes')
      expect([code, stdout]).toEqual([0, expect.stringContaining(`${place} is erased: 3 generations`)])
      for (const word of original) expect(archived(fixture)).toContain(word)
      for (const word of copied) {
        expect(archived(fixture)).not.toContain(word)
        expect(indexed(fixture)).not.toContain(word)
      }
      const { stdout: shown } = await fixture.clew('show', id)
      expect(shown).toContain('marmalade')
      expect(shown).not.toContain('velvet')
      expect((await fixture.clew('index', 'verify', '--quiet')).code).toBe(0)
      // It comes back, is left out, and may come back in the end.
      fill(fixture)
      expect((await fixture.clew('archive', 'run')).stdout).toContain('3 files left out by rule')
      expect((await fixture.clew('forget', '--list')).stdout).toBe(`${place}\n`)
      expect((await fixture.clew('forget', '--undo', place)).code).toBe(0)
      await fixture.clew('archive', 'run')
      for (const word of copied) expect(archived(fixture)).toContain(word)
    }))

  it.concurrent('erases the original alone by its path: what has the name of the session belongs to the copy too', () =>
    withFixture(async fixture => {
      fill(fixture)
      writeFileSync(project(fixture, 'copy.jsonl'), record(3, 'the velvet ending of the copy'))
      await fixture.clew('archive', 'run')
      const place = project(fixture, `${id}.jsonl`)
      rmSync(place)
      const { code } = await fixture.clew('forget', place, '--yes')
      expect(code).toBe(0)
      expect(archived(fixture)).not.toContain('marmalade')
      for (const word of ['tangerine', 'apricot', ...copied]) expect(archived(fixture)).toContain(word)
      expect((await fixture.clew('archive', 'run')).stdout).toContain('nothing new')
    }))

  it.concurrent('erases all of them by the id, or by a path where there is one file', () =>
    withFixture(async fixture => {
      fill(fixture)
      await fixture.clew('archive', 'run')
      expect((await fixture.clew('forget', id.slice(0, 8), '--yes')).code).toBe(0)
      for (const word of [...original, ...copied]) expect(archived(fixture)).not.toContain(word)
      await fixture.clew('forget', '--undo', id)
      rmSync(project(fixture, 'copy.jsonl'))
      await fixture.clew('archive', 'run')
      expect((await fixture.clew('forget', project(fixture, `${id}.jsonl`), '--yes')).stdout).toContain(
        `${id} is erased`,
      )
      expect((await fixture.clew('forget', '--list')).stdout).toBe(`${id}\n`)
    }))
})

describe('in the end, clew forget', () => {
  it.concurrent('looks at every file of Clew, and ends with 1 and the place where something is left', () =>
    withFixture(async fixture => {
      fill(fixture)
      await fixture.clew('archive', 'run')
      await fixture.clew('index', 'refresh')
      rmSync(project(fixture), { recursive: true })
      const left = join(fixture.own, 'left.tmp-1-0123abcd')
      writeFileSync(left, `x${'y'.repeat(5_000_000)} the velvet ending of the copy`)
      const { code, stdout } = await fixture.clew('forget', id, '--yes')
      expect([code, stdout]).toEqual([
        1,
        expect.stringMatching(/looked for 7 texts of it in \d+ files .*: something is left/),
      ])
      expect(stdout).toContain(`  ${left}: 1 text\n`)
      rmSync(left)
      await fixture.clew('forget', '--undo', id)
      fill(fixture)
      const again = await fixture.clew('forget', id, '--yes', '--json')
      expect([again.code, lines(again)]).toEqual([
        0,
        [expect.objectContaining({ looked: expect.objectContaining({ found: [] }) })],
      ])
    }))

  it.concurrent('takes what another session says as well for no remains', () =>
    withFixture(async fixture => {
      fill(fixture)
      const other = id.replace('abcdef01', 'bbbbbbbb')
      const text = record(5, 'the velvet ending of the copy').replaceAll(id, other)
      writeFileSync(project(fixture, `${other}.jsonl`), text)
      await fixture.clew('index', 'refresh')
      const { code, stdout } = await fixture.clew('forget', id, '--yes')
      expect([code, stdout]).toEqual([0, expect.stringContaining('nothing is left')])
    }))
})

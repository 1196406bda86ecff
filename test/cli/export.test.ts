// `clew export`: files of many sessions with an index, written again only where something changed, and never over what others
// wrote.

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sampleIds } from '../home.ts'
import { type Fixture, withFixture } from './archive-fixture.ts'

interface Report {
  sessions: number
  written: number
  unchanged: number
  failed: string[]
}

async function exported(fixture: Fixture, ...args: string[]): Promise<Report> {
  const { stdout, stderr } = await fixture.clew('export', '--out', fixture.path('out'), '--json', ...args)
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

const filesIn = (fixture: Fixture) => readdirSync(fixture.path('out', 'sessions')).sort()
const read = (fixture: Fixture, ...path: string[]) => readFileSync(fixture.path('out', ...path), 'utf8')

describe('clew export', () => {
  it.each(['html', 'md', 'json'])('writes the pages of clew show --format %s, and an index that links to all', format =>
    withFixture(async fixture => {
      fixture.copy()
      const report = await fixture.leavingHome(() =>
        fixture.clew('export', '--all', '--format', format, '--out', fixture.path('out')),
      )
      expect([report.code, report.stdout]).toEqual([0, `${fixture.path('out', `index.${format}`)}\n`])
      expect(report.stderr).toMatch(/^clew: exported 18 sessions to .*: 18 files written, /m)
      const index = read(fixture, `index.${format}`)
      const files = filesIn(fixture)
      expect(files).toHaveLength(18)
      for (const file of files) expect(index).toContain(`sessions/${file}`)
      const shown = await fixture.clew('show', sampleIds.croissants, '--format', format)
      expect(read(fixture, 'sessions', `2026-05-18_bakery_${sampleIds.croissants}.${format}`)).toBe(shown.stdout)
    }),
  )

  it('selects by name, project and time, and says so where nothing is selected', () =>
    withFixture(async fixture => {
      fixture.copy()
      expect(await exported(fixture, '--project', 'bakery')).toMatchObject({ sessions: 5, written: 5 })
      expect(await exported(fixture, '--project', 'bakery', '--since', '2026-05-10')).toMatchObject({ sessions: 1 })
      expect(await exported(fixture, 'last', sampleIds.hours)).toMatchObject({ sessions: 2 })
      for (const args of [[], ['--out', fixture.path('out')], ['--all']]) {
        const { code, stderr } = await fixture.clew('export', ...args)
        expect([code, stderr.split('\n').length]).toEqual([2, 2])
      }
      const page = await fixture.clew('export', 'last', '--out', fixture.path('page.html'))
      expect([page.code, page.stderr]).toEqual([2, expect.stringContaining('--out names a folder; to write one file')])
      const none = await fixture.clew('export', '--since', '2030-01-01', '--out', fixture.path('none'))
      expect([none.code, existsSync(fixture.path('none'))]).toEqual([1, false])
    }))

  it('has three levels of detail', () =>
    withFixture(async fixture => {
      fixture.copy()
      const sizes: number[] = []
      for (const detail of ['prompts', 'normal', 'full']) {
        expect(await exported(fixture, sampleIds.croissants, '--detail', detail)).toMatchObject({
          written: 1,
          unchanged: 0,
        })
        const [file = ''] = filesIn(fixture)
        sizes.push(statSync(fixture.path('out', 'sessions', file)).size)
      }
      expect(sizes).toEqual([...sizes].sort((a, b) => a - b))
      await exported(fixture, sampleIds.croissants, '--detail', 'prompts', '--format', 'json')
      const talk = JSON.parse(read(fixture, 'sessions', `2026-05-18_bakery_${sampleIds.croissants}.json`))
      const kinds = talk.messages.map((message: { kind: string }) => message.kind)
      expect(kinds.filter((kind: string) => kind === 'prompt')).toHaveLength(6)
      await exported(fixture, sampleIds.croissants, '--detail', 'full', '--format', 'json')
      const full = JSON.parse(read(fixture, 'sessions', `2026-05-18_bakery_${sampleIds.croissants}.json`))
      expect(full.events.length).toBeGreaterThan(100)
      expect(full).toMatchObject({ id: sampleIds.croissants, turns: expect.any(Array) })
    }))

  it('writes only what changed when it runs again', () =>
    withFixture(async fixture => {
      fixture.copy()
      expect(await exported(fixture, '--all')).toMatchObject({ written: 18, unchanged: 0 })
      appendFileSync(fixture.log(sampleIds.hours), '{"type":"summary","summary":"more"}\n')
      expect(await exported(fixture, '--all')).toMatchObject({ written: 1, unchanged: 17 })
    }))

  it('leaves alone what it did not write', () =>
    withFixture(async fixture => {
      fixture.copy()
      const out = fixture.path('out')
      mkdirSync(out)
      writeFileSync(join(out, 'index.html'), 'mine')
      const refused = await fixture.clew('export', '--all', '--out', out)
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringContaining('is not empty and not an export of clew'),
      ])
      expect(readdirSync(out)).toEqual(['index.html'])
      expect(read(fixture, 'index.html')).toBe('mine')
      expect(await exported(fixture, sampleIds.hours, '--force')).toMatchObject({ sessions: 1 })
      expect(read(fixture, 'index.html')).not.toBe('mine')
    }))

  it('replaces no file and follows no link that came into an export later', () =>
    withFixture(async fixture => {
      fixture.copy()
      await exported(fixture, sampleIds.hours)
      const name = `2026-05-18_bakery_${sampleIds.croissants}.html`
      const other = fixture.path('other.txt')
      writeFileSync(other, 'mine')
      symlinkSync(other, fixture.path('out', 'sessions', name))
      const { code, stderr } = await fixture.clew('export', '--all', '--out', fixture.path('out'))
      expect([code, stderr]).toEqual([2, expect.stringContaining('was not written by clew export')])
      await exported(fixture, sampleIds.croissants, '--force')
      expect(readFileSync(other, 'utf8')).toBe('mine')
    }))

  it('gives every session a name that is one on every system', () =>
    withFixture(async fixture => {
      const line = (id: string, cwd: string) =>
        `${JSON.stringify({ type: 'user', sessionId: id, cwd, uuid: 'u', parentUuid: null, timestamp: '2026-01-01T00:00:00Z', message: { role: 'user', content: 'Hi' } })}\n`
      for (const [name, cwd] of [
        ['con', '/x/..'],
        ['a b:c', '/x/<i>|"'],
        ['a b;c', '/x/<i>|"'],
        ['ü'.repeat(90), '/x/nul'],
      ] as const) {
        mkdirSync(join(fixture.home, 'projects', '-x'), { recursive: true })
        writeFileSync(join(fixture.home, 'projects', '-x', `${name}.jsonl`), line(name, cwd))
      }
      expect(await exported(fixture, '--all')).toMatchObject({ sessions: 4, failed: [] })
      const files = filesIn(fixture)
      expect(new Set(files.map(file => file.toLowerCase())).size).toBe(4)
      for (const file of files) {
        expect(file).toMatch(/^[0-9A-Za-z][\w-]*\.html$/)
        expect(basename(file)).toBe(file)
      }
      expect(read(fixture, 'index.html')).not.toContain('<i>')
    }))
})

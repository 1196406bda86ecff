// `clew forget` of what a session left outside of its own files: archive, index and status line, also when Claude Code has
// deleted the session, and when it was forgotten before.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { unpackAll } from '../archive/unpack-all.ts'
import { sampleIds } from '../home.ts'
import { expectHarmless, type Fixture, withFixture } from './archive-fixture.ts'

const gone = '0dd0dd0d-1111-4222-8333-444444444444'
const paste = '0123456789abcdef'

function prompt(session: string, display: string, isPasted = false): string {
  const pastedContents = isPasted ? { 1: { id: 1, type: 'text', contentHash: paste } } : {}
  return `${JSON.stringify({ display, pastedContents, timestamp: 1_770_000_000_000, project: '/p', sessionId: session })}\n`
}

/** The sample history, and a session that Claude Code has deleted: its prompt and what was pasted into it are there. */
async function withLeftovers(fixture: Fixture): Promise<void> {
  fixture.copy()
  const history = join(fixture.home, 'history.jsonl')
  const before = readFileSync(history, 'utf8')
  mkdirSync(join(fixture.home, 'paste-cache'), { recursive: true })
  writeFileSync(join(fixture.home, 'paste-cache', `${paste}.txt`), 'plovertext pasted\n')
  writeFileSync(history, before + prompt(gone, 'xyzzytyped', true))
  await fixture.clew('archive', 'run')
  // Another content follows, without the line.
  writeFileSync(history, before + prompt(sampleIds.prices, 'another'))
  await fixture.clew('archive', 'run')
}

function packed(fixture: Fixture): string {
  const folder = join(fixture.own, 'archive', 'packs')
  return readdirSync(folder)
    .map(name => unpackAll(name, readFileSync(join(folder, name))).toString())
    .join('\n')
}

describe('clew forget', () => {
  it.concurrent('erases what a deleted session left: prompts of earlier contents, pasted texts, the status line', () =>
    withFixture(async fixture => {
      await withLeftovers(fixture)
      const status = join(fixture.own, 'statusline')
      mkdirSync(status, { recursive: true })
      writeFileSync(join(status, 'x.json'), JSON.stringify({ logs: [{ path: `/x/${gone}.jsonl` }] }))
      expect(packed(fixture)).toMatch(/xyzzytyped[\s\S]*plovertext|plovertext[\s\S]*xyzzytyped/)
      const dry = await fixture.clew('forget', gone.slice(0, 8), '--dry-run')
      expect(dry.stdout).toContain(
        'to be erased as well: 1 line of archived prompt histories, 1 file of the status line',
      )
      expect(dry.stdout).toContain(`paste-cache/${paste}.txt`)
      const { code, stdout } = await fixture.clew('forget', gone, '--yes')
      expect([code, stdout]).toEqual([0, expect.stringContaining(`${gone} is erased`)])
      expect(packed(fixture)).not.toMatch(/xyzzytyped|plovertext/)
      expect(readdirSync(status)).toEqual([])
      expect((await fixture.clew('archive', 'verify')).code).toBe(0)
    }))

  it.concurrent('leaves nothing of it to be found, with an index and without', () =>
    withFixture(async fixture => {
      await withLeftovers(fixture)
      rmSync(join(fixture.home, 'paste-cache'), { recursive: true })
      await fixture.clew('index', 'refresh')
      await fixture.clew('forget', gone, '--yes')
      for (const word of ['xyzzytyped', 'plovertext']) {
        for (const command of ['search', 'grep', 'history']) {
          const { stdout } = await fixture.clew(command, word)
          expect(stdout, `${command} ${word}`).not.toContain(word)
        }
      }
      await fixture.clew('index', 'refresh')
      const index = join(fixture.own, 'index')
      const bytes = readdirSync(index).map(name => readFileSync(join(index, name)).toString('latin1'))
      expect(bytes.join('\n')).not.toMatch(/xyzzytyped|plovertext/)
    }))

  it.concurrent('of the same id a second time says what remains, and erases what became possible', () =>
    withFixture(async fixture => {
      fixture.copy()
      const history = join(fixture.home, 'history.jsonl')
      const before = readFileSync(history, 'utf8')
      mkdirSync(join(fixture.home, 'image-cache', gone), { recursive: true })
      writeFileSync(join(fixture.home, 'image-cache', gone, '1.png'), 'picture')
      writeFileSync(history, before + prompt(gone, 'xyzzytyped'))
      await fixture.clew('archive', 'run')
      const first = await fixture.clew('forget', gone, '--yes')
      expect(first.code).toBe(0)
      expect(first.stdout).toContain(`${history} names it in 1 line`)
      expect(packed(fixture)).toContain('xyzzytyped')
      const second = await fixture.clew('forget', gone)
      expect(second.code).toBe(0)
      expect(second.stdout).toContain('forgotten already')
      expect(second.stdout).toContain(`${join('image-cache', gone)}/1.png`)
      expect(second.stdout).toContain(`${history} names it in 1 line`)
      writeFileSync(history, before)
      await fixture.clew('archive', 'run')
      const third = await fixture.clew('forget', gone, '--yes')
      expect(third.stdout).toContain('1 line of archived prompt histories')
      expect(packed(fixture)).not.toContain('xyzzytyped')
      const none = await fixture.clew('forget', 'ffffffff', '--yes')
      expect([none.code, none.stderr]).toEqual([
        2,
        expect.stringContaining('no session "ffffffff" is archived or on disk'),
      ])
    }))

  it.concurrent('lets no id of a prompt history raw onto the terminal', () =>
    withFixture(async fixture => {
      fixture.copy()
      writeFileSync(join(fixture.home, 'history.jsonl'), prompt('evil\u202e one', 'x') + prompt('evil\u202e two', 'x'))
      expectHarmless(await fixture.clew('forget', 'evil', '--yes'))
      expectHarmless(await fixture.clew('forget', 'evil\u202e one', '--yes'))
    }))
})

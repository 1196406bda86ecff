// `clew archive verify`, `restore` and `salvage` where a part of the manifest is zeros and the files are gone.

import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sampleIds } from '../home.ts'
import { expectHarmless, type Fixture, withFixture } from './archive-fixture.ts'
import { lines } from './run.ts'

/** Two sessions grow, that is archived, its segment becomes zeros, and Claude Code deletes everything. */
async function damaged(fixture: Fixture): Promise<Map<string, Buffer>> {
  fixture.copy()
  await fixture.clew('archive', 'run')
  const grown = [fixture.log(sampleIds.prices), fixture.log(sampleIds.hours)]
  for (const path of grown) {
    const last = readFileSync(path, 'utf8').trimEnd().split('\n').at(-1) ?? ''
    const record = JSON.parse(last) as { sessionId: string }
    const text = {
      type: 'user',
      sessionId: record.sessionId,
      timestamp: '2030-01-01T00:00:00.000Z',
      message: { content: 'more '.repeat(180) },
    }
    appendFileSync(path, `${JSON.stringify(text)}\n`)
  }
  fixture.age(1)
  await fixture.clew('archive', 'run')
  const folder = join(fixture.own, 'archive', 'manifest')
  const segment = join(folder, readdirSync(folder).sort().at(-1) ?? '')
  writeFileSync(segment, Buffer.alloc(readFileSync(segment).length))
  const whole = new Map(grown.map(path => [path, readFileSync(path)]))
  rmSync(fixture.home, { recursive: true })
  return whole
}

describe('a manifest that is zeros in part', () => {
  it.concurrent('is no reason to say that nothing is lost', () =>
    withFixture(async fixture => {
      const whole = await damaged(fixture)
      const { code, stdout } = await fixture.clew('archive', 'verify')
      expect(code).toBe(1)
      expect(stdout).not.toContain('no session lost anything')
      expect(stdout).not.toContain('Nothing needs this pack')
      expect(stdout).toContain('what else is lost is not known\n')
      expect(stdout).toMatch(/the packs still have .*, of 2 files: clew archive salvage DIR puts them together\n/)
      for (const [path, bytes] of whole) expect(stdout).toMatch(new RegExp(`session .*${path}.* to ${bytes.length}: `))
      const quick = await fixture.clew('archive', 'verify', '--quick')
      expect(quick.stdout).toContain('what else is lost is not known\n')
    }))

  it.concurrent('makes restore name what it gives back shortened', () =>
    withFixture(async fixture => {
      const whole = await damaged(fixture)
      const { code, stdout } = await fixture.clew('archive', 'restore', '--all')
      expect(code).toBe(1)
      for (const [path, bytes] of whole) {
        const left = readFileSync(path).length
        expect(left).toBeLessThan(bytes.length)
        expect(stdout).toContain(`shortened ${path}: the manifest has only ${left} of ${bytes.length} bytes of it\n`)
      }
      const one = await fixture.clew('archive', 'restore', sampleIds.prices, '--to', fixture.path('to'))
      expect([one.code, one.stdout.split('shortened').length]).toEqual([1, 2])
    }))

  it.concurrent('does not keep salvage from the bytes, which then can be imported', () =>
    withFixture(async fixture => {
      const whole = await damaged(fixture)
      const to = fixture.path('salvaged')
      const result = await fixture.clew('archive', 'salvage', to)
      expect(result.code).toBe(0)
      expectHarmless(result)
      expect(result.stdout.match(/^whole .*/gm)).toHaveLength(2)
      expect(result.stdout).toContain('  inferred: that these bytes are its: their records name it')
      for (const [path, bytes] of whole)
        expect(readFileSync(join(to, path.slice(fixture.home.length))).equals(bytes), path).toBe(true)
      const again = await fixture.clew('archive', 'salvage', to)
      expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('is not empty')])
      const json = lines(await fixture.clew('archive', 'salvage', fixture.path('second'), '--json'))[0]
      expect(json).toMatchObject({ folder: fixture.path('second'), files: [{ isWhole: true }, { isWhole: true }] })
      expect((await fixture.clew('archive', 'import', to, '--as', fixture.home)).stdout).toContain(
        'imported 2 generations',
      )
    }))

  it.concurrent('is needed: of an intact archive there is nothing to salvage', () =>
    withFixture(async fixture => {
      await fixture.copy().clew('archive', 'run')
      const result = await fixture.clew('archive', 'salvage', fixture.path('salvaged'))
      expect([result.code, result.stdout]).toEqual([1, expect.stringContaining('there is nothing to salvage')])
      expect((await fixture.clew('archive', 'salvage')).code).toBe(2)
    }))
})

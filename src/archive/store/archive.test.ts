import { mkdirSync, readdirSync, rmSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { logBytes, run, sessionA, sessionB, withFixture } from '../../../test/archive/fixture.ts'
import { verifyArchive } from '../maintain/verify.ts'
import { openArchiveView } from '../read/tree.ts'

const first = `projects/-p/${sessionA}.jsonl`
const second = `projects/-p/${sessionB}.jsonl`

describe('an archive whose manifest lost its end', () => {
  it('keeps the packs that only the lost segment named, run after run', async () => {
    await withFixture(async fixture => {
      fixture.write(first, logBytes(1, 5000))
      await run(fixture)
      fixture.write(second, logBytes(2, 5000))
      const { archive } = await run(fixture)
      const packs = readdirSync(archive.layout.packs)
      expect(packs).toHaveLength(2)
      unlinkSync(join(archive.layout.manifest, archive.lastSegment()))
      // Claude Code deleted it too: the pack is all there is of it.
      rmSync(fixture.at(second))
      for (const count of [1, 2, 3]) {
        fixture.write(`projects/-p/${count}.jsonl`, logBytes(10 + count, 100))
        await run(fixture)
        expect(readdirSync(archive.layout.packs)).toEqual(expect.arrayContaining(packs))
      }
      const { findings } = await verifyArchive(fixture.archive())
      expect(findings.map(({ code }) => code)).toContain('broken-chain')
    })
  })

  it('keeps them where nothing else has changed, and where the whole manifest is gone', async () => {
    await withFixture(async fixture => {
      fixture.write(first, logBytes(1, 5000))
      const { archive } = await run(fixture)
      const packs = readdirSync(archive.layout.packs)
      rmSync(archive.layout.manifest, { recursive: true })
      rmSync(fixture.at(first))
      for (let count = 0; count < 3; count++) {
        await run(fixture)
        expect(readdirSync(archive.layout.packs)).toEqual(packs)
      }
    })
  })

  it('removes what a killed run left as before', async () => {
    await withFixture(async fixture => {
      fixture.write(first, logBytes(1, 5000))
      const { archive } = await run(fixture)
      rmSync(archive.layout.manifest, { recursive: true })
      rmSync(archive.layout.seen)
      rmSync(fixture.at(first))
      fixture.write(second, logBytes(2, 100))
      await run(fixture)
      expect(readdirSync(archive.layout.packs)).toHaveLength(1)
      expect(fixture.archive().manifest.damage).toEqual([])
    })
  })
})

describe('an archive with a segment that cannot be read', () => {
  it('is reported as a problem of the archive, and what is on disk is shown', async () => {
    await withFixture(async fixture => {
      fixture.write(first, logBytes(1, 5000))
      const { archive } = await run(fixture)
      mkdirSync(join(archive.layout.manifest, '00000099.jsonl'))
      const problems: string[] = []
      const { tree } = openArchiveView(archive.layout.folder, message => problems.push(message))
      expect(tree.stat(fixture.at(first)).kind).toBe('file')
      expect(problems).toEqual([expect.stringContaining('EISDIR')])
    })
  })
})

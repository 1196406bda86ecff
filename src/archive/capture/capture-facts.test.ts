import { cpSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  currentIn,
  type Fixture,
  logBytes,
  run,
  sessionA,
  sessionB,
  withFixture,
} from '../../../test/archive/fixture.ts'
import { clientHomes, publicHome } from '../../../test/needs.ts'
import { type FileFacts, factsOf } from '../../disk/discover/facts.ts'
import { isLogName } from '../../disk/discover/project.ts'
import { diskTree } from '../../disk/discover/tree.ts'
import type { Archive } from '../store/archive.ts'

/** What a look at the file itself shows. */
async function lookedAt(fixture: Fixture, path: string): Promise<FileFacts | undefined> {
  const found = diskTree.stat(fixture.at(path))
  return found.kind === 'file' ? factsOf({ ...found, path: fixture.at(path) }, diskTree.source) : undefined
}

async function expectFacts(archive: Archive, fixture: Fixture): Promise<number> {
  const logs = [...archive.manifest.catalog.files()].flatMap(([first]) => first?.path ?? []).filter(isLogName)
  for (const path of logs) {
    expect([path, currentIn(archive, fixture, path).facts]).toEqual([path, await lookedAt(fixture, path)])
  }
  return logs.length
}

const line = (record: object) => `${JSON.stringify(record)}\n`
const bulk = (bytes: number) => line({ type: 'bulk', text: 'x'.repeat(bytes) })
const own = { sessionId: sessionA, cwd: '/shop', timestamp: '2026-01-02T03:04:05.000Z', slug: 'calm-plan' }
const other = { ...own, sessionId: sessionB, cwd: '/other', slug: 'late-plan' }
const project = (name: string) => `projects/-shop/${name}.jsonl`

describe('facts that are archived with a log', () => {
  it('are those that a look at its ends, or all of it, would tell', async () => {
    const contents: [string, string][] = [
      [project('empty'), ''],
      [project('short'), line({ ...own, sessionId: 'short' })],
      [project('long'), `${line(own)}${bulk(2_000_000)}${line(other)}`],
      [project(sessionB), `${line(own)}${bulk(200_000)}${line(other)}${bulk(200_000)}`],
      [project('agent-1'), `${line(own)}${bulk(100_000)}${line(other)}`],
      [project('torn'), `${line(own)}{"sessionId":"torn","cwd":"/to`],
      ['history.jsonl', line({ display: 'fix it', timestamp: 1738160130123, project: '/shop' })],
    ]
    for (const options of [{}, { exclude: ['/elsewhere'] }]) {
      await withFixture(async fixture => {
        for (const [path, content] of contents) fixture.write(path, content)
        const { archive } = await run(fixture, options)
        expect(await expectFacts(archive, fixture)).toBe(contents.length)
        expect(currentIn(archive, fixture, project('long')).facts).toMatchObject({ plans: ['calm-plan', 'late-plan'] })
        expect(currentIn(archive, fixture, project(sessionB)).facts).toMatchObject({ session: sessionB, cwd: '/shop' })
      })
    }
  })

  it('are those of what it has grown to', async () => {
    await withFixture(async fixture => {
      fixture.write(project('grown'), `${line(own)}${logBytes(1, 700_000)}`)
      await run(fixture)
      fixture.append(project('grown'), `${bulk(600_000)}${line(other)}`)
      const { archive } = await run(fixture)
      await expectFacts(archive, fixture)
      expect(currentIn(archive, fixture, project('grown')).facts?.plans).toEqual(['calm-plan', 'late-plan'])
    })
  })

  it('are the same for all samples', async () => {
    await withFixture(async fixture => {
      cpSync(resolve('samples/home'), fixture.home, { recursive: true })
      const { archive } = await run(fixture)
      expect(await expectFacts(archive, fixture)).toBeGreaterThan(5)
    })
  })

  it('are the same for every corpus', { tags: ['corpus', 'deep'], timeout: 120_000 }, async () => {
    for (const from of [...clientHomes, publicHome]) {
      await withFixture(async fixture => {
        cpSync(from, fixture.home, { recursive: true })
        const { archive } = await run(fixture)
        await expectFacts(archive, fixture)
      })
    }
  })
})

import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Fixture, recordLine, run, sessionA, sessionB, withFixture } from '../../../test/archive/fixture.ts'
import { capture } from '../capture/capture.ts'
import { archivedHomes } from './sessions.ts'

const folder = `projects/-p/${sessionA}`

function fill(fixture: Fixture): string[] {
  const agent = recordLine(sessionA, '/p')
  const owned: Record<string, string> = {
    [`${folder}.jsonl`]: recordLine(sessionA, '/p').replace('{', '{"slug":"quiet-fog",'),
    [`${folder}/subagents/agent-1.jsonl`]: agent,
    [`${folder}/subagents/agent-1.meta.json`]: '{}',
    [`${folder}/tool-results/o.txt`]: 'o',
    'projects/-p/agent-2.jsonl': agent,
    'projects/-p/agent-2.meta.json': '{}',
    [`todos/${sessionA}-agent-${sessionA}.json`]: '[]',
    [`file-history/${sessionA}/a@v1`]: 'a',
    'plans/quiet-fog.md': '# Plan',
  }
  for (const [path, text] of Object.entries(owned)) fixture.write(path, text)
  fixture.write('history.jsonl', '{"display":"x","project":"/p","timestamp":1}\n')
  fixture.write(`todos/${sessionB}.json`, '[]')
  return Object.keys(owned).sort()
}

describe('archived sessions', () => {
  it('own all their files with all generations, also when everything on disk is gone', async () => {
    await withFixture(async fixture => {
      const owned = fill(fixture)
      await run(fixture)
      fixture.write(`todos/${sessionA}-agent-${sessionA}.json`, '["other"]')
      await run(fixture)
      rmSync(fixture.home, { recursive: true })
      const [home, ...more] = await archivedHomes(fixture.archive())
      expect(more).toEqual([])
      expect(home?.home).toBe(fixture.home)
      const [session] = home?.sessions ?? []
      expect(session).toMatchObject({ id: sessionA, home: fixture.home, slug: '-p' })
      expect([...new Set(session?.generations.map(({ path }) => path))].sort()).toEqual(owned)
      expect(session?.generations).toHaveLength(owned.length + 1)
      expect(session?.generations[0]?.path).toBe(`${folder}.jsonl`)
      expect(home?.others.map(({ path }) => path).sort()).toEqual(['history.jsonl', `todos/${sessionB}.json`])
    })
  })

  it('and the rest together are everything that is archived, each generation once among the rest', async () => {
    await withFixture(async fixture => {
      await capture(fixture.archive(), { roots: [resolve('samples/home')] })
      const archive = fixture.archive()
      const homes = await archivedHomes(archive)
      const owned = homes.flatMap(home => home.sessions.flatMap(session => session.generations))
      const others = homes.flatMap(home => home.others)
      const ids = new Set([...owned, ...others].map(generation => generation.id))
      expect(ids).toEqual(new Set(archive.manifest.catalog.generations.keys()))
      const ownedIds = new Set(owned.map(generation => generation.id))
      expect(others.filter(generation => ownedIds.has(generation.id))).toEqual([])
    })
  })

  it('are none where there is no archive', async () => {
    await withFixture(async fixture => {
      expect(await archivedHomes(fixture.archive())).toEqual([])
    })
  })

  it('of several homes are distinguished', async () => {
    await withFixture(async fixture => {
      fixture.write(`a/.claude/projects/-p/${sessionA}.jsonl`, recordLine(sessionA, '/p'))
      fixture.write(`b/.claude/projects/-p/${sessionA}.jsonl`, recordLine(sessionA, '/p'))
      const roots = ['a', 'b'].map(name => join(fixture.at(name), '.claude'))
      await capture(fixture.archive(), { roots })
      const homes = await archivedHomes(fixture.archive())
      expect(homes.map(home => [home.home, home.sessions.length, home.sessions[0]?.generations.length])).toEqual(
        roots.map(root => [root, 1, 1]),
      )
    })
  })
})

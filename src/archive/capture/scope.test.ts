import { mkdirSync, symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Fixture, sessionA, sessionB, withFixture } from '../../../test/archive/fixture.ts'
import { scopeOf, survey } from './survey.ts'

function archived(root: string): { home: string; paths: string[] } {
  const scope = scopeOf(root)
  const { files } = survey(scope === null ? [] : [scope])
  return { home: scope?.home ?? '', paths: files.map(file => file.path).sort() }
}

const logA = `projects/-p/${sessionA}.jsonl`
const outA = `projects/-p/${sessionA}/tool-results/o.txt`
const agentA = `projects/-p/${sessionA}/subagents/agent-1.jsonl`
const logB = `projects/-p/${sessionB}.jsonl`
const logQ = `projects/-q/${sessionB}.jsonl`

function fill(fixture: Fixture): void {
  for (const path of [logA, outA, agentA, logB, logQ, `todos/${sessionA}.json`, 'history.jsonl'])
    fixture.write(path, path)
}

describe('a root', () => {
  it.each([
    ['the home', '', [agentA, logA, outA, logB, logQ, `todos/${sessionA}.json`, 'history.jsonl']],
    ['its folder of projects', 'projects', [agentA, logA, outA, logB, logQ]],
    ['one project', 'projects/-p', [agentA, logA, outA, logB]],
    ['one session file', logA, [agentA, logA, outA]],
    ['the folder of one session', `projects/-p/${sessionA}`, [agentA, logA, outA]],
    ['the agents of one session', `projects/-p/${sessionA}/subagents`, [agentA]],
    ['an agent file', agentA, [agentA]],
    ['the prompt history', 'history.jsonl', ['history.jsonl']],
  ])('that is %s means that part of the home', async (_name, root, paths) => {
    await withFixture(fixture => {
      fill(fixture)
      expect(archived(fixture.at(root))).toEqual({ home: fixture.home, paths: [...paths].sort() })
    })
  })

  it('that is not there means nothing', async () => {
    await withFixture(fixture => {
      expect(scopeOf(fixture.at('missing'))).toBeNull()
      symlinkSync('nowhere', fixture.at('link'))
      expect(scopeOf(fixture.at('link'))).toBeNull()
    })
  })

  it('that is a folder of loose logs means those and what is called after them', async () => {
    await withFixture(fixture => {
      for (const path of [
        'a.jsonl',
        'a/subagents/agent-1.jsonl',
        'a.meta.json',
        'b.jsonl',
        'b.py',
        'b/src/x.py',
        'c/d.py',
      ]) {
        fixture.write(path, path)
      }
      const paths = ['a.jsonl', 'a.meta.json', 'a/subagents/agent-1.jsonl', 'b.jsonl']
      expect(archived(fixture.home)).toEqual({ home: fixture.home, paths })
      expect(archived(fixture.at('b.jsonl'))).toEqual({ home: fixture.home, paths: ['b.jsonl'] })
      expect(archived(fixture.at('a.jsonl')).paths).toEqual(['a.jsonl', 'a/subagents/agent-1.jsonl'])
    }, 'loose')
  })

  it('that is a folder of project folders with another name means their logs', async () => {
    await withFixture(fixture => {
      for (const path of [`-p/${sessionA}.jsonl`, `-q/${sessionB}.jsonl`, '-q/notes.txt']) fixture.write(path, path)
      expect(archived(fixture.home)).toEqual({
        home: fixture.home,
        paths: [`-p/${sessionA}.jsonl`, `-q/${sessionB}.jsonl`],
      })
    }, 'backup')
  })

  it('that is the folder of a session outside of a home means the session', async () => {
    await withFixture(fixture => {
      for (const path of ['s.jsonl', 's/subagents/agent-1.jsonl', 'other.jsonl']) fixture.write(path, path)
      expect(archived(fixture.at('s')).paths).toEqual(['s.jsonl', 's/subagents/agent-1.jsonl'])
    }, 'loose')
  })

  it('that is a home without projects means what else it has', async () => {
    await withFixture(fixture => {
      for (const path of ['history.jsonl', `todos/${sessionA}.json`, 'plans/fog.md', 'CLAUDE.md'])
        fixture.write(path, path)
      expect(archived(fixture.home).paths).toEqual(['history.jsonl', 'plans/fog.md', `todos/${sessionA}.json`])
    })
  })

  it.each([
    ['.claude', 'p', [], true],
    ['.claude-work', 'p', [], true],
    ['backup', 'p', ['history.jsonl'], true],
    ['backup', 'p', ['file-history'], true],
    ['backup', 'p', [], false],
    ['backup', 'p', ['settings.json'], false],
    ['backup', '-p', ['settings.json'], true],
    ['backup', 'C--p', ['todos'], true],
  ])('called %s with a project %s and %j is surely a home: %s', async (name, project, others, isSure) => {
    await withFixture(fixture => {
      const log = `projects/${project}/${sessionA}.jsonl`
      fixture.write(log, 'x')
      fixture.write(`teams/one/inbox.json`, 'x')
      for (const path of others) mkdirSync(fixture.at(path))
      expect(archived(fixture.home).paths).toEqual(isSure ? [log, 'teams/one/inbox.json'] : [log])
    }, name)
  })

  it('below a folder that is called projects by chance means itself', async () => {
    await withFixture(fixture => {
      fixture.write('projects/app/deep/logs/a.jsonl', 'x')
      expect(archived(fixture.at('projects/app/deep/logs'))).toEqual({
        home: fixture.at('projects/app/deep/logs'),
        paths: ['a.jsonl'],
      })
    }, 'mira')
  })
})

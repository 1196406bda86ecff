import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sessionA, sessionB, sessionC, withFixture } from '../../../test/archive/fixture.ts'
import type { FileFacts } from '../../disk/discover/facts.ts'
import { ExcludeRules, isMainLog } from './rules.ts'

const home = '/home/mira/.claude'
const nothing: ReadonlySet<string> = new Set()

function factsOf(session: string, cwd?: string, plans: string[] = []): FileFacts {
  return { isHistory: false, plans, session, ...(cwd !== undefined && { cwd }) }
}

const log = (slug: string, session: string) => `projects/${slug}/${session}.jsonl`

describe('an excluded working directory', () => {
  it.each([
    ['/srv/secret', true],
    ['/srv/secret/deeper/in', true],
    ['/srv/secret-not', false],
    ['/srv/secretly/in', false],
    ['/srv', false],
    ['/', false],
  ])('leaves out what was done in %s: %s', (cwd, isOut) => {
    const rules = new ExcludeRules(['/srv/secret/'], nothing)
    expect(rules.leavesOut(home, log('-x', sessionA), factsOf(sessionA, cwd))).toBe(isOut)
    // What belongs to the session goes with it.
    for (const path of [
      `projects/-x/${sessionA}/tool-results/out.txt`,
      `projects/-x/${sessionA}/subagents/agent-1.meta.json`,
      `projects/-x/${sessionA}.cast`,
      `todos/${sessionA}-agent-${sessionA}.json`,
      `todos/${sessionA}.json`,
      `tasks/${sessionA}/1.json`,
      `file-history/${sessionA}/0a@v1`,
    ]) {
      expect(rules.leavesOut(home, path, undefined)).toBe(isOut)
    }
    expect(rules.leavesOut(home, `todos/${sessionB}.json`, undefined)).toBe(false)
    expect(rules.leavesOut(home, `file-history/${sessionB}/0a@v1`, undefined)).toBe(false)
  })

  it('of the root leaves out everything that names one', () => {
    const rules = new ExcludeRules(['/'], nothing)
    expect(rules.leavesOut(home, log('-x', sessionA), factsOf(sessionA, '/any/where'))).toBe(true)
  })

  it('takes agent files of its sessions along, wherever the agents worked', () => {
    const rules = new ExcludeRules(['/srv/secret'], nothing)
    expect(rules.leavesOut(home, log('-x', sessionA), factsOf(sessionA, '/srv/secret'))).toBe(true)
    const agent = `projects/-x/${sessionA}/subagents/agent-1.jsonl`
    expect(rules.leavesOut(home, agent, factsOf(sessionA, '/tmp/elsewhere'))).toBe(true)
    expect(rules.leavesOut(home, 'projects/-x/agent-2.jsonl', factsOf(sessionA, '/tmp/elsewhere'))).toBe(true)
    expect(rules.leavesOut(home, 'projects/-x/agent-3.jsonl', factsOf(sessionB, '/tmp/elsewhere'))).toBe(false)
  })

  it('does not take a session along for an agent that worked in it', () => {
    const rules = new ExcludeRules(['/srv/secret'], nothing)
    expect(rules.leavesOut(home, 'projects/-x/agent-1.jsonl', factsOf(sessionA, '/srv/secret'))).toBe(true)
    expect(rules.leavesOut(home, log('-x', sessionA), factsOf(sessionA, '/srv/open'))).toBe(false)
  })

  it('is known by the name of a project folder where no log says where it was', () => {
    const rules = new ExcludeRules(['/srv/secret.app'], nothing)
    expect(rules.leavesOut(home, log('-srv-secret-app', sessionA), factsOf(sessionA))).toBe(true)
    expect(rules.leavesOut(home, 'projects/-srv-secret-app/sessions-index.json', undefined)).toBe(true)
    expect(rules.leavesOut(home, log('-srv-secret-apple', sessionB), factsOf(sessionB))).toBe(false)
  })

  it('is not mixed up with another that has the same folder name', () => {
    const rules = new ExcludeRules(['/srv/secret.app'], nothing)
    expect(rules.leavesOut(home, log('-srv-secret-app', sessionA), factsOf(sessionA, '/srv/secret/app'))).toBe(false)
    expect(rules.leavesOut(home, 'projects/-srv-secret-app/sessions-index.json', undefined)).toBe(false)
  })

  it('takes plans along that its sessions name', () => {
    const rules = new ExcludeRules(['/srv/secret'], nothing)
    rules.leavesOut(home, log('-x', sessionA), factsOf(sessionA, '/srv/secret', ['quiet-fog']))
    rules.leavesOut(home, log('-y', sessionB), factsOf(sessionB, '/srv/open', ['loud-sun']))
    expect(rules.leavesOut(home, 'plans/quiet-fog.md', undefined)).toBe(true)
    expect(rules.leavesOut(home, 'plans/quiet-fog-agent-7.md', undefined)).toBe(true)
    expect(rules.leavesOut(home, 'plans/loud-sun.md', undefined)).toBe(false)
  })

  it('applies to logs outside of a home, too', () => {
    const rules = new ExcludeRules(['/srv/secret'], nothing)
    expect(rules.leavesOut('/backup', `${sessionA}.jsonl`, factsOf(sessionA, '/srv/secret'))).toBe(true)
    expect(rules.leavesOut('/backup', `${sessionA}/tool-results/out.txt`, undefined)).toBe(true)
  })

  it('may be given by a link', async () => {
    await withFixture(fixture => {
      mkdirSync(join(fixture.folder, 'real'))
      symlinkSync(join(fixture.folder, 'real'), join(fixture.folder, 'link'))
      const rules = new ExcludeRules([join(fixture.folder, 'link')], nothing)
      expect(rules.leavesOut(home, log('-x', sessionA), factsOf(sessionA, join(fixture.folder, 'real', 'in')))).toBe(
        true,
      )
      expect(rules.leavesOut(home, log('-y', sessionB), factsOf(sessionB, join(fixture.folder, 'link', 'in')))).toBe(
        true,
      )
    })
  })
})

describe('excluded files', () => {
  it('are left out by their place, folders with all that is in them', () => {
    const rules = new ExcludeRules([`${home}/projects/-x`, `${home}/history.jsonl`], nothing)
    expect(rules.leavesOut(home, log('-x', sessionA), factsOf(sessionA, '/a'))).toBe(true)
    expect(rules.leavesOut(home, log('-xy', sessionB), factsOf(sessionB, '/b'))).toBe(false)
    expect(rules.leavesOut(home, 'history.jsonl', { isHistory: true, plans: [] })).toBe(true)
    expect(rules.leavesOut('/other', 'history.jsonl', { isHistory: true, plans: [] })).toBe(false)
  })
})

describe('a forgotten session', () => {
  it('is left out with all that is called after it, and with its plans', () => {
    const rules = new ExcludeRules([], new Set([sessionA]))
    expect(rules.leavesOut(home, log('-x', sessionA), factsOf(sessionA, '/a', ['quiet-fog']))).toBe(true)
    expect(rules.leavesOut(home, `projects/-x/${sessionA}/subagents/agent-1.jsonl`, factsOf(sessionA))).toBe(true)
    for (const path of [
      `todos/${sessionA}-agent-${sessionA}.json`,
      `tasks/${sessionA}/1.json`,
      `file-history/${sessionA}/0a@v1`,
      'plans/quiet-fog.md',
      `projects/-x/${sessionA}/tool-results/a.txt`,
    ]) {
      expect(rules.leavesOut(home, path, undefined)).toBe(true)
    }
    expect(rules.leavesOut(home, log('-x', sessionB), factsOf(sessionB, '/a'))).toBe(false)
  })

  it('is left out under any file name', () => {
    const rules = new ExcludeRules([], new Set([sessionA]))
    expect(rules.leavesOut(home, log('-x', 'copy'), factsOf(sessionA, '/a'))).toBe(true)
    expect(rules.leavesOut(home, 'projects/-x/agent-1.jsonl', factsOf(sessionA))).toBe(true)
    expect(rules.leavesOut(home, 'projects/-x/copy/tool-results/a.txt', undefined)).toBe(true)
  })

  it('does not take the prompt history of all sessions along', () => {
    const rules = new ExcludeRules([], new Set([sessionC]))
    expect(rules.leavesOut(home, 'history.jsonl', { isHistory: true, plans: [], session: sessionC })).toBe(false)
  })
})

describe('rules', () => {
  it('leave nothing out where there are none', () => {
    const rules = new ExcludeRules([], nothing)
    expect(rules.isEmpty).toBe(true)
    expect(rules.leavesOut(home, log('-x', sessionA), factsOf(sessionA, '/a'))).toBe(false)
  })

  it('tell session files from agent files and other logs', () => {
    const mains = [log('-x', sessionA), 'projects/x.jsonl', 'x.jsonl', 'conversations/p/2026-04-06T18-30-00.jsonl']
    const others = [`projects/-x/${sessionA}/subagents/agent-1.jsonl`, 'projects/-x/agent-1.jsonl', 'todos/a.json']
    expect(mains.filter(isMainLog)).toEqual(mains)
    expect(others.filter(isMainLog)).toEqual([])
  })
})

describe('a forgotten session that is called like something else', () => {
  const forget = (...names: string[]) => new ExcludeRules([], new Set(names))

  it.each(['projects', 'todos', '-x', 'history'])('leaves what others have in place: %s', name => {
    const rules = forget(name)
    expect(rules.leavesOut(home, log('-x', sessionA), factsOf(sessionA))).toBe(false)
    expect(rules.leavesOut(home, `projects/-x/${sessionA}/tool-results/out.txt`, undefined)).toBe(false)
    expect(rules.leavesOut(home, `todos/${sessionA}.json`, undefined)).toBe(false)
    expect(rules.leavesOut(home, 'history.jsonl', { isHistory: true, plans: [] })).toBe(false)
    expect(rules.leavesOut(home, log('-x', name), factsOf(name))).toBe(true)
    expect(rules.leavesOut(home, `projects/-x/${name}/tool-results/out.txt`, undefined)).toBe(true)
    expect(rules.leavesOut(home, `tasks/${name}/1.json`, undefined)).toBe(true)
  })

  it('is known by the first part of its path where there is no home around it', () => {
    expect(forget('demo').leavesOut('/srv/logs', 'demo.jsonl', factsOf('demo'))).toBe(true)
    expect(forget('demo').leavesOut('/srv/logs', 'demo/subagents/agent-1.jsonl', factsOf('other'))).toBe(true)
  })
})

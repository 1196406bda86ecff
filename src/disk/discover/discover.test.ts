import { existsSync } from 'node:fs'
import { readdir, utimes } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lines, TestHome } from '../../../test/home.ts'
import { clientHomes, publicHome } from '../../../test/needs.ts'
import type { Discovery, SessionFiles } from '../../model/source.ts'
import { discover } from './discover.ts'

let folder: TestHome
beforeEach(async () => {
  folder = new TestHome()
})
afterEach(() => folder.remove())

const way = (path: string) => relative(folder.home, path).split(sep).join('/')
const logsOf = (session: SessionFiles | undefined) => session?.logs.map(log => `${log.role} ${way(log.path)}`)
const sideOf = (session: SessionFiles | undefined) => session?.side.map(file => `${file.kind} ${way(file.path)}`)
const session = (found: Discovery, id: string) => found.sessions.find(one => one.id === id)
const ids = (found: Discovery) => found.sessions.map(one => one.id)
const record = (id: string, more: object = {}) => lines({ type: 'user', sessionId: id, ...more })

async function writeHome(): Promise<void> {
  folder.write('projects/-home-a/s1.jsonl', record('s1'))
  folder.write('projects/-home-a/agent-flat.jsonl', record('s1', { agentId: 'flat' }))
  folder.write('projects/-home-a/s1/subagents/agent-a1.jsonl', record('s1'))
  folder.write('projects/-home-a/s1/subagents/agent-a1.meta.json', '{"toolUseId":"toolu_1","spawnDepth":2,"model":5}')
  folder.write('projects/-home-a/s1/subagents/workflows/run1/journal.jsonl', '')
  folder.write('projects/-home-a/s1/subagents/workflows/run1/agent-w1.jsonl', record('s1'))
  folder.write('projects/-home-a/s1/tool-results/toolu_9.txt', 'long output')
  folder.write('projects/-home-a/s1/tool-results/rows.jsonl', '{"sessionId":"not a log"}')
  folder.write('projects/-home-a/s1/workflows/run1.json', '{}')
  folder.write('projects/-home-a/s1/custom-title.json', '{}')
  folder.write('projects/-home-a/s1.jsonl.backup', record('s1'))
  folder.write('projects/-home-a/s1.jsonl.compact.tmp.123', record('s1'))
  folder.write('projects/-home-a/sessions-index.json', '{}')
  folder.write('projects/-home-a/memory/notes.md', '')
  folder.write('projects/-home-b/s2.jsonl', record('s2', { slug: 'calm-plan' }))
  folder.write('conversations/_home_c/2025-01-02.jsonl', record('session_3'))
  folder.write('history.jsonl', lines({ display: 'hi', timestamp: 1 }))
  folder.write('todos/s1.json', '[]')
  folder.write('todos/s2-agent-s2.json', '[]')
  folder.write('todos/gone-agent-gone.json', '[]')
  folder.write('tasks/s2/1.json', '{}')
  folder.write('tasks/a-team/1.json', '{}')
  folder.write('file-history/s1/abc@v1', 'old')
  folder.write('plans/calm-plan.md', '')
  folder.write('plans/calm-plan-agent-7.md', '')
  folder.write('plans/unknown-plan.md', '')
}

describe('a Claude home', () => {
  beforeEach(writeHome)

  it('reads whether the agent SDK archived a session', async () => {
    const stateOf = async (content: string) => {
      folder.write('projects/-home-a/s1/archived.json', content)
      return session(await discover(folder.home), 's1')?.side.flatMap(file => file.claudeArchived ?? [])
    }
    const at = '2026-11-16T16:51:01.709Z'
    expect(await stateOf(JSON.stringify({ archived: true, at, by: 'sdk' }))).toEqual([
      { archived: true, at, by: 'sdk' },
    ])
    expect(await stateOf(JSON.stringify({ archived: false, at }))).toEqual([{ archived: false, at }])
    for (const odd of ['', '[]', '{"archived":true}', '{"archived":"yes","at":"soon"}']) {
      expect(await stateOf(odd)).toEqual([])
    }
  })

  it('gives the sessions of all projects, of both folders that may have them', async () => {
    const found = await discover(folder.home)
    expect(found.root).toBe(folder.home)
    expect(found.sessions.map(one => [one.id, one.slug])).toEqual([
      ['s1', '-home-a'],
      ['s2', '-home-b'],
      ['session_3', '_home_c'],
    ])
    expect(found.histories.map(log => [log.role, way(log.path)])).toEqual([['history', 'history.jsonl']])
    expect(found.strays).toEqual([])
    expect(found.findings).toEqual([])
  })

  it('gives each session its logs, the main file first, and no backups', async () => {
    const found = await discover(folder.home)
    expect(logsOf(session(found, 's1'))).toEqual([
      'session projects/-home-a/s1.jsonl',
      'agent projects/-home-a/agent-flat.jsonl',
      'agent projects/-home-a/s1/subagents/agent-a1.jsonl',
      'agent projects/-home-a/s1/subagents/workflows/run1/agent-w1.jsonl',
      'journal projects/-home-a/s1/subagents/workflows/run1/journal.jsonl',
    ])
  })

  it('records for each log what its name, its folder and its meta file say', async () => {
    const [main, flat, agent, nested] = session(await discover(folder.home), 's1')?.logs ?? []
    expect(main).toMatchObject({ nameSession: 's1', size: record('s1').length })
    expect(flat).toMatchObject({ nameAgent: 'flat' })
    expect(flat).not.toHaveProperty('nameSession')
    expect(agent).toMatchObject({ nameSession: 's1', nameAgent: 'a1', meta: { toolUseId: 'toolu_1', spawnDepth: 2 } })
    expect(agent?.meta).not.toHaveProperty('model')
    expect(nested).toMatchObject({ nameSession: 's1', nameAgent: 'w1' })
    expect(nested).not.toHaveProperty('meta')
  })

  it('gives each session the files that are kept for it elsewhere', async () => {
    const found = await discover(folder.home)
    expect(sideOf(session(found, 's1'))).toEqual([
      'file-history file-history/s1/abc@v1',
      'other projects/-home-a/s1.jsonl.backup',
      'other projects/-home-a/s1.jsonl.compact.tmp.123',
      'title projects/-home-a/s1/custom-title.json',
      'other projects/-home-a/s1/subagents/agent-a1.meta.json',
      'tool-result projects/-home-a/s1/tool-results/rows.jsonl',
      'tool-result projects/-home-a/s1/tool-results/toolu_9.txt',
      'workflow projects/-home-a/s1/workflows/run1.json',
      'todo todos/s1.json',
    ])
    expect(sideOf(session(found, 's2'))).toEqual([
      'plan plans/calm-plan-agent-7.md',
      'plan plans/calm-plan.md',
      'task tasks/s2/1.json',
      'todo todos/s2-agent-s2.json',
    ])
  })

  it('gives the same for its parts, as far as they reach', async () => {
    const whole = await discover(folder.home)
    const projects = await discover(folder.at('projects'))
    expect(ids(projects)).toEqual(['s1', 's2'])
    expect(projects.sessions).toEqual(whole.sessions.slice(0, 2))
    expect((await discover(folder.at('projects/-home-a'))).sessions).toEqual([session(whole, 's1')])
    expect((await discover(folder.at('conversations'))).sessions).toEqual([session(whole, 'session_3')])
    for (const root of ['projects/-home-a/s1', 'projects/-home-a/s1/subagents', 'projects/-home-a/s1.jsonl']) {
      const { sessions, findings } = await discover(folder.at(root))
      expect(sessions.map(one => one.id)).toEqual(['s1'])
      expect(logsOf(sessions[0])).toEqual(logsOf(session(whole, 's1')))
      expect(findings).toEqual([])
    }
  })
})

describe('what Claude Code stores for a session since 2.1.325', () => {
  const id = '443661e2-a738-418d-a0a9-e7f0c36359f4'

  it('is part of the session: the head for a resume is not a log, and a job belongs to the session it names', async () => {
    folder.write(`projects/-home-a/${id}.jsonl`, record(id))
    folder.write(`projects/-home-a/${id}/archived.json`, '{"archived":true}')
    folder.write(`projects/-home-a/${id}/resume-head.jsonl`, record(id))
    folder.write(`projects/-home-a/${id}/sent-prefix.json`, '{}')
    folder.write('jobs/443661e2/state.json', '{}')
    folder.write('jobs/443661e2/timeline.jsonl', '')
    folder.write('jobs/pins.json', '[]')
    folder.write('daemon/roster.json', '{}')
    for (const root of ['', `projects/-home-a/${id}`]) {
      const found = await discover(folder.at(root))
      expect(ids(found)).toEqual([id])
      expect(logsOf(found.sessions[0])).toEqual([`session projects/-home-a/${id}.jsonl`])
      expect(sideOf(found.sessions[0])).toEqual([
        'other jobs/443661e2/state.json',
        'other jobs/443661e2/timeline.jsonl',
        `other projects/-home-a/${id}/archived.json`,
        `other projects/-home-a/${id}/resume-head.jsonl`,
        `other projects/-home-a/${id}/sent-prefix.json`,
      ])
      expect(found.findings).toEqual([])
    }
  })
})

describe('a project folder', () => {
  it('makes one session of files that name the same one, in order of their first times', async () => {
    folder.write('late.jsonl', record('s', { timestamp: '2025-03-01T00:00:00Z' }))
    folder.write('early.jsonl', record('s', { timestamp: '2025-01-01T00:00:00Z' }))
    folder.write('other.jsonl', record('t'))
    const found = await discover(folder.home)
    expect(ids(found).sort()).toEqual(['s', 't'])
    expect(logsOf(session(found, 's'))).toEqual(['session early.jsonl', 'session late.jsonl'])
  })

  it('orders files without times by their last change, and then by name', async () => {
    for (const [name, second] of [
      ['c', 5],
      ['a', 9],
      ['b', 9],
    ] as const) {
      folder.write(`${name}.jsonl`, record('s'))
      await utimes(folder.at(`${name}.jsonl`), second, second)
    }
    expect(logsOf((await discover(folder.home)).sessions[0])).toEqual([
      'session c.jsonl',
      'session a.jsonl',
      'session b.jsonl',
    ])
  })

  it('hangs artifacts on the session of the file that the folder is called after', async () => {
    folder.write('renamed.jsonl', record('real'))
    folder.write('renamed/subagents/agent-1.jsonl', record('whatever'))
    const found = await discover(folder.home)
    expect(logsOf(session(found, 'real'))).toEqual(['session renamed.jsonl', 'agent renamed/subagents/agent-1.jsonl'])
    expect(session(found, 'real')?.logs[1]?.nameSession).toBe('renamed')
    expect(ids(found)).toEqual(['real'])
  })

  it('keeps empty files and files without any id as sessions of their names', async () => {
    folder.write('empty.jsonl', '')
    folder.write('summaries.jsonl', lines({ type: 'summary' }))
    expect(ids(await discover(folder.home))).toEqual(['empty', 'summaries'])
  })

  it('makes a session of agent files whose main file is gone, and strays of those that name none', async () => {
    folder.write('p/agent-1.jsonl', record('gone'))
    folder.write('p/agent-2.jsonl', record('gone'))
    folder.write('p/agent-3.jsonl', lines({ type: 'user' }))
    folder.write('p/lost/subagents/agent-4.jsonl', record('x'))
    folder.write('p/only-output/tool-results/r.txt', '')
    folder.write('p/here.jsonl', record('here'))
    const found = await discover(folder.home)
    expect(ids(found)).toEqual(['here', 'gone', 'lost'])
    expect(logsOf(session(found, 'gone'))).toEqual(['agent p/agent-1.jsonl', 'agent p/agent-2.jsonl'])
    expect(logsOf(session(found, 'lost'))).toEqual(['agent p/lost/subagents/agent-4.jsonl'])
    expect(found.strays.map(log => log.nameAgent)).toEqual(['3'])
  })

  it('finds the session of artifacts that are in another project', async () => {
    folder.write('projects/a-worktree/s/subagents/agent-1.jsonl', record('s'))
    folder.write('projects/b-main/s.jsonl', record('s'))
    const found = await discover(folder.home)
    expect(found.sessions.map(one => [one.id, one.slug, one.logs.length])).toEqual([['s', 'b-main', 2]])
  })

  it('knows an artifacts folder by itself, with nothing next to it', async () => {
    folder.write('p/lost/subagents/agent-4.jsonl', record('x'))
    for (const root of ['p', 'p/lost', 'p/lost/subagents'])
      expect(ids(await discover(folder.at(root)))).toEqual(['lost'])
  })

  it('leaves out what macOS writes next to files on foreign disks', async () => {
    folder.write('p/s.jsonl', record('s'))
    folder.write('p/._s.jsonl', Buffer.from([0, 5, 22, 7]))
    expect(ids(await discover(folder.at('p')))).toEqual(['s'])
  })
})

describe('one file', () => {
  it('is one session whatever its name, and does not take in its neighbours', async () => {
    folder.write('notes.txt', record('s'))
    folder.write('a.jsonl', record('s'))
    folder.write('b.jsonl', record('s'))
    for (const name of ['notes.txt', 'a.jsonl']) {
      const found = await discover(folder.at(name))
      expect(logsOf(found.sessions[0])).toEqual([`session ${name}`])
      expect(found.sessions.map(one => [one.id, one.slug])).toEqual([['s', '']])
      expect(found.findings).toEqual([])
    }
  })

  it('brings the agent files of its session along', async () => {
    folder.write('s.jsonl', record('s'))
    folder.write('agent-1.jsonl', record('s'))
    folder.write('agent-2.jsonl', record('t'))
    folder.write('s/subagents/deep/agent-3.jsonl', record('s'))
    expect(logsOf((await discover(folder.at('s.jsonl'))).sessions[0])).toEqual([
      'session s.jsonl',
      'agent agent-1.jsonl',
      'agent s/subagents/deep/agent-3.jsonl',
    ])
  })

  it('may be an agent file, a journal or a prompt history', async () => {
    folder.write('s/subagents/agent-1.jsonl', lines({ type: 'user' }))
    folder.write('s/subagents/workflows/r/journal.jsonl', lines({ type: 'started' }))
    folder.write('history.jsonl', lines({ display: 'hi' }))
    const agent = await discover(folder.at('s/subagents/agent-1.jsonl'))
    expect(agent.sessions[0]).toMatchObject({ id: 's', logs: [{ role: 'agent', nameAgent: '1', nameSession: 's' }] })
    const journal = await discover(folder.at('s/subagents/workflows/r/journal.jsonl'))
    expect(journal.sessions[0]).toMatchObject({ id: 's', logs: [{ role: 'journal' }] })
    const history = await discover(folder.at('history.jsonl'))
    expect(history.sessions).toEqual([])
    expect(history.histories).toHaveLength(1)
    folder.write('history.jsonl', record('s', { uuid: 'u', display: 'x' }))
    expect(ids(await discover(folder.at('history.jsonl')))).toEqual(['s'])
  })
})

describe('real logs', { tags: 'corpus' }, () => {
  it('are all found, each once, without findings', async () => {
    for (const home of [...clientHomes, publicHome]) {
      const found = await discover(home)
      const files = (await readdir(join(home, 'projects'), { recursive: true })).filter(
        name => name.endsWith('.jsonl') && !name.includes('tool-results'),
      )
      const logs = [...found.sessions.flatMap(one => one.logs), ...found.strays].map(log => log.path)
      expect(logs.sort()).toEqual(files.map(name => join(home, 'projects', name)).sort())
      const mains = files.filter(name => name.split(sep).length === 2 && !name.includes(`${sep}agent-`))
      expect(found.sessions.filter(one => one.logs[0]?.role === 'session')).toHaveLength(mains.length)
      expect(new Set(ids(found)).size).toBe(found.sessions.length)
      expect(found.histories).toHaveLength(existsSync(join(home, 'history.jsonl')) ? 1 : 0)
      expect(found.findings).toEqual([])
    }
  })
})

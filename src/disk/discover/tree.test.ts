import { describe, expect, it } from 'vitest'
import { lines } from '../../../test/home.ts'
import type { SessionFiles } from '../../model/source.ts'
import { windowBytes } from '../read/peek.ts'
import { expectSourceContract, generationAt, MemoryTree } from '../testing.ts'
import { discover } from './discover.ts'
import { factsOf } from './facts.ts'
import { Retention } from './homes.ts'
import { mergeDiscoveries } from './resolve.ts'
import type { FoundFile } from './tree.ts'

// Nothing is there on disk: whatever looked there would find nothing.
const home = '/no-such-disk/home'
const project = `${home}/projects/-p`

const record = (session: string, more: object = {}) => ({
  sessionId: session,
  timestamp: '2026-01-02T03:04:05Z',
  ...more,
})
const bulk = { type: 'bulk', text: 'x'.repeat(windowBytes * 3) }

const byId = (sessions: readonly SessionFiles[], id: string) => sessions.find(session => session.id === id)
const names = (files: readonly { path: string }[] = []) => files.map(file => file.path.slice(home.length + 1))

describe('discovery over a tree that is not on disk', () => {
  const files = {
    [`${home}/history.jsonl`]: lines({ display: 'hello', project: '/p' }),
    [`${project}/s1.jsonl`]: lines(record('s1', { slug: 'brave-fox' })),
    [`${project}/s1.cast`]: 'recording',
    [`${project}/agent-flat.jsonl`]: lines(record('s1')),
    [`${project}/s1/subagents/agent-a1.jsonl`]: lines(record('s1')),
    [`${project}/s1/subagents/agent-a1.meta.json`]: JSON.stringify({ agentType: 'Explore', toolUseId: 'toolu_1' }),
    [`${project}/s1/tool-results/out.txt`]: 'long output',
    [`${project}/renamed.jsonl`]: lines(record('other'), bulk, record('s2'), bulk),
    [`${home}/todos/s1-agent-s1.json`]: '[]',
    [`${home}/plans/brave-fox.md`]: '# Plan',
  }

  it('finds sessions with their agents, artifacts and files of the home, and reads only what the tree gives', async () => {
    const tree = new MemoryTree(files)
    const { sessions, histories, findings } = await discover(home, tree)
    expect(findings).toEqual([])
    expect(names(histories)).toEqual(['history.jsonl'])
    expect(sessions.map(session => session.id).sort()).toEqual(['s1', 's2'])
    const s1 = byId(sessions, 's1')
    expect(names(s1?.logs)).toEqual([
      'projects/-p/s1.jsonl',
      'projects/-p/agent-flat.jsonl',
      'projects/-p/s1/subagents/agent-a1.jsonl',
    ])
    expect(s1?.logs[2]?.meta).toEqual({ agentType: 'Explore', toolUseId: 'toolu_1' })
    expect(names(s1?.side).sort()).toEqual([
      'plans/brave-fox.md',
      'projects/-p/s1.cast',
      'projects/-p/s1/subagents/agent-a1.meta.json',
      'projects/-p/s1/tool-results/out.txt',
      'todos/s1-agent-s1.json',
    ])
    const side = s1?.side.find(file => file.kind === 'tool-result')
    expect(side?.generation).toBe(generationAt(`${project}/s1/tool-results/out.txt`))
  })

  it('finds the same from one file, and says what is missing as on disk', async () => {
    const tree = new MemoryTree(files)
    const whole = byId((await discover(home, tree)).sessions, 's1')
    expect((await discover(`${project}/s1.jsonl`, tree)).sessions[0]?.logs).toEqual(whole?.logs)
    const { findings } = await discover(`${home}/nothing`, tree)
    expect(findings.map(finding => finding.code)).toEqual(['missing-path'])
  })

  it('marks what is only kept', async () => {
    const archived = { content: lines(record('s1')), isArchiveOnly: true } as const
    const spill = { content: 'out', isArchiveOnly: true } as const
    const tree = new MemoryTree({ [`${project}/s1.jsonl`]: archived, [`${project}/s1/tool-results/out.txt`]: spill })
    const [session] = (await discover(home, tree)).sessions
    expect(session?.logs[0]?.isArchiveOnly).toBe(true)
    expect(session?.side[0]?.isArchiveOnly).toBe(true)
    expect(new Retention().deletedOn(session as SessionFiles)).toBeUndefined()
    const [live] = (await discover(home, new MemoryTree(files))).sessions
    expect(live?.logs[0]).not.toHaveProperty('isArchiveOnly')
  })

  it('takes what the tree knows of a file instead of reading it', async () => {
    const known = { session: 's9', firstMs: 5, isHistory: false, plans: ['calm-owl'] }
    const tree = new MemoryTree({
      [`${project}/s1.jsonl`]: { content: lines(record('s1')), known },
      [`${home}/plans/calm-owl.md`]: '# Plan',
    })
    const { sessions } = await discover(home, tree)
    expect(sessions.map(session => session.id)).toEqual(['s9'])
    expect(names(sessions[0]?.side)).toEqual(['plans/calm-owl.md'])
    expect(tree.reads).toEqual([])
  })
})

describe('merging with what is kept', () => {
  const before = lines(record('s', { n: 1 }))
  const merged = async (archived: string, live: string) => {
    const tree = new MemoryTree({
      [`${home}/projects/-a/s.jsonl`]: { content: archived, isArchiveOnly: true, modifiedMs: 9 },
      [`${home}/projects/-b/s.jsonl`]: { content: live, modifiedMs: 1 },
    })
    const [session] = mergeDiscoveries([await discover(home, tree)], tree.source)
    return { logs: names(session?.logs), twins: names(session?.twins) }
  }

  it('takes an archived beginning of a live file, or all of it, for a twin', async () => {
    const twin = { logs: ['projects/-b/s.jsonl'], twins: ['projects/-a/s.jsonl'] }
    expect(await merged(before, before + lines(record('s', { n: 2 })))).toEqual(twin)
    expect(await merged(before, before)).toEqual(twin)
  })

  it('takes what was archived at a former place for a twin, whatever it held: it was moved', async () => {
    const own = before + lines(record('s', { here: 1 }))
    const other = before + lines(record('s', { there: 'longer' }))
    expect((await merged(own, other)).logs).toEqual(['projects/-b/s.jsonl'])
    expect((await merged(other, own)).logs).toEqual(['projects/-b/s.jsonl'])
  })
})

describe('facts of a file', () => {
  async function facts(name: string, content: string) {
    const path = `${project}/${name}`
    const tree = new MemoryTree({ [path]: content })
    return factsOf({ path, ...tree.stat(path) } as FoundFile, tree.source)
  }

  it('are what discovery finds by reading: session, begin, plans, and the first working directory', async () => {
    const content = lines(
      record('other', { data: { cwd: '/inner' }, cwd: '/p' }),
      bulk,
      record('mine', { cwd: '/later', slug: 'brave-fox' }),
    )
    expect(await facts('mine.jsonl', content)).toEqual({
      session: 'mine',
      firstMs: Date.parse('2026-01-02T03:04:05Z'),
      isHistory: false,
      plans: ['brave-fox'],
      cwd: '/p',
    })
    expect((await facts('renamed.jsonl', content)).session).toBe('mine')
  })

  it('give back the same discovery when a tree knows them', async () => {
    const files: Record<string, string> = {
      [`${project}/s1.jsonl`]: lines(record('s0'), bulk, record('s1', { slug: 'brave-fox' }), bulk),
      [`${project}/copy.jsonl`]: lines(record('s1')),
      [`${project}/history.jsonl`]: lines({ display: 'hello' }),
      [`${project}/empty.jsonl`]: '',
      [`${project}/agent-x.jsonl`]: lines(record('s1'), bulk, record('s7'), bulk),
      [`${home}/plans/brave-fox.md`]: '# Plan',
    }
    const plain = new MemoryTree(files)
    const known: Record<string, { content: string; known: Awaited<ReturnType<typeof factsOf>> }> = {}
    for (const [path, content] of Object.entries(files)) {
      const found = await factsOf({ path, ...plain.stat(path) } as FoundFile, plain.source)
      expect(JSON.parse(JSON.stringify(found))).toEqual(found)
      known[path] = { content, known: found }
    }
    const knowing = new MemoryTree(known)
    expect(await discover(home, knowing)).toEqual(await discover(home, plain))
    expect(knowing.reads).toEqual([])
  })

  it('are few of an empty file and of one that names nothing', async () => {
    expect(await facts('x.jsonl', '')).toEqual({ isHistory: false, plans: [] })
    expect(await facts('history.jsonl', lines({ display: 'hi' }))).toEqual({ isHistory: true, plans: [] })
    expect(await facts('agent-1.jsonl', 'no json')).toEqual({ isHistory: false, plans: [] })
  })

  it('fail as the source does', async () => {
    const file = { path: `${project}/s.jsonl`, size: 1, modifiedMs: 0, generation: generationAt('/elsewhere') }
    await expect(factsOf(file, new MemoryTree({}).source)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe('the source of a tree in memory', () => {
  it('keeps the contract of sources', async () => {
    const bytes = Uint8Array.from({ length: 200_000 }, (_, i) => (i * 7919) % 251)
    const { source } = new MemoryTree({ '/a': { content: bytes } })
    await expectSourceContract({ source, generation: generationAt('/a'), bytes, missing: generationAt('/b') })
    expect.hasAssertions()
  })
})

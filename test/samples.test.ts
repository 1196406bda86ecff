// The bundled sample home: it is what its sketches give, and it shows every feature that it is meant to show. How the
// features are read is tested next to their code.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { asString } from '../src/base/json.ts'
import { decodeText } from '../src/decode/decode.ts'
import { discover } from '../src/disk/discover/discover.ts'
import { diskSource } from '../src/disk/read/read.ts'
import { digestSession, linkSessions } from '../src/graph/graph.ts'
import { detailFields } from '../src/model/detail.ts'
import type { Block, EventKind, Flag, SessionEvent } from '../src/model/event.ts'
import type { Dialect, LogRecord, RecordStatus } from '../src/model/record.ts'
import type { SessionGraph, ToolCall } from '../src/model/session.ts'
import type { Discovery, LogFile, SideFile } from '../src/model/source.ts'
import { loadSession } from '../src/session/load.ts'

/** Runs the script that writes the samples. */
function samples(...args: string[]) {
  return spawnSync(process.execPath, [path.join(root, 'scripts', 'samples.mjs'), ...args], { encoding: 'utf8' })
}

const root = path.resolve(import.meta.dirname, '..')
const home = path.join(root, 'samples', 'home')

interface Read {
  log: LogFile
  records: LogRecord[]
  events: SessionEvent[]
}

let found: Discovery
let reads: Read[] = []
let graphs: SessionGraph[] = []

beforeAll(async () => {
  found = await discover(home)
  graphs = await Promise.all(found.sessions.map(session => loadSession(diskSource(), session)))
  const logs = found.sessions.flatMap(session => session.logs.map(log => ({ log, session: session.id })))
  const histories = found.histories.map(log => ({ log, session: undefined }))
  reads = [...logs, ...histories].map(({ log, session }) => {
    const text = readFileSync(log.path)
    const agent = log.nameAgent === undefined ? {} : { agent: log.nameAgent }
    const id = session === undefined ? {} : { session }
    return { log, ...decodeText(text, { file: log.path, role: log.role, ...id, ...agent }) }
  })
})

const events = (): SessionEvent[] => reads.flatMap(read => read.events)
const blocks = (): Block[] => events().flatMap(event => event.blocks)
const sides = (): SideFile[] => found.sessions.flatMap(session => session.side)

function where(kind: EventKind, detail: Record<string, unknown> = {}): SessionEvent[] {
  const wanted = Object.entries(detail)
  return events().filter(
    event => event.kind === kind && wanted.every(([key, value]) => detailFields(event)[key] === value),
  )
}

function calls(name: string): Block[] {
  return blocks().filter(block => block.type === 'tool-call' && block.name === name)
}

/** The events of the file in which somebody typed this; of several (forks and resumes copy it), the shortest. */
function sessionOf(prompt: string): SessionEvent[] {
  const matches = reads
    .map(read => read.events)
    .filter(own => own.some(event => event.kind === 'prompt' && JSON.stringify(event.blocks).includes(prompt)))
  return matches.sort((a, b) => a.length - b.length)[0] ?? []
}

const uuidOf = (event: SessionEvent): string | undefined => asString(event.record.value?.['uuid'])
const field = (event: SessionEvent, name: string): unknown => event.record.value?.[name]

describe('the sample home', () => {
  it('is what the sketches give', () => {
    const { status, stderr } = samples('--check')
    expect(stderr).toBe('')
    expect(status).toBe(0)
  })

  it('is distinguished from one that was changed, with the command that mends it', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'clew-samples-'))
    try {
      samples('--home', folder)
      expect(samples('--check', '--home', folder).status).toBe(0)
      writeFileSync(path.join(folder, 'history.jsonl'), 'changed\n')
      const { status, stderr } = samples('--check', '--home', folder)
      expect(status).toBe(1)
      expect(stderr).toContain('differs: history.jsonl')
      expect(stderr).toContain('npm run samples')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('is small and has every kind of file next to the log', () => {
    const kinds = new Set(sides().map(side => side.kind))
    for (const kind of ['tool-result', 'todo', 'task', 'file-history', 'plan'] as const)
      expect(kinds, kind).toContain(kind)
    const paths = [...reads.map(read => read.log.path), ...sides().map(side => side.path)]
    expect(paths.reduce((sum, file) => sum + statSync(file).size, 0)).toBeLessThan(1_000_000)
  })

  it('has sessions of several weeks in five projects', () => {
    expect(found.sessions.length).toBeGreaterThanOrEqual(16)
    expect(found.sessions.length).toBeLessThanOrEqual(22)
    expect(new Set(events().map(event => event.cwd)).size).toBeGreaterThanOrEqual(4)
    const days = new Set(events().map(event => event.at?.slice(0, 10)))
    expect(days.size).toBeGreaterThanOrEqual(15)
    expect(found.findings).toEqual([])
    expect(found.strays).toEqual([])
  })

  it('is written in every dialect', () => {
    const dialects = new Set<Dialect>(reads.flatMap(read => read.records.map(record => record.dialect)))
    expect([...dialects].sort()).toEqual(['client', 'history', 'journal', 's0', 's3', 'unknown'])
  })

  it('has sessions of every era of Claude Code', () => {
    const versions = new Set(events().map(event => event.version))
    for (const version of [
      '1.0.3',
      '1.0.128',
      '2.0.77',
      '2.1.20',
      '2.1.45',
      '2.1.100',
      '2.1.215',
      '2.1.219',
      '9.4.0',
    ]) {
      expect(versions).toContain(version)
    }
  })

  it('shows events of every kind', () => {
    const kinds = new Set(events().map(event => event.kind))
    const all: EventKind[] = [
      ...(['prompt', 'delegation', 'answer', 'tool-results', 'command', 'command-output', 'notification'] as const),
      ...(['interruption', 'api-error', 'compaction', 'compact-summary', 'preserved', 'attachment', 'hook'] as const),
      ...(['notice', 'progress', 'queue', 'snapshot', 'title', 'state', 'link', 'meta', 'history', 'other'] as const),
      'malformed',
    ]
    for (const kind of all) expect(kinds, kind).toContain(kind)
  })

  it('shows flags that the log states', () => {
    const flags = new Set(events().flatMap(event => event.flags))
    const all: Flag[] = [
      'meta',
      'sidechain',
      'deleted',
      'aborted',
      'error',
      'active',
      'synthetic',
      'inferred',
      'transcript-only',
    ]
    for (const flag of all) expect(flags, flag).toContain(flag)
  })

  it('has records of every status that a small file can have', () => {
    const statuses = new Set<RecordStatus>(reads.flatMap(read => read.records.map(record => record.status)))
    for (const status of ['known', 'unknown', 'torn'] as const) expect(statuses).toContain(status)
    expect(reads.flatMap(read => read.records).filter(record => record.part === 2)).toHaveLength(1)
  })
})

describe('the samples of specifications 000 and 003', () => {
  it('lie where the specifications put them', () => {
    const files = reads.map(read => path.relative(home, read.log.path).split(path.sep).join('/'))
    expect(files).toContain('conversations/_home_mira_choir/2026-04-06T18-30-00.jsonl')
    expect(files).toContain('projects/-home-mira-choir/2026-04-13T19-05-00.jsonl')
  })

  it('000 has a fork marked by is_active, a picture, a sidechain that hangs on its call, and a recap', () => {
    const own = sessionOf('harbour festival')
    expect(own.filter(event => field(event, 'is_active') === false).length).toBeGreaterThan(0)
    expect(own.filter(event => event.flags.includes('active')).length).toBeGreaterThan(0)
    expect(own.some(event => event.blocks.some(block => block.type === 'image'))).toBe(true)
    expect(own.some(event => event.kind === 'delegation' && event.parent !== null)).toBe(true)
    expect(own.filter(event => event.kind === 'preserved')).toHaveLength(2)
    expect(own.filter(event => event.kind === 'compact-summary')).toHaveLength(1)
    expect(typeof own[0]?.record.value?.['timestamp']).toBe('number')
  })

  it('003 has paired tool lines, three compaction lines, and an orphan with a logical parent', () => {
    const own = sessionOf('rehearsal plan')
    const ids = new Set(own.map(event => event.id))
    expect(own.filter(event => event.kind === 'compaction').map(event => detailFields(event)['phase'])).toEqual([
      'start',
      'done',
      'restored',
    ])
    expect(own.some(event => event.kind === 'tool-results' && event.flags.includes('inferred'))).toBe(true)
    const orphan = own.find(event => event.parent !== null && !ids.has(event.parent))
    expect(orphan?.logicalParent).toBeDefined()
    expect(own.filter(event => event.flags.includes('deleted')).length).toBe(1)
    expect(own.filter(event => event.flags.includes('aborted')).length).toBe(1)
  })
})

describe('the samples of Claude Code', () => {
  it('1.0.3 states costs and has whole messages, an alternate branch and two summaries at its head', () => {
    const own = sessionOf('Three rolls at 0.35')
    expect(own.slice(0, 2).map(event => detailFields(event)['titleFrom'])).toEqual(['summary', 'summary'])
    expect(own.some(event => event.message?.costUSD !== undefined && event.message.durationMs !== undefined)).toBe(true)
    expect(own.some(event => event.kind === 'answer' && event.blocks.length === 3)).toBe(true)
    expect(own.some(event => event.flags.includes('sidechain') && event.parent !== null)).toBe(true)
  })

  it('a resume of 1.0.3 has new uuids and old message ids, and names a leaf of the other file', () => {
    const old = sessionOf('Three rolls at 0.35')
    const resumed = sessionOf('Does the receipt use the new format')
    const oldIds = new Set(old.flatMap(event => event.message?.id ?? []))
    const oldUuids = new Set(old.map(uuidOf).filter(uuid => uuid !== undefined))
    expect(resumed.some(event => oldIds.has(event.message?.id ?? ''))).toBe(true)
    expect(resumed.some(event => oldUuids.has(uuidOf(event) ?? ''))).toBe(false)
    expect(oldUuids).toContain(detailFields(resumed[0] ?? {})['leaf'])
  })

  it('a fork of 2.1.100 has the same uuids under another session id', () => {
    const original = sessionOf('I want fog of war')
    const fork = sessionOf('Same start, other rule')
    const uuids = new Set(original.map(uuidOf).filter(uuid => uuid !== undefined))
    expect(fork.filter(event => uuids.has(uuidOf(event) ?? '')).length).toBeGreaterThan(10)
    expect(fork[0]?.session).not.toBe(original[0]?.session)
  })

  it('keeps subagents inline, flat, in the session folder, with a .meta.json, and in each other', () => {
    expect(sessionOf('The thermometer on the roof').some(event => event.kind === 'delegation')).toBe(true)
    const agents = found.sessions.flatMap(session => session.logs).filter(log => log.role === 'agent')
    const folders = new Set(agents.map(log => path.basename(path.dirname(log.path))))
    expect(folders).toEqual(new Set(['-home-mira-hexwind', 'subagents']))
    expect(agents.some(log => log.meta?.toolUseId !== undefined)).toBe(true)
    expect(agents.some(log => log.meta?.parentAgentId !== undefined)).toBe(true)
    expect(agents.some(log => log.nameAgent?.startsWith('aprompt_suggestion-'))).toBe(true)
  })

  it('an internal agent replays a message of its parent', () => {
    const internal = reads.find(read => read.log.nameAgent?.startsWith('aprompt_suggestion-'))
    const main = new Set(sessionOf('order croissants the evening before').map(event => event.message?.id))
    expect(internal?.events.some(event => event.message !== undefined && main.has(event.message.id))).toBe(true)
  })

  it('has one session in two files', () => {
    const split = found.sessions.filter(session => session.logs.filter(log => log.role === 'session').length === 2)
    expect(split).toHaveLength(1)
  })

  it('has a session that continues in another, which exists', () => {
    const [link] = where('link', { type: 'continued-in' })
    const ids = found.sessions.map(session => session.id as string)
    expect(ids).toContain(detailFields(link ?? {})['continuedInSessionId'])
  })

  it('has compactions by hand and by itself, small ones, and ones that preserve messages', () => {
    expect(where('compaction', { trigger: 'manual' }).length).toBeGreaterThan(0)
    expect(where('compaction', { trigger: 'auto' }).length).toBeGreaterThan(1)
    expect(where('compaction', { phase: 'micro' })).toHaveLength(1)
    expect(where('compaction').filter(event => detailFields(event)['preserved'] !== undefined).length).toBeGreaterThan(
      1,
    )
  })

  it('has thinking that is logged, that is not, and that was withheld', () => {
    const thinking = blocks().filter(block => block.type === 'thinking')
    expect(thinking.some(block => block.logged && block.text !== '')).toBe(true)
    expect(thinking.some(block => !block.logged && block.redacted !== true)).toBe(true)
    expect(thinking.some(block => block.redacted === true)).toBe(true)
  })

  it('has calls of every tool that is shown in its own way', () => {
    const names = ['Bash', 'Read', 'Edit', 'MultiEdit', 'Write', 'Grep', 'Glob', 'TodoWrite', 'Task', 'Agent', 'Skill']
    const others = [
      'TaskCreate',
      'TaskUpdate',
      'TaskList',
      'TaskOutput',
      'ExitPlanMode',
      'AskUserQuestion',
      'WebSearch',
    ]
    for (const name of [...names, ...others, 'WebFetch', 'mcp__gamedb__replay']) {
      expect(calls(name).length, name).toBeGreaterThan(0)
    }
  })

  it('has parallel calls whose results come between them', () => {
    const own = sessionOf('order croissants the evening before')
    const kinds = own.flatMap(event => (event.message === undefined ? [event.kind] : [event.message.id]))
    const first = kinds.findIndex(kind => kind.startsWith('msg_'))
    const last = kinds.lastIndexOf(kinds[first] as string)
    expect(kinds.slice(first, last)).toContain('tool-results')
  })

  it('has results that failed, were refused, and lie in a file', () => {
    const results = blocks().filter(block => block.type === 'tool-result')
    expect(results.filter(block => block.isError).length).toBeGreaterThan(3)
    expect(events().some(event => field(event, 'toolDenialKind') === 'user-rejected')).toBe(true)
    const spills = results.filter(block => block.spillFile !== undefined)
    expect(spills.length).toBeGreaterThan(1)
    const kept = sides().filter(side => side.kind === 'tool-result')
    for (const block of spills) {
      expect(
        kept.some(side => block.spillFile?.endsWith(path.basename(side.path))),
        block.spillFile,
      ).toBe(true)
    }
  })

  it('has pictures, a document, and diffs', () => {
    const all = [...blocks(), ...blocks().flatMap(block => (block.type === 'tool-result' ? block.content : []))]
    expect(all.filter(block => block.type === 'image').length).toBeGreaterThan(3)
    expect(all.filter(block => block.type === 'document').length).toBeGreaterThan(0)
    expect(JSON.stringify(events().map(event => field(event, 'toolUseResult') ?? null))).toContain(
      '"structuredPatch":[{',
    )
  })

  it('has errors of the service: retries and an answer that is an error', () => {
    expect(where('api-error', {}).filter(event => event.wireType === 'system').length).toBe(5)
    expect(where('api-error', {}).filter(event => event.wireType === 'assistant').length).toBe(1)
  })

  it('has titles of every sort, state, links and queue lines', () => {
    const sorts = new Set(where('title').map(event => detailFields(event)['titleFrom']))
    expect(sorts).toEqual(new Set(['summary', 'custom', 'ai', 'agent-name']))
    for (const type of ['last-prompt', 'permission-mode', 'mode', 'cost-state']) {
      expect(where('state', { type }).length, type).toBeGreaterThan(0)
    }
    expect(where('link', { type: 'pr-link' })).toHaveLength(1)
    for (const operation of ['enqueue', 'dequeue', 'remove'])
      expect(where('queue', { operation }).length).toBeGreaterThan(0)
    expect(where('queue').some(event => detailFields(event)['task'] !== undefined)).toBe(true)
    expect(where('prompt').some(event => event.wireType === 'attachment')).toBe(true)
  })

  it('has a prompt history with pasted text and a prompt whose session is gone', () => {
    const history = where('history')
    expect(history.some(event => JSON.stringify(field(event, 'pastedContents')).includes('Fresh from'))).toBe(true)
    const ids = new Set(found.sessions.map(session => session.id as string))
    const named = history.map(event => field(event, 'sessionId')).filter(id => typeof id === 'string')
    expect(named.filter(id => !ids.has(id))).toHaveLength(1)
  })

  it('has text in several scripts, and a token that is clearly none', () => {
    const text = JSON.stringify(events().map(event => event.blocks))
    for (const part of ['来週の献立', '谢谢', '🥐', 'sk-ant-EXAMPLE-not-a-real-key']) expect(text).toContain(part)
  })
})

describe('the graphs of the samples', () => {
  const threads = () => graphs.flatMap(graph => graph.threads)
  const toolCalls = (): ToolCall[] => graphs.flatMap(graph => graph.toolCalls)

  it('find nothing odd', () => {
    expect(graphs.flatMap(graph => graph.findings).filter(finding => finding.severity === 'error')).toEqual([])
  })

  it('have calls that ended in every way', () => {
    const statuses = new Set(toolCalls().map(call => call.outcome))
    for (const status of ['done', 'failed', 'interrupted'] as const) expect(statuses).toContain(status)
    expect(statuses.has('missing') || statuses.has('running')).toBe(true)
    expect(toolCalls().filter(call => call.pairing === 'inferred').length).toBeGreaterThan(1)
    expect(toolCalls().filter(call => call.spillFile !== undefined).length).toBeGreaterThan(2)
  })

  it('link every subagent that work was given to, in every way that a log allows', () => {
    const subagents = threads().filter(thread => thread.kind === 'subagent' && thread.isInternal !== true)
    expect(subagents.filter(thread => thread.linkedBy === undefined)).toEqual([])
    const ways = new Set(subagents.map(thread => thread.linkedBy))
    for (const way of ['meta', 'result', 'parent', 'prompt'] as const) expect(ways).toContain(way)
    expect(subagents.filter(thread => thread.async === true).length).toBeGreaterThan(2)
    const ids = new Set(subagents.map(thread => thread.id))
    expect(subagents.filter(thread => thread.parentThread !== undefined && ids.has(thread.parentThread)).length).toBe(2)
    expect(threads().filter(thread => thread.isInternal === true)).toHaveLength(1)
  })

  it('have branches where somebody went back, one of them active', () => {
    const branched = graphs.filter(graph => graph.branches.length > 1)
    expect(branched.length).toBeGreaterThanOrEqual(4)
    for (const graph of branched) expect(graph.branches.filter(branch => branch.isActive)).toHaveLength(1)
  })

  it('have compactions with and without a summary and preserved messages', () => {
    const compactions = graphs.flatMap(graph => graph.compactions)
    expect(compactions.filter(compaction => compaction.summaryEvent !== undefined).length).toBeGreaterThan(3)
    expect(compactions.filter(compaction => (compaction.preservedEvents?.length ?? 0) > 0).length).toBeGreaterThan(2)
    expect(compactions.filter(compaction => compaction.totalMessages === 48)).toHaveLength(1)
  })

  it('are linked to each other as resumes, forks and continuations', () => {
    const links = linkSessions(graphs.map(graph => digestSession(graph)))
    const relations = new Set([...links.values()].flat().map(link => link.relation))
    for (const relation of ['resumed-from', 'forked-from', 'continued-in'] as const)
      expect(relations).toContain(relation)
  })
})

import { describe, expect, it } from 'vitest'
import { decodeText } from '../../decode/decode.ts'
import { buildGraph } from '../../graph/graph.ts'
import { sessionId } from '../../model/ids.ts'
import type { GraphFile, SessionGraph } from '../../model/session.ts'
import type { ByteSource, SessionFiles } from '../../model/source.ts'
import { branchOwners, branchParting } from './branches.ts'
import type { BranchRow } from './names.ts'

const session = 'aaaaaaaa-0000-4000-8000-000000000001'

type Line = [id: string, parent: string | null, what: string | { message: string; call?: string }]

/** Prompts are texts; answers name their message, and maybe a call. Each line is a second after the one before. */
function logOf(lines: readonly Line[], more: Record<string, unknown> = {}): string {
  return lines
    .map(([uuid, parentUuid, what], at) => {
      const common = { uuid, parentUuid, sessionId: session, isSidechain: false, version: '2.1.210', ...more }
      const timestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString()
      if (typeof what === 'string')
        return { ...common, timestamp, type: 'user', message: { role: 'user', content: what } }
      const call = { type: 'tool_use', id: what.call, name: 'Task', input: { prompt: 'look' } }
      const content = what.call === undefined ? [{ type: 'text', text: 'so' }] : [call]
      const message = { id: what.message, role: 'assistant', model: 'm', content, usage: { input_tokens: 1 } }
      return { ...common, timestamp, type: 'assistant', message }
    })
    .map(record => `${JSON.stringify(record)}\n`)
    .join('')
}

function graphOf(text: string, agents: Record<string, string> = {}): SessionGraph {
  const main: GraphFile = {
    path: 'main.jsonl',
    role: 'session',
    events: decodeText(text, { session, file: 'main.jsonl' }).events,
  }
  const others = Object.entries(agents).map(([agent, log]): GraphFile => {
    const options = { session, file: `${agent}.jsonl`, role: 'agent', agent } as const
    return {
      path: options.file,
      role: 'agent',
      agent,
      events: decodeText(log, options).events,
      meta: { toolUseId: 'call-1' },
    }
  })
  return buildGraph(sessionId(session), [main, ...others])
}

/** For each message: `active`, or the leaf of the branch that it counts with. */
function ownersIn(graph: SessionGraph): Record<string, string> {
  const owners = branchOwners(graph)
  const found: Record<string, string> = {}
  for (const { message, source } of graph.events) {
    if (message === undefined || owners === null) continue
    const branch = owners.branches[owners.ownerAt(source.file, source.offset)]?.branch
    found[message.id] = branch?.isActive ? 'active' : (branch?.leaf ?? '')
  }
  return found
}

const twoWays: Line[] = [
  ['p1', null, 'Begin'],
  ['a1', 'p1', { message: 'm1' }],
  ['p2', 'a1', 'Go left'],
  ['a2', 'p2', { message: 'm2', call: 'call-1' }],
  ['p3', 'a1', 'Go right'],
  ['a3', 'p3', { message: 'm3' }],
]

describe('branches of a session', () => {
  it('are labelled by what was typed, without the notes of the editor', async () => {
    const note = '<ide_opened_file>The user opened a.ts</ide_opened_file>'
    const graph = graphOf(logOf(twoWays.map(([id, above, what]) => [id, above, id === 'p2' ? `${note}Go left` : what])))
    const rows: BranchRow[] = []
    const unread = { readSync: () => new Uint8Array() } as unknown as ByteSource
    const files: SessionFiles = { id: sessionId(session), slug: '', logs: [], side: [] }
    await branchParting(async () => graph, unread, rows)(files)
    expect(rows.map(({ label }) => label)).toEqual(['Begin', 'Go left'])
  })

  it('are none where no one went back', () => {
    expect(branchOwners(graphOf(logOf(twoWays.slice(0, 4))))).toBeNull()
  })

  it('own what they do not share with the active one', () => {
    const graph = graphOf(logOf(twoWays))
    expect(ownersIn(graph)).toEqual({ m1: 'active', m2: 'a2', m3: 'active' })
    const firsts = branchOwners(graph)?.branches.map(({ branch, first }) => [branch.isActive, first?.id])
    expect(firsts).toEqual([
      [true, 'p1'],
      [false, 'p2'],
    ])
  })

  it('own the subagents that they called', () => {
    const agent = logOf(
      [
        ['s1', null, 'look'],
        ['s2', 's1', { message: 'm9' }],
      ],
      {
        isSidechain: true,
        agentId: 'abc',
      },
    )
    expect(ownersIn(graphOf(logOf(twoWays), { abc: agent }))).toMatchObject({ m2: 'a2', m9: 'a2' })
  })

  it('own all lines of an answer, also those that nothing follows', () => {
    const lines: Line[] = [
      ['p1', null, 'Begin'],
      ['a1', 'p1', { message: 'm1' }],
      ['b1', 'a1', { message: 'm2' }],
      ['b2', 'a1', { message: 'm2' }],
      ['p2', 'b2', 'More of it'],
      ['a2', 'p2', { message: 'm3' }],
      ['p3', 'a1', 'Another way'],
      ['a3', 'p3', { message: 'm4' }],
    ]
    expect(ownersIn(graphOf(logOf(lines)))).toEqual({ m1: 'active', m2: 'a2', m3: 'a2', m4: 'active' })
  })

  it('leave to the active one what has no place', () => {
    const owners = branchOwners(graphOf(logOf(twoWays)))
    expect(owners?.branches[owners.ownerAt('elsewhere.jsonl', 0)]?.branch.isActive).toBe(true)
  })
})

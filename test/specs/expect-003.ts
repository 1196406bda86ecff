// What the JSON examples of specification 003 mean. Most lines of its longer examples have no uuid: they are known by their
// place in the file.

import { expect } from 'vitest'
import type { SessionGraph } from '../../src/model/session.ts'
import {
  call,
  callFacts,
  type ExpectedByPlace,
  type Facts,
  is,
  links,
  mainThread,
  subagents,
  text,
  words,
} from './expected.ts'

const required = {
  id: 'msg-roll',
  parent: null,
  session: 'session-rolls',
  at: '2026-03-03T06:20:30.123Z',
  blocks: [],
}
const optional: Facts = {
  id: 'msg-bun',
  parent: 'msg-dough',
  logicalParent: 'msg-flour',
  thread: 'msg-bun',
  flags: ['meta', 'sidechain', 'deleted', 'aborted'],
}
const read = (id: string, path: string) => ({
  ...call(`s3:${id}`, 'Read', { file_path: path }),
  inferredId: true,
})
const session = { session: 'session-oven', thread: 'session-oven' }

const fields: ExpectedByPlace = {
  '003 Core Message Structure / Required Fields #1': {
    // Nothing in the first three says which specification wrote them.
    events: [
      { kind: 'prompt', actor: 'human', wireType: 'user', ...required },
      { kind: 'answer', actor: 'agent', wireType: 'assistant', ...required },
      { kind: 'notice', actor: 'client', wireType: 'system', ...required },
      { ...is.s3.compaction, wireType: 'compact_system', ...required },
    ],
  },
  '003 Core Message Structure / Common Optional Fields #1': {
    events: [
      {
        ...is.s3.answer,
        ...optional,
        blocks: [text('Shape the buns'), read('msg-bun', '/buns.txt')],
        detail: { subtype: 'tool_use' },
      },
      { dialect: 's3', kind: 'meta', actor: 'client', ...optional, blocks: [text('Shape the buns')] },
      { ...is.s3.answer, ...optional, detail: { subtype: 'response' } },
    ],
    graph: graph => {
      expect(callFacts(graph, 'name', 'outcome', 'isRemoved')).toEqual([['Read', 'interrupted', true]])
      expect(subagents(graph)).toHaveLength(1)
    },
  },
}

const lines: ExpectedByPlace = {
  '003 Message Type Structures / User Message #1': {
    events: [
      {
        ...is.s3.prompt,
        ...session,
        id: 'msg-001',
        parent: 'msg-000',
        at: '2026-03-03T07:00:00.000Z',
        flags: [],
        blocks: [text('Write the opening hours')],
      },
    ],
  },
  '003 Message Type Structures / Assistant Message #1': {
    events: [
      {
        ...is.s3.answer,
        ...session,
        id: 'msg-002',
        parent: 'msg-001',
        flags: [],
        blocks: [text('They are written.')],
        detail: { subtype: 'response' },
      },
    ],
  },
  '003 Message Type Structures / Sidechain Message #1': {
    events: [
      {
        ...is.s3.delegation,
        session: 'session-oven',
        thread: 'msg-003',
        id: 'msg-003',
        parent: 'msg-002',
        flags: ['sidechain'],
        blocks: [text('Look for recipes without salt')],
      },
    ],
    graph: graph => expect(subagents(graph)).toMatchObject([{ id: 'msg-003', events: ['msg-003'] }]),
  },
  '003 Message Type Structures / Tool Use Message #1': {
    events: [
      {
        ...is.s3.answer,
        ...session,
        id: 'msg-004',
        parent: 'msg-003',
        flags: [],
        blocks: [read('msg-004', '/hours.py')],
        detail: { subtype: 'tool_use' },
      },
    ],
    graph: graph => expect(callFacts(graph, 'id', 'name', 'outcome')).toEqual([['s3:msg-004', 'Read', 'missing']]),
  },
  '003 Message Type Structures / System Message #1': {
    // Alone it answers no call that is known: a notice. Joined with its call it is the result.
    events: [
      {
        dialect: 's3',
        kind: 'notice',
        actor: 'client',
        id: 'msg-005',
        parent: 'msg-004',
        blocks: [text('hours.py has 12 lines')],
      },
    ],
  },
  '003 Message Type Structures / Compact System Message #1': {
    events: [
      {
        ...is.s3.compaction,
        ...session,
        id: 'msg-006',
        parent: 'msg-005',
        at: '2026-03-03T07:00:25.000Z',
        detail: { phase: 'done', preservedMessages: 10, totalMessages: 100 },
      },
    ],
    graph: graph =>
      expect(graph.compactions).toMatchObject([{ event: 'msg-006', preservedMessages: 10, totalMessages: 100 }]),
  },
}

const flags: ExpectedByPlace = {
  '003 Special Patterns / Orphaned Messages #1': {
    events: [
      {
        ...is.s3.prompt,
        id: 'msg-100',
        parent: 'msg-of-yesterday',
        flags: [],
        blocks: [text('Go on with the glaze')],
      },
    ],
    // "Treated as conversation roots, not errors."
    graph: graph => {
      expect(graph.roots).toEqual(['msg-100'])
      expect([...graph.nodes.values()]).toMatchObject([{ parent: null, link: 'orphan' }])
      expect(graph.findings.filter(finding => finding.severity === 'error')).toEqual([])
      expect(graph.branches).toMatchObject([{ leaf: 'msg-100', isActive: true }])
    },
  },
  '003 Special Patterns / Aborted Operations #1': {
    events: [
      {
        ...is.s3.answer,
        id: 'msg-100',
        parent: 'msg-099',
        flags: ['aborted'],
        blocks: [text('The oven was switched off'), call('s3:msg-100', 'Bash')],
      },
    ],
    graph: graph => expect(callFacts(graph, 'name', 'outcome')).toEqual([['Bash', 'interrupted']]),
  },
  '003 Special Patterns / Deleted Messages #1': {
    events: [{ ...is.s3.prompt, id: 'msg-200', parent: 'msg-199', flags: ['deleted'], blocks: [text('[taken back]')] }],
    // Its place stays.
    graph: graph => expect(graph.nodes.size).toBe(1),
  },
}

const side = (facts: Facts, said: string): Facts => ({
  ...facts,
  flags: ['inferred', 'sidechain'],
  blocks: [text(said)],
})
const idOf = (graph: SessionGraph, at: number) => graph.events[at]?.id
const ids = (graph: SessionGraph, ...places: number[]) => places.map(at => idOf(graph, at))

const compactions: ExpectedByPlace = {
  '003 Special Patterns / Logical Parent UUID Pattern #1': {
    events: [
      { dialect: 's3', id: 'msg-001', parent: 'msg-000', blocks: [text('Mix the glaze')] },
      { ...is.s3.compaction, parent: 'msg-001', flags: ['inferred'], detail: { phase: 'done' } },
      {
        dialect: 's3',
        id: 'msg-002',
        parent: 'msg-001',
        logicalParent: 'msg-000',
        blocks: [text('Stir the glaze')],
      },
    ],
    graph: graph => {
      expect(graph.compactions).toMatchObject([{ event: idOf(graph, 1) }])
      expect(links(graph)).toEqual([
        '- ← msg-001 (orphan)',
        `msg-001 ← ${idOf(graph, 1)} (inferred)`,
        'msg-001 ← msg-002 (stated)',
      ])
    },
  },
  '003 Special Patterns / Compact Mode Boundaries #1': {
    events: [
      { ...is.s3.compaction, detail: { phase: 'start' } },
      { ...is.s3.compaction, detail: { phase: 'done' } },
      { ...is.s3.compaction, detail: { phase: 'restored' } },
    ],
    // Three lines, one compaction: its border is the successful completion.
    graph: graph => expect(graph.compactions.map(compaction => compaction.event)).toEqual(ids(graph, 1)),
  },
  '003 Production-Validated Patterns / Message Flow Examples / Compact Boundary Transition #1': {
    events: [
      { ...is.s3.prompt, id: 'old-001', parent: 'old-000' },
      { ...is.s3.answer, id: 'old-002', parent: 'old-001' },
      { ...is.s3.compaction, detail: { phase: 'start' } },
      { ...is.s3.compaction, detail: { phase: 'done', preservedMessages: 10, totalMessages: 500 } },
      { ...is.s3.prompt, id: 'new-001', parent: 'old-002', logicalParent: 'old-001' },
      { ...is.s3.answer, id: 'new-002', parent: 'new-001' },
    ],
    graph: graph => {
      expect(graph.compactions).toMatchObject([{ event: idOf(graph, 3), preservedMessages: 10, totalMessages: 500 }])
      expect(graph.windows.map(window => window.events.length)).toEqual([3, 3])
      expect(graph.nodes.get(graph.events[4]?.id ?? never())).toMatchObject({ parent: 'old-002', link: 'stated' })
      expect(graph.branches).toMatchObject([{ leaf: 'new-002', isActive: true }])
    },
  },
}

const sidechains: ExpectedByPlace = {
  '003 Special Patterns / Multi-Turn Sidechains #1': {
    events: [
      { ...is.s3.delegation, flags: ['sidechain'], blocks: [text('Count the eggs')] },
      side(is.s3.answer, 'Counting'),
      side(is.s3.delegation, 'Count the milk too'),
      side(is.s3.answer, 'Counting both'),
      side(is.s3.delegation, 'And the butter'),
      side(is.s3.answer, 'Eggs 12, milk 3, butter 2'),
    ],
    // One thread with three exchanges, none of them a human's turn.
    graph: graph => {
      expect(subagents(graph)).toMatchObject([{ id: idOf(graph, 0), events: ids(graph, 0, 1, 2, 3, 4, 5) }])
      expect(graph.turns).toEqual([])
      expect(graph.roots).toEqual(ids(graph, 0))
    },
  },
  '003 Special Patterns / Task Delegation Pattern #1': {
    events: [
      { ...is.s3.answer, id: 'parent-001', flags: [] },
      {
        ...is.s3.delegation,
        parent: 'parent-001',
        flags: ['sidechain'],
        blocks: [text('Taste the dough')],
      },
    ],
    graph: graph => {
      expect(subagents(graph)).toMatchObject([
        { id: idOf(graph, 1), linkedBy: 'parent', parentThread: mainThread(graph)?.id, events: ids(graph, 1) },
      ])
      expect(mainThread(graph)?.events).toEqual(['parent-001'])
    },
  },
  '003 Production-Validated Patterns / Message Flow Examples / Complex Sidechain with Multiple Tools #1': {
    events: [
      { ...is.s3.answer, id: 'main-001', flags: [] },
      { ...is.s3.delegation, parent: 'main-001', flags: ['sidechain'] },
      { ...is.s3.answer, flags: ['inferred', 'sidechain'] },
      { ...is.s3.results, flags: ['inferred', 'sidechain'] },
      { ...is.s3.answer, flags: ['inferred', 'sidechain'] },
      { ...is.s3.results, flags: ['inferred', 'sidechain'] },
      side(is.s3.answer, 'Five questions are open'),
      { ...is.s3.answer, parent: 'main-001', flags: [] },
    ],
    graph: graph => {
      const [agent] = subagents(graph)
      expect(agent).toMatchObject({ id: idOf(graph, 1), linkedBy: 'parent', events: ids(graph, 1, 2, 3, 4, 5, 6) })
      expect(mainThread(graph)?.events).toEqual(ids(graph, 0, 7))
      expect(callFacts(graph, 'name', 'outcome', 'pairing', 'thread', 'resultEvent')).toEqual([
        ['Grep', 'done', 'inferred', agent?.id, idOf(graph, 3)],
        ['Read', 'done', 'inferred', agent?.id, idOf(graph, 5)],
      ])
      expect(graph.branches).toHaveLength(1)
    },
  },
}

const development: ExpectedByPlace = {
  '003 Production-Validated Patterns / Message Flow Examples / Standard Development Flow #1': {
    events: [
      { ...is.s3.prompt, parent: null, flags: [] },
      { ...is.s3.answer, flags: ['inferred'], detail: { subtype: 'response' } },
      { ...is.s3.answer, flags: ['inferred'], detail: { subtype: 'tool_use' } },
      { ...is.s3.results, flags: ['inferred'] },
      { ...is.s3.answer, flags: ['inferred'] },
      { ...is.s3.answer, flags: ['inferred'] },
      { ...is.s3.results, flags: ['inferred'] },
    ],
    graph: graph => {
      expect(words(graph.events)).toEqual([
        'Mend the timer in oven.py',
        'Reading the timer',
        'Read',
        '[timer = 6]',
        'It stops too soon',
        'Edit',
        'oven.py is changed',
      ])
      expect(callFacts(graph, 'name', 'outcome', 'pairing', 'resultEvent')).toEqual([
        ['Read', 'done', 'inferred', idOf(graph, 3)],
        ['Edit', 'done', 'inferred', idOf(graph, 6)],
      ])
      expect(graph.toolCalls[1]?.input).toEqual({ file_path: '/oven.py', old_string: 'six', new_string: 'nine' })
      // Every line follows the one before it.
      const parents = [...graph.nodes.values()].map(node => node.parent)
      expect(parents).toEqual([null, ...ids(graph, 0, 1, 2, 3, 4, 5)])
      expect(graph.turns).toMatchObject([{ prompt: idOf(graph, 0), toolCalls: graph.toolCalls.map(({ id }) => id) }])
    },
  },
}

function never(): never {
  throw new Error('the example has no such event')
}

export const expected003: ExpectedByPlace = {
  ...fields,
  ...lines,
  ...flags,
  ...compactions,
  ...sidechains,
  ...development,
}

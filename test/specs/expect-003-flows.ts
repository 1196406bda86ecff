// What 003's examples of several lines mean. Most of those lines have no uuid: they sit at their place in the file.

import { expect } from 'vitest'
import type { SessionGraph } from '../../src/model/session.ts'
import {
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
      { dialect: 's3', id: 'msg-001', parent: 'msg-000', blocks: [text('Original conversation')] },
      { ...is.s3.compaction, parent: 'msg-001', flags: ['inferred'], detail: { phase: 'done' } },
      {
        dialect: 's3',
        id: 'msg-002',
        parent: 'msg-001',
        logicalParent: 'msg-000',
        blocks: [text('Continued conversation')],
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
      { ...is.s3.delegation, flags: ['sidechain'], blocks: [text('Initial task')] },
      side(is.s3.answer, 'Working on it'),
      side(is.s3.delegation, 'Additional instruction'),
      side(is.s3.answer, 'Understood, continuing'),
      side(is.s3.delegation, 'One more thing'),
      side(is.s3.answer, 'Final response'),
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
        blocks: [text('Review this code for bugs')],
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
      side(is.s3.answer, 'Analysis complete: 5 TODOs found'),
      { ...is.s3.answer, parent: 'main-001', flags: [] },
    ],
    graph: graph => {
      const [agent] = subagents(graph)
      expect(agent).toMatchObject({ id: idOf(graph, 1), linkedBy: 'parent', events: ids(graph, 1, 2, 3, 4, 5, 6) })
      expect(mainThread(graph)?.events).toEqual(ids(graph, 0, 7))
      expect(callFacts(graph, 'name', 'status', 'pairing', 'thread', 'resultEvent')).toEqual([
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
        'Fix the bug in auth.py',
        "I'll examine the file",
        'Read',
        '[File contents]',
        'Found the issue',
        'Edit',
        'File edited successfully',
      ])
      expect(callFacts(graph, 'name', 'status', 'pairing', 'resultEvent')).toEqual([
        ['Read', 'done', 'inferred', idOf(graph, 3)],
        ['Edit', 'done', 'inferred', idOf(graph, 6)],
      ])
      expect(graph.toolCalls[1]?.input).toEqual({ file_path: '/auth.py', old_string: 'bug', new_string: 'fix' })
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

export const expected003Flows: ExpectedByPlace = { ...compactions, ...sidechains, ...development }

// What the JSON examples of specification 004 mean.

import { expect } from 'vitest'
import { type ExpectedByPlace, is, result, text, wrappedCall } from './expected.ts'

const delivered = (structured: object) => ({
  ...is.client.results,
  blocks: [result(wrappedCall, 'text', { structured })],
})

const userMessages: ExpectedByPlace = {
  '004 User Messages / Special User Message Types / Meta Messages #1': {
    events: [
      {
        ...is.client.by('meta'),
        flags: ['meta'],
        blocks: [{ type: 'text', text: expect.stringMatching(/^Caveat: The messages below/) }],
      },
    ],
    graph: graph => expect(graph.turns).toEqual([]),
  },
  '004 User Messages / Special User Message Types / Command Messages #1': {
    events: [
      {
        dialect: 'client',
        kind: 'command',
        actor: 'human',
        flags: [],
        blocks: [{ type: 'text', text: expect.stringContaining('<command-name>login</command-name>') }],
      },
    ],
  },
  '004 User Messages / Special User Message Types / Command Output Messages #1': {
    events: [
      {
        ...is.client.by('command-output'),
        flags: [],
        blocks: [text('<local-command-stdout>The door is open</local-command-stdout>')],
      },
    ],
    graph: graph => expect(graph.turns).toEqual([]),
  },
}

const results: ExpectedByPlace = {
  '004 Tool Integration Patterns / Tool Result Examples / File Operation #1': {
    events: [delivered({ type: 'text', file: { filePath: '/hours.py', content: 'nine to six' } })],
  },
  '004 Tool Integration Patterns / Tool Result Examples / Command Execution #1': {
    events: [delivered({ stdout: 'rolls loaves', stderr: '', interrupted: false, isImage: false, sandbox: false })],
  },
  '004 Tool Integration Patterns / Tool Result Examples / Todo Management #1': {
    events: [
      delivered({
        oldTodos: [],
        newTodos: [{ content: 'Order flour', status: 'pending', priority: 'high', id: '1' }],
      }),
    ],
  },
  '004 Error Handling and Edge Cases / Error Messages #1': {
    events: [
      { ...is.client.results, flags: ['error'], blocks: [result('toolu_order1', 'No flour left', { isError: true })] },
    ],
  },
  '004 Error Handling and Edge Cases / Interrupted Operations #1': {
    events: [delivered({ interrupted: true, stdout: 'rolls', stderr: '' })],
  },
}

export const expected004: ExpectedByPlace = {
  '004 Summary Entries / Example #1': {
    events: [
      {
        ...is.client.by('title'),
        parent: null,
        blocks: [text('Bake rolls before the shop opens')],
        detail: {
          titleFrom: 'summary',
          title: 'Bake rolls before the shop opens',
          leaf: '0a0b0c0d-4444-4444-8444-000000000004',
        },
      },
    ],
    graph: graph => {
      expect(graph.nodes.size).toBe(0)
      expect(graph.summaries).toEqual([
        {
          leaf: '0a0b0c0d-4444-4444-8444-000000000004',
          title: 'Bake rolls before the shop opens',
        },
      ])
    },
  },
  ...userMessages,
  ...results,
}

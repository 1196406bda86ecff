// What the JSON examples of specification 004 mean.

import { expect } from 'vitest'
import { type ExpectedByPlace, is, result, text } from './expected.ts'
import { wrappedCall } from './wrap.ts'

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
        blocks: [text('<local-command-stdout>Login successful</local-command-stdout>')],
      },
    ],
    graph: graph => expect(graph.turns).toEqual([]),
  },
}

const results: ExpectedByPlace = {
  '004 Tool Integration Patterns / Tool Result Examples / File Operation #1': {
    events: [delivered({ type: 'text', file: { filePath: '/path/to/file.py', content: 'file contents here' } })],
  },
  '004 Tool Integration Patterns / Tool Result Examples / Command Execution #1': {
    events: [delivered({ stdout: 'command output', stderr: '', interrupted: false, isImage: false, sandbox: false })],
  },
  '004 Tool Integration Patterns / Tool Result Examples / Todo Management #1': {
    events: [
      delivered({
        oldTodos: [],
        newTodos: [{ content: 'Task description', status: 'pending', priority: 'high', id: '1' }],
      }),
    ],
  },
  '004 Error Handling and Edge Cases / Error Messages #1': {
    events: [
      { ...is.client.results, flags: ['error'], blocks: [result('toolu_123', 'Error message', { isError: true })] },
    ],
  },
  '004 Error Handling and Edge Cases / Interrupted Operations #1': {
    events: [delivered({ interrupted: true, stdout: 'partial output', stderr: '' })],
  },
}

export const expected004: ExpectedByPlace = {
  '004 Summary Entries / Example #1': {
    events: [
      {
        ...is.client.by('title'),
        parent: null,
        blocks: [text('Optimize Local Dev Servers for Instant Startup')],
        detail: {
          titleFrom: 'summary',
          title: 'Optimize Local Dev Servers for Instant Startup',
          leaf: '32071078-645b-4835-b954-8f4c73e1e33b',
        },
      },
    ],
    graph: graph => {
      expect(graph.nodes.size).toBe(0)
      expect(graph.summaries).toEqual([
        {
          leaf: '32071078-645b-4835-b954-8f4c73e1e33b',
          title: 'Optimize Local Dev Servers for Instant Startup',
        },
      ])
    },
  },
  ...userMessages,
  ...results,
}

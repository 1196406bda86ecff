// Fixtures of the rules of kind subagent: marks, agent files and sidechains inside a session file.

import type { JsonObject } from '../../../src/base/json.ts'
import { defaultSession, type Fixture, type FixtureFile } from '../fixture.ts'
import { answer, call, enqueue, progress, result, s0, s3, user } from './make.ts'

const main = `${defaultSession}.jsonl`
const agentId = 'aae4fe6'
const side = { isSidechain: true, userType: 'external' }
const own = { isSidechain: true, agentId }

/** The subagent's file, with `extra` over the marks that its records need. */
function agentFile(extra: JsonObject = {}, more: JsonObject[] = []): FixtureFile {
  const fields = { ...own, ...extra }
  const lines = [
    user(11, null, 'Find bugs', fields),
    answer(12, 11, [{ type: 'text', text: 'Three bugs' }], fields),
    ...more,
  ]
  return { name: `${defaultSession}/subagents/agent-${agentId}.jsonl`, lines }
}

const agentPath = `projects/-home-dev-shop/${agentFile().name}`

/** A session that delegates to it; the result says `output`. */
function delegating(output: string, queued: JsonObject[] = [enqueue(3, agentId)]): FixtureFile {
  const agentProgress = {
    ...progress(4, 2, 'toolu_task'),
    data: { type: 'agent_progress', agentId, prompt: 'Find bugs' },
  }
  return {
    name: main,
    lines: [
      user(1, null),
      answer(2, 1, [
        call('toolu_task', 'Task', { prompt: 'Find bugs', description: 'Bugs', subagent_type: 'explorer' }),
      ]),
      ...queued,
      agentProgress,
      user(20, 2, [result('toolu_task', [{ type: 'text', text: output }])], {
        toolUseResult: { agentId, status: 'completed' },
      }),
    ],
  }
}

/** A delegation inside a file of 000; `lost`: numbers of the records that lack the marker. */
function inlineSidechain(...lost: number[]): JsonObject[] {
  const mark = (n: number) => (lost.includes(n) ? {} : side)
  const says = (text: string) => [{ type: 'text', text }]
  return [
    s0(1, null, 'human', 'Fix the cart'),
    s0(2, 1, 'assistant', [call('toolu_task', 'Task', { subagent_type: 'hunter', prompt: 'Find bugs' })]),
    s0(11, 2, 'human', 'Find bugs', mark(11)),
    s0(12, 11, 'assistant', [call('toolu_read', 'Read', { file_path: '/cart.ts' })], mark(12)),
    s0(13, 12, 'tool_result', [result('toolu_read')], mark(13)),
    s0(14, 13, 'assistant', says('One bug'), mark(14)),
    s0(15, 14, 'human', 'Look for more', mark(15)),
    s0(16, 15, 'assistant', says('Two bugs'), mark(16)),
    s0(17, 2, 'tool_result', [result('toolu_task')]),
    s0(18, 17, 'assistant', says('There are two bugs')),
  ]
}

const delegatedInline = [user(1, null), answer(2, 1, [call('toolu_task', 'Task', {})]), user(11, 2, 'Find bugs', side)]

const fileFixtures: Fixture[] = [
  {
    code: 'sidechain-unmarked',
    follows: { files: [delegating('Three bugs'), agentFile()] },
    breaks: { files: [delegating('Three bugs'), agentFile({ isSidechain: false })] },
    in: { s0: { breaks: [s0(1, null, 'human', 'Find bugs', { agentId })] } },
  },
  ...[
    // The marker is lost on an answer, a result, a further instruction, the first prompt, and on two records in a row.
    inlineSidechain(12),
    inlineSidechain(13),
    inlineSidechain(15),
    inlineSidechain(11),
    inlineSidechain(14, 15),
  ].map((breaks): Fixture => ({ code: 'sidechain-unmarked', only: ['s0'], follows: inlineSidechain(), breaks })),
  {
    code: 'sidechain-unmarked',
    only: ['s1', 's2', 'real'],
    follows: [...delegatedInline, answer(12, 11, undefined, side), user(20, 12, 'Thanks')],
    breaks: [...delegatedInline, answer(12, 11), user(13, 12, 'Go on', side)],
  },
  {
    code: 'agent-id-missing',
    follows: { files: [delegating('Three bugs'), agentFile()] },
    breaks: { files: [delegating('Three bugs'), agentFile({ agentId: null })] },
    in: { s1: { breaks: [user(1, null, 'Find bugs', side)] } },
  },
  {
    code: 'agent-id-on-main',
    follows: [user(1, null, 'Find bugs', own)],
    breaks: [user(1, null, 'Hello', { agentId })],
  },
  {
    code: 'agent-id-file-name',
    follows: { files: [agentFile()] },
    breaks: { files: [agentFile({ agentId: 'bbbbbbb' })] },
  },
  {
    code: 'subagent-parent-session',
    follows: { files: [agentFile()] },
    breaks: { files: [agentFile({ sessionId: '9d1bd0c0-1111-4222-8333-444455556666' })] },
  },
  {
    code: 'subagent-types',
    follows: { files: [agentFile()] },
    breaks: { files: [agentFile({}, [progress(13, 12, 'toolu_1')])] },
  },
  {
    code: 'subagent-lifecycle',
    follows: { files: [delegating('Three bugs'), agentFile()] },
    breaks: { files: [delegating('Three bugs', []), agentFile()] },
  },
  {
    code: 'subagent-lifecycle',
    // What the main session has is not known when the agent file is given by itself.
    follows: { home: { [agentPath]: agentFile().lines ?? [] }, given: agentPath },
    breaks: { home: { [agentPath]: agentFile().lines ?? [] } },
  },
  {
    code: 'subagent-result-final-output',
    follows: { files: [delegating('It says: Three bugs'), agentFile()] },
    breaks: { files: [delegating('Nothing at all'), agentFile()] },
    in: {
      s0: {
        follows: inline('The findings: 3 issues'),
        breaks: inline('Nothing at all'),
      },
    },
  },
]

/** 000's delegation flow; the main result says `output`. */
function inline(output: string): JsonObject[] {
  return [
    s0(1, null, 'human', 'Fix auth.py'),
    s0(2, 1, 'assistant', [call('toolu_task', 'Task', { prompt: 'Find bugs', subagent_type: 'bug-hunter' })]),
    s0(3, 2, 'human', 'Find bugs', side),
    s0(4, 3, 'assistant', [call('toolu_read', 'Read', { file_path: '/auth.py' })], { isSidechain: true }),
    s0(5, 4, 'tool_result', [result('toolu_read')], { isSidechain: true }),
    s0(6, 5, 'assistant', [{ type: 'text', text: '3 issues' }], { isSidechain: true }),
    s0(7, 2, 'tool_result', [result('toolu_task', output)]),
  ]
}

const delegator = s3(1, null, 'assistant', "I'll delegate to analyzer: 'Review this code'")
const task = s3(2, 1, 'user', 'Review this code', side)

const sidechainFixtures: Fixture[] = [
  {
    code: 'user-type-external-initiator',
    follows: inline('3 issues'),
    breaks: [s0(1, null, 'human', 'Find bugs', { isSidechain: true })],
  },
  {
    code: 'sidechain-parent-is-call',
    follows: [delegator, task, s3(3, 2, 'assistant', 'Fine', { isSidechain: true })],
    breaks: [delegator, s3(2, null, 'user', 'Review this code', side), s3(3, 1, 'assistant', 'Fine')],
    in: { s0: { follows: inline('3 issues'), breaks: [s0(1, null, 'human', 'Find bugs', side)] } },
  },
  {
    code: 'sidechain-main-resumes-on-delegator',
    follows: [
      delegator,
      task,
      s3(3, 2, 'assistant', 'Fine', { isSidechain: true }),
      s3(4, 1, 'assistant', 'It is fine'),
    ],
    breaks: [
      delegator,
      task,
      s3(3, 2, 'assistant', 'Fine', { isSidechain: true }),
      s3(4, 3, 'assistant', 'It is fine'),
    ],
  },
  {
    code: 'task-prompt-equals-first-sidechain',
    follows: [
      s3(1, null, 'assistant', "I'll delegate: 'Review this code'"),
      s3(2, 1, 'assistant', 'Starting', {
        subtype: 'tool_use',
        toolName: 'Task',
        toolArguments: { subagent_type: 'x' },
      }),
      s3(3, 2, 'user', 'Review this code', side),
    ],
    breaks: [
      s3(1, null, 'assistant', 'Delegating', {
        subtype: 'tool_use',
        toolName: 'Task',
        toolArguments: { prompt: 'Review' },
      }),
      s3(2, 1, 'user', 'Review this code', side),
    ],
    only: ['s3'],
  },
  {
    code: 'task-prompt-equals-first-sidechain',
    follows: [
      user(1, null),
      answer(2, 1, [call('toolu_task', 'Task', { prompt: 'Find bugs, and name them' })]),
      user(3, null, 'Find bugs', side),
    ],
    breaks: [
      user(1, null),
      answer(2, 1, [call('toolu_task', 'Task', { prompt: 'Find bugs' })]),
      user(3, null, 'Find bugs, and name them', side),
    ],
    only: ['real'],
  },
  {
    code: 'task-prompt-equals-first-sidechain',
    follows: [delegator, task],
    breaks: [delegator, s3(2, 1, 'user', 'Paint the shed', side)],
    in: {
      real: {
        follows: [
          user(1, null),
          answer(2, 1, [call('toolu_task', 'Task', { prompt: 'Find bugs' })]),
          user(3, null, 'Find bugs', side),
        ],
        breaks: [user(1, null), answer(2, 1), user(3, null, 'Find bugs', side)],
      },
    },
  },
  {
    code: 'sidechain-tool-lines-marked',
    follows: inline('3 issues'),
    breaks: inline('3 issues').map(line => (line['uuid'] === 'msg_5' ? { ...line, isSidechain: false } : line)),
    in: {
      s3: {
        follows: [delegator, task, grep(3), s3(4, 3, 'system', 'Found', { isSidechain: true })],
        breaks: [delegator, task, grep(3), s3(4, 3, 'system', 'Found')],
      },
    },
  },
]

function grep(n: number): JsonObject {
  const toolArguments = { pattern: 'TODO' }
  return s3(n, n - 1, 'assistant', '', { isSidechain: true, subtype: 'tool_use', toolName: 'Grep', toolArguments })
}

export const fixtures: Fixture[] = [...fileFixtures, ...sidechainFixtures]

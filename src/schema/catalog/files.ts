// Side files with a known shape. Facts only; decode decides what becomes of them.

import type { CatalogEntry } from './entry.ts'

export const filesEntries: readonly CatalogEntry[] = [
  {
    name: 'file-agent-meta',
    group: 'file',
    wire: 'agent-<id>.meta.json',
    firstSeen: '2.1.98',
    sources: 'dmk',
    purpose:
      'What an agent file belongs to. `toolUseId` is the one sure link from a subagent to the call that started it. The last rewrite wins.',
    examples: ['{"agentType":"reviewer","description":"Proofread the menu","toolUseId":"toolu_01Lark"}'],
    fields: [
      'agentType | string | 2.1.100-2.1.114 |  | mdk | Kind of agent.',
      'description | string | 2.1.100-2.1.114 |  | mdk | What it does, in a few words.',
      'toolUseId | string |  |  | k | The call that started it; written by later versions.',
      'parentAgentId | string or null |  |  | k | The agent that started it, where it was not the main thread.',
      'spawnDepth | number |  |  | k | How deep it is nested.',
      'model | string or null |  |  | k | Its model.',
      'worktreePath | string | 2.1.114-2.1.114 |  | mk | The worktree it works in.',
      'stoppedByUser | boolean |  |  | k | True where a person stopped it.',
    ],
  },
  {
    name: 'file-sessions-index',
    group: 'file',
    wire: 'sessions-index.json',
    firstSeen: '2.1.20',
    lastSeen: '2.1.29',
    sources: 'dc',
    purpose:
      "A list of a project's sessions that the client once kept. It is not authoritative, and the client stopped reading it with 2.1.30.",
    examples: [
      '{"version":1,"entries":[{"sessionId":"77b2…","fullPath":"/home/ada/.claude/projects/-home-ada-tea-shop/77b2….jsonl","fileMtime":1777885990000,"firstPrompt":"Add a jasmine tea to the menu, please.","summary":"Jasmine tea on the menu","messageCount":8,"created":"2026-05-04T09:12:44.120Z","modified":"2026-05-04T09:13:10.000Z","gitBranch":"main","projectPath":"/home/ada/tea-shop","isSidechain":false}]}',
    ],
    fields: [
      'version | number |  |  | d | 1.',
      "originalPath | string |  |  | c | The project's directory.",
      'entries | object[] |  |  | d | Per session: id, path, times, first prompt, title, count of messages, branch.',
    ],
  },
  {
    name: 'file-todos',
    group: 'file',
    wire: 'todos/<session>-agent-<agent>.json',
    firstSeen: '0.2.126',
    lastSeen: '2.1.45',
    sources: 'dn',
    purpose: 'The to-do list of a session or subagent, as an array of items.',
    examples: ['[{"content":"Add jasmine","status":"completed","priority":"medium","id":"1"}]'],
    fields: [],
  },
]

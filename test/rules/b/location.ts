// Fixtures of the rules of kind location: homes, folders and file names.

import type { JsonObject } from '../../../src/base/json.ts'
import type { GenerationId } from '../../../src/model/source.ts'
import { defaultSession, type Fixture } from '../fixture.ts'
import { answer, s0, s3, user } from './make.ts'

const session = [user(1, null), answer(2, 1)]
const main = `${defaultSession}.jsonl`
const agent: JsonObject[] = [user(11, null, 'Look around', { isSidechain: true, agentId: 'aae4fe6' })]
const spilled = (name: string) => ({
  files: [{ name: main, lines: session }],
  side: [
    {
      path: `/home/ada/.claude/projects/-home-dev-shop/${defaultSession}/tool-results/${name}`,
      kind: 'tool-result' as const,
      generation: '' as GenerationId,
      size: 10,
      modifiedMs: 0,
    },
  ],
})
const spilledHome = (name: string) => ({
  home: {
    [`projects/-home-dev-shop/${main}`]: session,
    [`projects/-home-dev-shop/${defaultSession}/tool-results/${name}`]: 'output',
  },
})
const inHome = (folder: string) => ({ home: { [`${folder}/${main}`]: session } })
/** The same, with the file itself named to the command. */
const asFile = (folder: string) => ({ ...inHome(folder), given: `${folder}/${main}` })
/** Next to a session that is where it should be. */
const nextToGood = (path: string) => ({
  home: { 'projects/-home-dev-shop/9d1bd0c0-1111-4222-8333-444455556666.jsonl': session, [path]: session },
})

/** An agent file in this folder of the project, named to the command. */
const asAgent = (folder: string) => {
  const path = `projects/-home-dev-shop/${folder}/agent-aae4fe6.jsonl`
  return { home: { [`projects/-home-dev-shop/${main}`]: session, [path]: agent }, given: path }
}
/** The main file named to the command, with one more file of the project next to it. */
const asMain = (other: string) => {
  const path = `projects/-home-dev-shop/${main}`
  return { home: { [path]: session, [`projects/-home-dev-shop/${other}`]: agent }, given: path }
}

export const fixtures: Fixture[] = [
  {
    code: 'location-conversations',
    follows: inHome('conversations/_home_dev_shop'),
    breaks: inHome('projects/-home-dev-shop'),
  },
  {
    code: 'location-projects',
    follows: inHome('projects/-home-dev-shop'),
    breaks: inHome('conversations/-home-dev-shop'),
  },
  {
    code: 'location-projects',
    follows: asFile('projects/-home-dev-shop'),
    breaks: asFile('projects/-home-dev-shop/older'),
    in: { s3: { breaks: asFile('conversations/-home-dev-shop') }, s4: { breaks: asFile('.claude') } },
  },
  {
    code: 'location-projects',
    follows: nextToGood('projects/-home-dev-shop/tool-results/notes.txt'),
    breaks: nextToGood(`projects/-home-dev-shop/older/${main}`),
    in: {
      s3: { breaks: nextToGood(`sessions/${main}`) },
      s4: { breaks: nextToGood(main) },
      real: { breaks: nextToGood(`projects/${main}`), follows: nextToGood('plugins/data/events.jsonl') },
    },
  },
  {
    code: 'location-projects',
    // A file outside any home has no place to be judged by; people keep folders called projects too.
    follows: asFile('work/projects/shop/logs'),
    breaks: { home: { [`sessions/-home-dev-shop/${main}`]: session } },
  },
  {
    code: 'location-conversations',
    follows: asFile('conversations/_home_dev_shop'),
    breaks: asFile('projects/_home_dev_shop'),
  },
  { code: 'slug-underscore', follows: asFile('conversations/_home_dev_shop'), breaks: asFile('conversations/shop') },
  { code: 'slug-hyphen', follows: asFile('projects/-home-dev-shop'), breaks: asFile('projects/home-dev-shop') },
  {
    code: 'slug-underscore',
    follows: inHome('conversations/_home_dev_shop'),
    breaks: inHome('conversations/-home-dev-shop'),
  },
  { code: 'slug-hyphen', follows: inHome('projects/-home-dev-shop'), breaks: inHome('projects/work-shop') },
  // 000 and 003 have no cwd: the folder is judged by its own name.
  {
    code: 'slug-underscore',
    follows: { home: { [`conversations/_home_dev_shop/${main}`]: [s0(1, null, 'human', 'Hello')] } },
    breaks: { home: { [`conversations/-home-dev-shop/${main}`]: [s0(1, null, 'human', 'Hello')] } },
  },
  {
    code: 'slug-hyphen',
    follows: { home: { [`projects/-home-dev-shop/${main}`]: [s3(1, null, 'user', 'Hello')] } },
    breaks: { home: { [`projects/_home_dev_shop/${main}`]: [s3(1, null, 'user', 'Hello')] } },
  },
  {
    code: 'session-per-file',
    follows: session,
    breaks: [...session, user(3, 2, 'Hello', { sessionId: '9d1bd0c0-1111-4222-8333-444455556666' })],
  },
  {
    code: 'file-name-timestamp',
    follows: { files: [{ name: '2025-01-27T10-15-30.jsonl', lines: session }] },
    breaks: { files: [{ name: main, lines: session }] },
    in: {
      s0: {
        follows: { files: [{ name: 'session_1738160130123.jsonl', lines: [s0(1, null, 'human', 'Hello')] }] },
        breaks: { files: [{ name: 'notes.jsonl', lines: [s0(1, null, 'human', 'Hello')] }] },
      },
    },
  },
  {
    code: 'file-name-timestamp',
    follows: { files: [{ name: 'shop-27-01-2025.jsonl', lines: session }] },
    breaks: { files: [{ name: 'shop-27-2025.jsonl', lines: session }] },
  },
  { code: 'file-name-uuid', follows: session, breaks: { files: [{ name: 'notes.jsonl', lines: session }] } },
  {
    code: 'file-name-uuid-v4',
    follows: session,
    breaks: { files: [{ name: '443661e2-a738-118d-a0a9-e7f0c36359f4.jsonl', lines: session }] },
  },
  {
    code: 'file-name-equals-session-id',
    follows: session,
    breaks: { files: [{ name: '9d1bd0c0-1111-4222-8333-444455556666.jsonl', lines: session }] },
  },
  {
    code: 'session-artifacts-folder',
    follows: {
      home: {
        [`projects/-home-dev-shop/${main}`]: session,
        [`projects/-home-dev-shop/${defaultSession}/subagents/agent-aae4fe6.jsonl`]: agent,
        [`projects/-home-dev-shop/${defaultSession}/tool-results/b485b41.txt`]: 'output',
      },
    },
    breaks: {
      home: {
        'projects/-home-dev-shop/9d1bd0c0-1111-4222-8333-444455556666/subagents/agent-aae4fe6.jsonl': agent,
      },
    },
    in: {
      real: {
        breaks: {
          home: {
            [`projects/-home-dev-shop/${main}`]: session,
            [`projects/-home-dev-shop/${defaultSession}/leftovers/note.txt`]: 'what is this',
          },
        },
      },
    },
  },
  {
    code: 'session-artifacts-folder',
    only: ['real'],
    follows: {
      home: {
        [`projects/-home-dev-shop/${main}`]: session,
        [`projects/-home-dev-shop/${defaultSession}/archived.json`]: '{"archived":true}',
        [`projects/-home-dev-shop/${defaultSession}/resume-head.jsonl`]: session,
        [`projects/-home-dev-shop/${defaultSession}/sent-prefix.json`]: '{}',
      },
    },
    breaks: {
      home: {
        [`projects/-home-dev-shop/${main}`]: session,
        [`projects/-home-dev-shop/${defaultSession}/archived.txt`]: 'what is this',
      },
    },
  },
  {
    code: 'subagent-file-location',
    follows: { files: [{ name: `${defaultSession}/subagents/agent-aae4fe6.jsonl`, lines: agent }] },
    breaks: { files: [{ name: 'agent-aae4fe6.jsonl', lines: agent }] },
  },
  {
    code: 'subagent-file-location',
    follows: asAgent(`${defaultSession}/subagents/workflows/w1`),
    breaks: asAgent('subagents'),
  },
  {
    code: 'session-artifacts-folder',
    follows: asMain(`${defaultSession}/tool-results/b485b41.txt`),
    breaks: asMain(`${defaultSession}/notes/todo.txt`),
  },
  {
    code: 'session-artifacts-folder',
    // An agent file by itself does not tell whether its session is there.
    follows: asAgent(`${defaultSession}/subagents`),
    breaks: asMain(`${defaultSession}/agents/agent-aae4fe6.jsonl`),
  },
  {
    code: 'subagent-file-name',
    follows: { files: [{ name: `${defaultSession}/subagents/agent-aae4fe6.jsonl`, lines: agent }] },
    breaks: { files: [{ name: `${defaultSession}/subagents/agent-explorer.jsonl`, lines: agent }] },
  },
  { code: 'tool-results-file-name', follows: spilled('b485b41.txt'), breaks: spilled('Output of Bash.txt') },
  { code: 'tool-results-file-name', follows: spilled('bp2f26hmh.txt'), breaks: spilled('output.txt') },
  { code: 'tool-results-file-name', follows: spilled('deadbeef.txt'), breaks: spilled('toolresult1.txt') },
  {
    code: 'tool-results-file-name',
    only: ['s2'],
    follows: spilledHome('b485b41.txt'),
    breaks: spilledHome('b485b41.log'),
  },
  {
    code: 'tool-results-mcp-file-name',
    follows: spilled('mcp-shopdb-report-1794725407044.txt'),
    breaks: spilled('mcp-shopdb-report.txt'),
  },
]

// The flows and trees that the specifications draw, as the lines they represent. What they mean is said in the test.

import type { JsonObject } from '../../src/base/json.ts'

const day = '2026-02-17T10:00:'
const seconds = (number: number) => `${day}${String(number).padStart(2, '0')}.000Z`

/** Gives the lines of a flow rising times. */
function timed(lines: readonly JsonObject[], toTime: (at: number) => unknown): JsonObject[] {
  return lines.map((line, at) => ({ sessionId: 'flow', timestamp: toTime(at + 1), ...line }))
}
const isoTimed = (lines: readonly JsonObject[]) => timed(lines, seconds)
const msTimed = (lines: readonly JsonObject[]) => timed(lines, at => Date.parse(seconds(at)))

const use = (id: string, name: string, input: JsonObject = {}) => ({ type: 'tool_use', id, name, input })
const answerTo = (id: string, content: unknown) => ({ type: 'tool_result', tool_use_id: id, content, is_error: false })
const said = (text: string) => ({ type: 'text', text })

function s0(
  uuid: string,
  parentUuid: string | null,
  type: string,
  content: unknown,
  more: JsonObject = {},
): JsonObject {
  return { uuid, parentUuid, type, version: '1.0.128', message: { type: 'message', content }, ...more }
}

const side = { isSidechain: true }

const standard000 = msTimed([
  s0('m1', null, 'human', 'Fix the bug in auth.py'),
  s0('m2', 'm1', 'assistant', [said("I'll examine the file"), use('t1', 'Read', { file_path: 'auth.py' })]),
  s0('m3', 'm2', 'tool_result', [answerTo('t1', 'File contents')]),
  s0('m4', 'm3', 'assistant', [said('Found the issue'), use('t2', 'Edit', { file_path: 'auth.py' })]),
  s0('m5', 'm4', 'tool_result', [answerTo('t2', 'File updated successfully')]),
])

const delegation000 = msTimed([
  s0('m1', null, 'assistant', [
    said('Delegating to specialist'),
    use('t1', 'Task', { subagent_type: 'bug-hunter', prompt: 'Find bugs in auth module' }),
  ]),
  s0('m2', 'm1', 'human', 'Find bugs in auth module', { ...side, userType: 'external' }),
  s0('m3', 'm2', 'assistant', [said('Analyzing...'), use('t2', 'Read', { file_path: 'auth.py' })], side),
  s0('m4', 'm3', 'tool_result', [answerTo('t2', 'File contents')], side),
  s0('m5', 'm4', 'assistant', [said('Found 3 issues...')], side),
  s0('m6', 'm1', 'tool_result', [answerTo('t1', 'Found 3 issues...')]),
])

function client(uuid: string, parentUuid: string | null, type: string, fields: JsonObject): JsonObject {
  return { type, uuid, parentUuid, version: '2.1.45', isSidechain: false, userType: 'external', cwd: '/w', ...fields }
}
const user = (uuid: string, parent: string | null, content: unknown, more: JsonObject = {}) =>
  client(uuid, parent, 'user', { message: { role: 'user', content }, ...more })
const tokens = { input_tokens: 3, output_tokens: 11, cache_creation_input_tokens: 20, cache_read_input_tokens: 400 }

/** One block of the API message `of`. */
function model(uuid: string, parent: string | null, of: string, block: JsonObject, more: JsonObject = {}): JsonObject {
  const message = { id: of, type: 'message', role: 'assistant', model: 'claude-opus-4-6', content: [block] }
  return client(uuid, parent, 'assistant', {
    requestId: `req_${of}`,
    message: { ...message, stop_reason: null, stop_sequence: null, usage: tokens },
    ...more,
  })
}
const progress = (uuid: string, parent: string | null, tool: string, data: JsonObject) =>
  client(uuid, parent, 'progress', { toolUseID: tool, parentToolUseID: tool, data })
const hook = { type: 'hook_progress', hookEvent: 'SessionStart', hookName: 'SessionStart:startup', command: 'start.sh' }

const graph001 = isoTimed([
  user('A', null, 'First question'),
  model('B', 'A', 'msg_1', said('First answer')),
  progress('C', 'A', 'toolu_1', { type: 'bash_progress' }),
  progress('D', 'A', 'toolu_1', hook),
  user('E', 'B', 'Second question'),
  model('F', 'E', 'msg_2', said('Second answer')),
])

const chain002 = isoTimed([
  progress('p', null, 'hook-1', hook),
  user('u1', 'p', 'check the data'),
  model('a1', 'u1', 'msg_1', said('Let me check')),
  model('a2', 'a1', 'msg_1', { type: 'thinking', thinking: 'Hm', signature: 'Ep0C' }),
  model('a3', 'a2', 'msg_1', use('t1', 'Bash', { command: 'ls' })),
  user('u2', 'a3', [answerTo('t1', 'a.txt')], { sourceToolAssistantUUID: 'a3' }),
  model('a4', 'u2', 'msg_2', said('One file')),
])

const turn002 = isoTimed([
  model('l1', null, 'msg_1', said('Let me check...')),
  model('l2', 'l1', 'msg_1', { type: 'thinking', thinking: '...' }),
  model('l3', 'l2', 'msg_1', use('toolu_01X', 'Bash')),
  progress('l4', 'l3', 'toolu_01X', { type: 'bash_progress', output: '.' }),
  user('l5', 'l3', [answerTo('toolu_01X', '...')], { sourceToolAssistantUUID: 'l3' }),
  model('l6', 'l5', 'msg_2', said('The output shows...')),
])

const parallel002 = isoTimed([
  model('n', null, 'msg_1', use('toolu_A', 'Read')),
  model('n1', 'n', 'msg_1', use('toolu_B', 'Grep')),
  user('n2', 'n1', [answerTo('toolu_A', 'first'), answerTo('toolu_B', 'second')]),
])

const task = { task_id: 'a7038ad', description: 'Explore the schema', task_type: 'local_agent' }
const relations002 = isoTimed([
  user('u1', null, 'Explore'),
  { type: 'file-history-snapshot', messageId: 'u1', snapshot: { messageId: 'u1', trackedFileBackups: {} } },
  model('a1', 'u1', 'msg_1', use('t1', 'Task', { prompt: 'Explore', description: task.description })),
  { type: 'queue-operation', operation: 'enqueue', content: JSON.stringify(task) },
  progress('p1', 'a1', 't1', { type: 'agent_progress' }),
  user('u2', 'a1', [answerTo('t1', [said('Two tables')])], { sourceToolAssistantUUID: 'a1' }),
  model('a2', 'u2', 'msg_2', said('There are two tables')),
  client('c1', null, 'system', {
    subtype: 'compact_boundary',
    content: 'Conversation compacted',
    logicalParentUuid: 'a2',
    compactMetadata: { trigger: 'auto', preTokens: 167710 },
  }),
  user('u3', 'c1', 'This session is being continued...', { isCompactSummary: true, isVisibleInTranscriptOnly: true }),
])

const agentLine = { isSidechain: true, agentId: task.task_id }
/** The file `subagents/agent-a7038ad.jsonl` next to the session of the relations above. */
export const relationsAgentFile: JsonObject[] = isoTimed([
  user('s1', null, 'Explore', agentLine),
  model('s2', 's1', 'msg_s', said('Two tables'), agentLine),
])

const s3 = (uuid: string, parentUuid: string | undefined, type: string, message: string, more: JsonObject = {}) => ({
  type,
  uuid,
  ...(parentUuid === undefined ? {} : { parentUuid }),
  message,
  ...more,
})

const dag003 = isoTimed([
  s3('msg-001', undefined, 'user', 'Hello'),
  s3('msg-002', 'msg-001', 'assistant', 'Hi there'),
  s3('msg-003', 'msg-002', 'user', 'Write code'),
  s3('msg-004', 'msg-003', 'assistant', "Here's the code"),
  s3('msg-005', 'msg-002', 'user', 'Explain this'),
  s3('msg-006', 'msg-005', 'assistant', 'Let me explain'),
])

const delegated = { isSidechain: true, userType: 'external' }
const sidechain003 = isoTimed([
  s3('msg-001', undefined, 'user', 'Analyze my project', { userType: 'human' }),
  s3('msg-002', 'msg-001', 'assistant', "I'll analyze using a specialist"),
  s3('msg-003', 'msg-002', 'user', 'Analyze codebase', delegated),
  s3('msg-004', 'msg-003', 'assistant', 'Analyzing...', side),
  s3('msg-005', 'msg-004', 'user', 'Focus on performance', delegated),
  s3('msg-006', 'msg-005', 'assistant', 'Performance analysis...', side),
  s3('msg-007', 'msg-006', 'assistant', 'Based on analysis...'),
])

const tree004 = [
  { type: 'summary', summary: 'The first way', leafUuid: 'a1a' },
  { type: 'summary', summary: 'The second way', leafUuid: 'a1b' },
  ...isoTimed([
    user('root', null, 'Root Message'),
    model('a1', 'root', 'msg_1', said('Assistant Response 1')),
    user('u1a', 'a1', 'User Follow-up 1a'),
    model('a1a', 'u1a', 'msg_1a', said('Assistant Response 1a')),
    user('u1b', 'a1', 'User Follow-up 1b'),
    model('a1b', 'u1b', 'msg_1b', said('Assistant Response 1b')),
    user('u2', 'root', 'User Follow-up 2'),
    model('a2', 'u2', 'msg_2', said('Assistant Response 2')),
  ]),
]

/** Place of a drawing → the lines it represents. */
export const flows = {
  '000 Message Flow Examples / Standard Development Flow #1': standard000,
  '000 Message Flow Examples / Task Delegation Flow #1': delegation000,
  '001 Conversation Graph #1': graph001,
  '002 3. Common Fields / UUID Chain (Message Tree) #1': chain002,
  '002 13. Conversation Flow Diagram #1': turn002,
  '002 13. Conversation Flow Diagram / Multi-tool Calls #1': parallel002,
  '002 15. Key Relationships #1': relations002,
  '003 Data Relationships / Message DAG Structure #1': dag003,
  '003 Data Relationships / Sidechain Relationships #1': sidechain003,
  '004 Message Threading and Relationships / Conversation Flow #1': tree004,
} as const satisfies Readonly<Record<string, readonly JsonObject[]>>

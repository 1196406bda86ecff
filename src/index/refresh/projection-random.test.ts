// Whether projected events say the same as full ones whatever the records are: sessions of random records that use the few fields
// by which things are linked, in all the wrong ways too.

import { expect, test } from 'vitest'
import fc from '../../../test/property.ts'
import { textToBytes } from '../../base/bytes.ts'
import { decodeText } from '../../decode/decode.ts'
import { buildGraph, digestSession } from '../../graph/graph.ts'
import { titleOf } from '../../graph/lineage/title.ts'
import { sessionId } from '../../model/ids.ts'
import type { GraphFile, SessionGraph } from '../../model/session.ts'
import type { GenerationId, SessionFiles } from '../../model/source.ts'
import { StatsTally } from '../../session/stats.ts'
import { SessionSummary } from '../../session/summary.ts'
import { Extraction } from '../ingest/extract.ts'
import { RowWriter } from '../ingest/write.ts'
import { Database } from '../store/port.ts'
import { createTables } from '../store/schema.ts'
import { ProjectionReader, projectedFiles, projectedGraph } from './projection.ts'
import { summaryRows } from './summarise.ts'

const id = 's1'
const paths = ['/home/mira/.claude/projects/p/s1.jsonl', '/home/mira/.claude/projects/p/s1/subagents/agent-a1.jsonl']

const pick = <Value>(...values: Value[]) => fc.constantFrom(...values)
const long = (text: string) => text.repeat(500)
const words = pick(
  'Fix it',
  'Warmup',
  '  spaced  ',
  long('Do this. '),
  long('Do that.\n\n'),
  '<ide_opened_file>x</ide_opened_file>Go',
  '',
)
// An answer that repeats the task it was given, as the first of its sidechain, is not distinguished.
const said = pick('Done', long('Done. '), '')
const uuid = pick('u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'u7', 'u8')
const call = pick('c1', 'c2', 'c3', 'c4')
const agent = pick('a1', 'a2', 'b@team')
const at = fc.integer({ min: 0, max: 5000 }).map(ms => new Date(1.76e12 + ms * 61).toISOString())

const envelope = fc.record(
  {
    uuid,
    parentUuid: fc.oneof(uuid, fc.constant(null)),
    sessionId: pick(id, id, id, 's0'),
    timestamp: at,
    isSidechain: pick(false, false, true),
    agentId: agent,
    logicalParentUuid: uuid,
    cwd: pick('/x', '/y'),
    gitBranch: pick('main', ''),
    version: pick('1.0.3', '2.1.100'),
    isMeta: pick(true, false),
    isAborted: pick(true, false),
    isError: pick(true, false),
    forkedFrom: fc.record({ sessionId: pick('s0', 's9') }),
    teamName: pick('team'),
    agentName: pick('b'),
  },
  { requiredKeys: ['sessionId', 'timestamp'] },
)

const structured = fc.oneof(
  pick<unknown>('Error: no', 7, true, null, ['x'], { interrupted: true }, { isAsync: true, agentId: 'a1' }),
  fc.record(
    { agentId: agent, status: pick('async_launched', 'completed', 'teammate_spawned'), taskId: pick('t1') },
    { requiredKeys: [] },
  ),
  fc.record({ task: fc.record({ task_id: pick('t1', 'a1'), status: pick('completed', 'failed') }) }),
  fc.record({ backgroundTaskId: pick('t1'), shellId: pick('t1'), teammate_id: pick('b@team') }, { requiredKeys: [] }),
)
const resultText = pick(
  'ok',
  '[Request interrupted by user]',
  'x [Request interrupted by user]',
  'Async agent launched successfully',
  'see agentId: a1 there',
)
const resultContent = fc.oneof(
  resultText,
  fc.array(
    fc.oneof(
      resultText.map(text => ({ type: 'text', text })),
      fc.constant({ type: 'image', source: {} }),
    ),
    { maxLength: 2 },
  ),
)
const resultBlock = fc.record(
  { type: fc.constant('tool_result'), tool_use_id: call, content: resultContent, is_error: pick(true, false) },
  { requiredKeys: ['type', 'tool_use_id'] },
)
const input = fc.record(
  {
    prompt: words,
    description: words,
    subagent_type: pick('Explore'),
    file_path: pick('/a', '/b', '', long('/deep')),
    path: pick('/c'),
    filePath: pick('/d'),
    command: pick('ls'),
  },
  { requiredKeys: [] },
)
const callBlock = fc.record({
  type: fc.constant('tool_use'),
  id: call,
  name: pick('Task', 'Read', 'Edit', 'TaskStop', 'mcp__s__t'),
  input,
})
const usage = fc.record(
  {
    input_tokens: fc.nat(9),
    output_tokens: fc.nat(9),
    cache_read_input_tokens: fc.nat(9),
    service_tier: pick('standard'),
  },
  { requiredKeys: ['input_tokens'] },
)
const message = fc.record(
  {
    id: pick('m1', 'm2', 'm3'),
    role: fc.constant('assistant'),
    model: pick('claude-a', '<synthetic>'),
    content: fc.array(
      fc.oneof(
        callBlock,
        said.map(text => ({ type: 'text', text })),
      ),
      { maxLength: 3 },
    ),
    stop_reason: pick('end_turn'),
    usage,
  },
  { requiredKeys: ['role', 'content'] },
)
const typed = (
  type: string,
  fields: Record<string, fc.Arbitrary<unknown>>,
  more: Record<string, fc.Arbitrary<unknown>> = {},
) =>
  fc
    .tuple(envelope, fc.record(fields), fc.record(more, { requiredKeys: [] }))
    .map(([base, own, rest]) => ({ type, ...base, ...own, ...rest }))

const note = '<task-notification><task-id>t1</task-id><status>failed</status></task-notification>'
const record = fc.oneof(
  typed('user', { message: words.map(content => ({ role: 'user', content })) }, { isCompactSummary: pick(true) }),
  typed(
    'user',
    { message: fc.array(resultBlock, { minLength: 1, maxLength: 2 }).map(content => ({ role: 'user', content })) },
    { toolUseResult: structured, toolDenialKind: pick('interrupted', 'other') },
  ),
  typed('user', {
    message: pick(
      note,
      '<command-name>/cost</command-name>',
      '[Request interrupted by user]',
      '<teammate-message teammate_id="x">Fix it</teammate-message>',
    ).map(content => ({ role: 'user', content })),
  }),
  typed(
    'assistant',
    { message },
    { requestId: pick('r1', 'r2'), costUSD: pick(0.1, 0.16649604999999995), isApiErrorMessage: pick(true) },
  ),
  typed(
    'system',
    { subtype: pick('turn_duration', 'agents_killed', 'compact_boundary', 'local_command') },
    { durationMs: fc.nat(99), compactMetadata: pick({ trigger: 'auto', preTokens: 5 }), content: words },
  ),
  typed('progress', {
    toolUseID: call,
    parentToolUseID: call,
    data: fc.record({ type: pick('agent_progress'), agentId: agent, prompt: words }),
  }),
  typed('attachment', { attachment: words.map(prompt => ({ type: 'queued_command', prompt })) }),
  fc.record({
    type: fc.constant('queue-operation'),
    operation: pick('enqueue', 'remove', 'dequeue'),
    content: fc.oneof(words, fc.constant(note), fc.constant('{"task_id":"a2","description":"Fix it"}')),
    timestamp: at,
    sessionId: fc.constant(id),
  }),
  fc.record({ type: fc.constant('summary'), summary: pick('One', 'Two'), leafUuid: uuid }),
  fc.record({
    type: pick('custom-title', 'ai-title'),
    customTitle: pick('Mine', long('Long ')),
    aiTitle: pick('Its'),
    sessionId: fc.constant(id),
  }),
  fc.record(
    { type: fc.constant('last-prompt'), lastPrompt: words, leafUuid: uuid, sessionId: fc.constant(id) },
    { requiredKeys: ['type'] },
  ),
  fc.record({ type: fc.constant('file-history-snapshot'), messageId: uuid, snapshot: fc.record({ timestamp: at }) }),
  fc.record({ type: fc.constant('continued-in'), continuedIn: pick('s7'), sessionId: fc.constant(id) }),
  pick<unknown>('not a record', { type: 'x' }, { continuedInSessionId: 's8', type: 'user', uuid: 'u9', sessionId: id }),
)

const text = (records: readonly unknown[]) => records.map(each => `${JSON.stringify(each)}\n`).join('')

function filesOf(texts: readonly string[]): SessionFiles {
  const logs = texts.map((own, n) => ({
    path: paths[n] as string,
    role: n === 0 ? ('session' as const) : ('agent' as const),
    generation: `g${n}` as GenerationId,
    size: own.length,
    modifiedMs: 0,
    ...(n === 1 && { nameAgent: 'a1', meta: { agentType: 'Explore' } }),
  }))
  return { id: sessionId(id), slug: 'p', logs, side: [] }
}

function graphFiles(files: SessionFiles, texts: readonly string[]): GraphFile[] {
  return files.logs.map(({ path, role, nameAgent, meta }, n) => {
    const options = { session: id, role, file: path, ...(nameAgent !== undefined && { agent: nameAgent }) }
    const { events } = decodeText(texts[n] as string, options)
    return { path, role, events, ...(nameAgent !== undefined && { agent: nameAgent }), ...(meta && { meta }) }
  })
}

function indexOf(files: SessionFiles, texts: readonly string[]): { db: Database; fileIds: Map<string, number> } {
  const db = new Database(':memory:')
  createTables(db)
  const writer = new RowWriter(db)
  const fileIds = new Map<string, number>()
  files.logs.forEach(({ path, role, generation, size, nameAgent }, n) => {
    const file = n + 1
    fileIds.set(generation, file)
    const sql = `INSERT INTO file (id, generation, path, number, standing, role, size, modified, indexed, lines, events, tail)
      VALUES (?, ?, ?, 1, 0, ?, ?, 0, 0, 0, 0, 0)`
    db.prepare(sql).run([file, generation, path, role, size])
    const task = { file, source: generation, path, role, session: id, size, indexed: 0, isLive: true }
    const extraction = new Extraction({ ...task, ...(nameAgent !== undefined && { agent: nameAgent }) })
    extraction.push(textToBytes(texts[n] as string))
    writer.write(extraction.end())
  })
  return { db, fileIds }
}

/** What a graph says, without texts. */
function factsOf(graph: SessionGraph) {
  return {
    nodes: [...graph.nodes.values()].map(({ event, parent, link, children }) => [
      event.id,
      event.kind,
      parent,
      link,
      children,
    ]),
    threads: graph.threads.map(({ description: _, agentType: __, ...rest }) => rest),
    calls: graph.toolCalls.map(({ input: _, progress: __, spillFile: ___, result: ____, ...rest }) => rest),
    turns: graph.turns,
    compactions: graph.compactions,
    branches: graph.branches,
    abandoned: [...graph.abandoned],
    usage: graph.messages.map(({ blocks: _, ...rest }) => rest),
    title: titleOf(graph, []),
    digest: digestSession(graph),
  }
}

/** `PROJECTION_RUNS=5000` looks further than everyday checks do. */
const given = Number(process.env['PROJECTION_RUNS'] ?? 0)
const runs = given > 0 ? { numRuns: given } : { numRuns: 150, seed: 20261115 }

test('projected events of random records give the same graph, facts and statistics', () => {
  const session = fc.tuple(fc.array(record, { minLength: 1, maxLength: 25 }), fc.array(record, { maxLength: 8 }))
  fc.assert(
    fc.property(session, records => {
      const texts = records.map(text)
      const files = filesOf(texts)
      const { db, fileIds } = indexOf(files, texts)
      try {
        const read = graphFiles(files, texts)
        const summary = new SessionSummary(files.id)
        for (const { events } of read) for (const event of events) summary.see(event)
        const full = buildGraph(files.id, read)
        const projected = projectedGraph(db, files, fileIds)
        expect(factsOf(projected)).toEqual(factsOf(full))
        const [one, other] = [new StatsTally(), new StatsTally()]
        one.add(full)
        other.add(projected)
        expect(other.report([])).toEqual(one.report([]))
        const rows = summaryRows(
          files.id,
          projectedFiles(new ProjectionReader(db, 'summary'), files, fileIds, undefined),
        )
        const facts = summary.row()
        if (!facts.isTitleSure) Object.assign(facts, titleOf(full, []))
        expect(rows.facts).toEqual(facts)
        expect(rows.threads.map(row => row.slice(0, 3))).toEqual(
          full.threads.map(({ id: name, kind, events }) => [name, kind, events.length]),
        )
        expect(rows.turns.map(row => [row[1], row[6], row[7]])).toEqual(
          full.turns.map(({ prompt, events, toolCalls }) => [prompt, events.length, toolCalls.length]),
        )
      } finally {
        db.close()
      }
    }),
    runs,
  )
}, 120_000)

// What applies to all rules of this folder, whatever a file says: they never throw, and they take time in proportion.

import { describe, expect, test } from 'vitest'
import fc from '../../../test/property.ts'
import { isObject } from '../../base/json.ts'
import { decodeText } from '../../decode/decode.ts'
import { buildGraph } from '../../graph/graph.ts'
import { profiles } from '../../model/finding.ts'
import { sessionId } from '../../model/ids.ts'
import type { GenerationId, LogFile } from '../../model/source.ts'
import { Checker } from '../check.ts'
import type { Rule } from '../rule.ts'
import { compactionRules } from './compaction.ts'
import { contentRules } from './content.ts'
import { idRules } from './ids.ts'
import { lineRules } from './lines.ts'
import { locationRules } from './locations.ts'
import { orderRules } from './order.ts'
import { pairingRules } from './pairing.ts'
import { relationRules } from './relations.ts'
import { sidechainRules } from './sidechains.ts'
import { subagentRules } from './subagents.ts'

const rules: readonly Rule[] = [
  lineRules,
  idRules,
  orderRules,
  contentRules,
  pairingRules,
  relationRules,
  subagentRules,
  sidechainRules,
  compactionRules,
  locationRules,
].flat()

const session = sessionId('443661e2-a738-418d-a0a9-e7f0c36359f4')

function check(text: string, role: 'session' | 'agent', profile: (typeof profiles)[number]) {
  const path = role === 'agent' ? `/home/ada/${session}/subagents/agent-a1.jsonl` : `/home/ada/${session}.jsonl`
  const agent = role === 'agent' ? { nameAgent: 'a1' } : {}
  const file: LogFile = { path, role, generation: path as GenerationId, size: 0, modifiedMs: 0, ...agent }
  const { records, events } = decodeText(text, { file: path, role, session })
  const checker = new Checker(profile, rules)
  const byRecord = new Map(events.map(event => [event.record, event]))
  for (const record of records) checker.record(file, record, byRecord.get(record) ?? null)
  const files = { id: session, slug: '', logs: [file], side: [] }
  checker.session(files, buildGraph(session, [{ path, role, events }]))
  return checker.report()
}

const types = ['user', 'assistant', 'system', 'progress', 'summary', 'human', 'tool_result', 'queue-operation']
const moreTypes = ['compact_system', 'compact_prelude', 'compact_recap', 'file-history-snapshot', 'attachment']
const ids = fc.constantFrom('a', 'b', 'c', 'd', '', '00000000-0000-4000-8000-000000000001')
const odd = fc.oneof({ weight: 3, arbitrary: ids }, fc.jsonValue({ maxDepth: 2 }), fc.boolean(), fc.constant(null))
const block = fc.oneof(
  fc.record(
    {
      type: fc.oneof(fc.constantFrom('tool_use', 'tool_result', 'text', 'image'), odd),
      id: odd,
      tool_use_id: odd,
      name: fc.oneof(fc.constantFrom('Task', 'Bash'), odd),
      input: fc.oneof(fc.record({ prompt: odd }), odd),
      text: odd,
      content: odd,
      source: odd,
    },
    { requiredKeys: [] },
  ),
  odd,
)
const message = fc.oneof(
  fc.record(
    { id: odd, role: odd, content: fc.oneof(fc.array(block, { maxLength: 3 }), odd), usage: odd },
    { requiredKeys: [] },
  ),
  fc.constantFrom('conversation_compacting', 'conversation_compacted', 'conversation_restored'),
  odd,
)
const record = fc.record(
  {
    type: fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...types, ...moreTypes) }, odd),
    subtype: fc.oneof(fc.constantFrom('compact_boundary', 'tool_use'), odd),
    uuid: odd,
    parentUuid: odd,
    logicalParentUuid: odd,
    sessionId: odd,
    timestamp: fc.oneof(fc.constantFrom('2026-02-17T10:00:00.000Z', 1738160130123), odd),
    isSidechain: odd,
    agentId: odd,
    isCompactSummary: odd,
    isDeleted: odd,
    isAborted: odd,
    toolName: odd,
    toolArguments: odd,
    compactMetadata: odd,
    metadata: odd,
    messageId: odd,
    snapshot: odd,
    leafUuid: odd,
    sourceToolAssistantUUID: odd,
    toolUseID: odd,
    data: odd,
    content: odd,
    message,
  },
  { requiredKeys: ['type'] },
)

describe('the rules about lines, ids, order, pairs, subagents, compactions and places', () => {
  test('never throw, whatever JSON the records have, and always say where', () => {
    const lines = fc.array(fc.oneof({ weight: 9, arbitrary: record }, fc.jsonValue()), { maxLength: 8 })
    fc.assert(
      fc.property(lines, fc.constantFrom(...profiles), fc.constantFrom('session', 'agent'), (values, profile, role) => {
        const text = values.map(value => `${JSON.stringify(value)}\n`).join('')
        const { findings } = check(text, role, profile)
        expect(findings.every(finding => finding.file !== undefined && finding.message.length < 400)).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  test('survive records that are nested a hundred thousand levels deep', () => {
    const depth = 100_000
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`
    const keys = [
      'uuid',
      'parentUuid',
      'timestamp',
      'message',
      'isSidechain',
      'toolArguments',
      'compactMetadata',
      'agentId',
    ]
    const lines = keys.map(key => `{"type":"assistant","uuid":"u","sessionId":"s","${key}":${deep}}\n`)
    const usage = `{"type":"assistant","uuid":"v","sessionId":"s","message":{"id":"m","usage":{"x":${deep}},"content":[]}}\n`
    expect(isObject(check(lines.join('') + usage + usage, 'session', 's2'))).toBe(true)
  })

  test('find a loop that a longer chain leads into, once', () => {
    const link = (uuid: string, parentUuid: string) =>
      JSON.stringify({ type: 'user', uuid, parentUuid, sessionId: 's', message: {} })
    const text = [link('leaf', 'a'), link('a', 'b'), link('b', 'c'), link('c', 'a'), link('self', 'self')].join('\n')
    const loops = check(`${text}\n`, 'session', 'real').findings.filter(finding => finding.code === 'parent-loop')
    expect(loops.map(finding => finding.line)).toEqual([2, 5])
  })

  test('check twenty thousand records with as many calls and sidechains in a few seconds', () => {
    const lines: string[] = []
    for (let n = 0; n < 20_000; n += 2) {
      const common = { sessionId: session, timestamp: '2026-02-17T10:00:00.000Z', isSidechain: n % 20 > 10 }
      const content = [{ type: 'tool_use', id: `t${n}`, name: 'Task', input: { prompt: `Do ${n}` } }]
      const call = {
        ...common,
        type: 'assistant',
        uuid: `u${n}`,
        parentUuid: n === 0 ? null : `u${n - 1}`,
        message: { id: `m${n >> 3}`, content },
      }
      const result = [{ type: 'tool_result', tool_use_id: `t${n}`, content: 'ok' }]
      lines.push(JSON.stringify(call))
      lines.push(
        JSON.stringify({
          ...common,
          type: 'user',
          uuid: `u${n + 1}`,
          parentUuid: `u${n}`,
          message: { content: result },
        }),
      )
    }
    const { records } = check(`${lines.join('\n')}\n`, 'session', 's2')
    expect(records).toBe(20_000)
  }, 20_000)
})

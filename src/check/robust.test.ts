// Whatever a line has, checking it ends with findings and never with an exception.

import { expect, test } from 'vitest'
import fc from '../../test/property.ts'
import { runCase } from '../../test/rules/fixture.ts'
import { profiles } from '../model/finding.ts'
import { builtinRules } from './builtin.ts'
import { ruleRows } from './table.ts'

const keys = [
  ...[
    'type',
    'subtype',
    'uuid',
    'parentUuid',
    'logicalParentUuid',
    'sessionId',
    'timestamp',
    'version',
    'cwd',
    'message',
  ],
  ...[
    'role',
    'content',
    'model',
    'id',
    'usage',
    'cache_creation',
    'input',
    'name',
    'tool_use_id',
    'is_error',
    'source',
  ],
  ...['toolUseResult', 'file', 'oldTodos', 'newTodos', 'data', 'operation', 'snapshot', 'toolName', 'toolArguments'],
  ...['isSidechain', 'agentId', 'is_active', 'isCompactSummary', 'compactMetadata', 'metadata', 'leafUuid', 'summary'],
  ...['display', 'project', 'pastedContents', 'text', 'thinking', 'userType', 'isDeleted', 'isAborted', 'messageId'],
]
const words = [
  ...['user', 'assistant', 'system', 'progress', 'summary', 'queue-operation', 'file-history-snapshot', 'human'],
  ...['tool_result', 'tool_use', 'text', 'thinking', 'image', 'compact_system', 'compact_prelude', 'compact_recap'],
  ...['enqueue', 'turn_duration', 'compact_boundary', 'conversation_compacted', 'a', 'b', 'toolu_1', '{"task_id":1}'],
  ...['<command-name>', '<task-notification>', '__proto__', '2026-02-17T23:21:59Z', '2.0.1', '\ud800', ''],
]
const { line } = fc.letrec(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 1e13, 1e300),
    fc.constantFrom(...words),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('line'),
  ),
  line: fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 12 }),
}))

const codes = new Set([...ruleRows.map(({ id }) => id), ...builtinRules.map(({ code }) => code)])

test('no shape of JSON makes a rule throw, and every finding is one of the table at a known severity', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 6 }), fc.constantFrom(...profiles), async (lines, profile) => {
      const { findings } = await runCase(lines as Record<string, unknown>[], profile)
      for (const { code, severity, message } of findings) {
        expect(codes.has(code)).toBe(true)
        expect(['error', 'warning', 'info']).toContain(severity)
        expect(message.length).toBeGreaterThan(0)
      }
    }),
    { numRuns: 400 },
  )
})

test('a deeply nested line is checked like any other', async () => {
  const deep = `{"type":"user","message":{"role":"user","content":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`
  for (const profile of profiles) expect((await runCase([deep], profile)).records).toBe(1)
})

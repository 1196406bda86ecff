import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { corpusFolder } from '../../test/needs.ts'
import { asArray, asObject, asString } from '../base/json.ts'
import { RecordDecoder } from '../decode/records.ts'
import type { LogRecord } from '../model/record.ts'
import type { CatalogEntry } from './catalog/catalog.ts'
import { catalog } from './catalog/catalog.ts'
import { schemaNameOf, toolResultSchemaName } from './record-kind.ts'
import { jsonSchema, lint, schema, schemaNames } from './schema.ts'

/** Examples of progress and attachment subtypes are the inner object. */
function wholeExample(entry: CatalogEntry, example: unknown): unknown {
  if (entry.group === 'attachment') return { type: 'attachment', attachment: example }
  if (entry.group === 'progress') return { type: 'progress', data: example }
  return example
}

function* refs(value: unknown): Generator<string> {
  for (const item of asArray(value)) yield* refs(item)
  for (const [key, item] of Object.entries(asObject(value) ?? {})) {
    if (key === '$ref' && typeof item === 'string') yield item
    else yield* refs(item)
  }
}

describe('schemas', () => {
  it('become JSON Schema with an id, a title, a description and no dangling reference', () => {
    for (const name of schemaNames()) {
      const written = jsonSchema(name)
      expect(written, name).toMatchObject({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: `urn:clew:schema:${name}`,
        title: expect.stringMatching(/\S/),
        description: expect.stringMatching(/\S/),
      })
      const known = new Set(Object.keys(asObject(written?.$defs) ?? {}).map(key => `#/$defs/${key}`))
      expect(
        [...refs(written)].filter(ref => ref !== '#' && !known.has(ref)),
        name,
      ).toEqual([])
    }
  })

  it('carry the meaning of each field into the JSON Schema', () => {
    const properties = asObject(jsonSchema('summary')?.properties)
    expect(asObject(properties?.summary)).toEqual({ type: 'string', description: 'The title.' })
  })

  it('are the same object each time and absent for unknown names', () => {
    expect(schema('user')).toBe(schema('user'))
    for (const name of ['', 'nothing', 'toString', '__proto__', 'constructor']) {
      expect(schema(name)).toBeUndefined()
      expect(jsonSchema(name)).toBeUndefined()
    }
    expect(lint('nothing', {})).toEqual(['no schema is called nothing'])
  })

  it('accept the examples of the catalog', () => {
    for (const entry of catalog) {
      for (const example of entry.examples ?? []) {
        expect(lint(entry.name, wholeExample(entry, JSON.parse(example))), `${entry.name}: ${example}`).toEqual([])
      }
    }
  })

  it('let unknown fields and unknown blocks pass', () => {
    const future = { type: 'user', message: { content: [{ type: 'hologram', depth: 3 }] }, fromTheFuture: { a: 1 } }
    expect(lint('user', future)).toEqual([])
  })

  it('say in words what does not fit', () => {
    expect(lint('user', { type: 'user', uuid: 7, message: { content: 'Hello' } })).toEqual([
      expect.stringMatching(/^uuid: .*string/),
    ])
    expect(lint('user', { type: 'user' })).toEqual([expect.stringMatching(/^message: /)])
    expect(lint('user', { type: 'user', message: { content: [{ type: 'text' }] } })).toEqual([
      'message.content.0: does not fit its type',
    ])
    expect(lint('system-turn-duration', { type: 'system', subtype: 'turn_duration', durationMs: 'long' })).toHaveLength(
      1,
    )
  })

  it('do not throw on a value that is nested deeper than the stack', () => {
    let value: unknown = { type: 'text', text: 'at the bottom' }
    for (let depth = 0; depth < 100_000; depth++) {
      value = { type: 'tool-result', callId: 'c', isError: false, content: [value] }
    }
    expect(lint('block', value)).toEqual(['value: nested too deep to be checked'])
  })

  it('follow blocks inside tool results', () => {
    const inner = { type: 'tool-result', callId: 'b', isError: false, content: [{ type: 'text', text: 4 }] }
    const outer = { type: 'tool-result', callId: 'a', isError: false, content: [inner] }
    expect(lint('block', outer)).toEqual([expect.stringMatching(/^content\.0\.content\.0\.text: /)])
  })

  it('accept a string for any failed tool call, and blocks from MCP tools only', () => {
    expect(lint('tool-result-bash', 'Error: no kettle')).toEqual([])
    expect(lint('tool-result-mcp', [{ type: 'text', text: 'four tins' }])).toEqual([])
    expect(lint('tool-result-bash', [])).toHaveLength(1)
  })
})

function corpusFiles(): string[] {
  return readdirSync(corpusFolder, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.jsonl'))
    .map(file => path.join(corpusFolder, file))
}

/** Problems of one file's records and of the tool results on them, as `schema: problem`. */
function fileProblems(records: readonly LogRecord[]): string[] {
  const problems: string[] = []
  const tools = new Map<string, string>()
  for (const record of records) {
    if (record.status !== 'known') continue
    const name = schemaNameOf(record)
    for (const problem of lint(name ?? `${record.dialect} ${record.type}`, record.value))
      problems.push(`${name}: ${problem}`)
    for (const block of asArray(asObject(record.value?.message)?.content).map(asObject)) {
      if (block?.type === 'tool_use') tools.set(asString(block.id) ?? '', asString(block.name) ?? '')
      const tool = tools.get(asString(block?.tool_use_id) ?? '')
      const schemaName = tool === undefined ? undefined : toolResultSchemaName(tool)
      if (schemaName === undefined || record.value?.toolUseResult === undefined) continue
      for (const problem of lint(schemaName, record.value.toolUseResult)) problems.push(`${schemaName}: ${problem}`)
    }
  }
  return problems
}

describe('real logs', { tags: ['corpus', 'deep'] }, () => {
  it('fit the schemas of their kinds, every record of them', { timeout: 120_000 }, () => {
    const found = new Map<string, number>()
    let checked = 0
    for (const file of corpusFiles()) {
      const decoder = new RecordDecoder(file)
      const records = [...decoder.push(readFileSync(file)), ...decoder.end()]
      checked += records.length
      for (const problem of fileProblems(records)) found.set(problem, (found.get(problem) ?? 0) + 1)
    }
    expect([...found]).toEqual([])
    expect(checked).toBeGreaterThan(1000)
  })
})

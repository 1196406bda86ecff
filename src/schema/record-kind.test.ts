import { describe, expect, it } from 'vitest'
import type { LogRecord } from '../model/record.ts'
import { schemaNameOf, toolResultSchemaName } from './record-kind.ts'

const record = (part: Partial<LogRecord>): LogRecord => ({
  file: 'a.jsonl',
  line: 1,
  offset: 0,
  bytes: 10,
  dialect: 'client',
  type: null,
  status: 'known',
  ...part,
})

describe('the schema of a record', () => {
  it('is named after type and subtype', () => {
    expect(schemaNameOf(record({ type: 'user' }))).toBe('user')
    expect(schemaNameOf(record({ type: 'system', subtype: 'turn_duration' }))).toBe('system-turn-duration')
    expect(schemaNameOf(record({ type: 'attachment', subtype: 'queued_command' }))).toBe('attachment-queued-command')
    expect(schemaNameOf(record({ type: 'progress', subtype: 'bash_progress' }))).toBe('progress-bash-progress')
  })

  it('is that of the type where the subtype has none', () => {
    expect(schemaNameOf(record({ type: 'system' }))).toBe('system')
    expect(schemaNameOf(record({ type: 'system', subtype: 'from_the_future' }))).toBe('system')
    expect(schemaNameOf(record({ type: 'attachment', subtype: 'poll_events' }))).toBe('attachment')
  })

  it('follows the dialect', () => {
    expect(schemaNameOf(record({ dialect: 's0', type: 'tool_result' }))).toBe('s0-tool-result')
    expect(schemaNameOf(record({ dialect: 's3', type: 'user' }))).toBe('s3-user')
    expect(schemaNameOf(record({ dialect: 's3', type: 'assistant', subtype: 'tool_use' }))).toBe('s3-tool-use')
    expect(schemaNameOf(record({ dialect: 's3', type: 'assistant', value: { toolName: 'Read' } }))).toBe('s3-tool-use')
    expect(schemaNameOf(record({ dialect: 'history' }))).toBe('history')
    expect(schemaNameOf(record({ dialect: 'journal', type: 'started' }))).toBe('journal')
  })

  it('is absent for other tools and unknown types', () => {
    expect(schemaNameOf(record({ dialect: 'foreign', type: 'user' }))).toBeUndefined()
    expect(schemaNameOf(record({ dialect: 'unknown', type: 'hologram' }))).toBeUndefined()
    expect(schemaNameOf(record({ dialect: 'unknown' }))).toBeUndefined()
  })
})

describe('the schema of a tool result', () => {
  it('is named after the tool, all MCP tools sharing one', () => {
    expect(toolResultSchemaName('Bash')).toBe('tool-result-bash')
    expect(toolResultSchemaName('mcp__shop__stock')).toBe('tool-result-mcp')
    expect(toolResultSchemaName('Hologram')).toBeUndefined()
  })
})

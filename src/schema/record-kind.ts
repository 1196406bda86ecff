// Which schema describes a record or a tool's result. It goes by the names on the wire and looks at no other field.

import type { LogRecord } from '../model/record.ts'
import { entryByWire } from './catalog/catalog.ts'

/** The name of the schema that describes a record best; undefined where its type has none. */
export function schemaNameOf(record: LogRecord): string | undefined {
  const { type, subtype } = record
  if (record.dialect === 'history') return 'history'
  if (record.dialect === 'journal') return 'journal'
  if (type === null || record.dialect === 'foreign') return undefined
  if (record.dialect === 's0') return entryByWire('s0', type)?.name
  if (record.dialect === 's3') return s3Name(record, type)
  if (subtype !== undefined && (type === 'system' || type === 'progress' || type === 'attachment')) {
    return entryByWire(type, subtype)?.name ?? type
  }
  return entryByWire('record', type)?.name
}

function s3Name(record: LogRecord, type: string): string | undefined {
  const isCall = type === 'assistant' && (record.subtype === 'tool_use' || record.value?.toolName !== undefined)
  return isCall ? 's3-tool-use' : entryByWire('s3', type)?.name
}

/** The name of the schema for a tool's structured result. */
export function toolResultSchemaName(tool: string): string | undefined {
  return entryByWire('tool-result', tool.startsWith('mcp__') ? 'mcp__*' : tool)?.name
}

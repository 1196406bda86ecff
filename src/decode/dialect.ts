// Decides, line by line, which written form of the format a record has, and whether its type is known.
// The ladder is ordered: the first rung that fits wins. Three weak cases ask what the rest of the file is written in.

import { asObject, asString, isObject, type JsonObject } from '../base/json.ts'
import type { Dialect, RecordStatus } from '../model/record.ts'
import { foreignTool } from './foreign.ts'
import {
  attachmentTypes,
  clientTypes,
  journalTypes,
  progressTypes,
  s0OnlyTypes,
  s0Types,
  s3Types,
  systemSubtypes,
} from './known.ts'

export interface Classification {
  dialect: Dialect
  type: string | null
  subtype?: string
  status: RecordStatus
  foreign?: string
}

export class DialectReader {
  private readonly isHistoryFile: boolean
  private readonly counts = { client: 0, s0: 0, s3: 0 }

  constructor(file: string) {
    this.isHistoryFile = /(^|[\\/])history\.jsonl$/.test(file)
  }

  classify(value: JsonObject): Classification {
    const type = typeof value['type'] === 'string' ? value['type'] : null
    if (this.isHistory(value, type)) return { dialect: 'history', type, status: 'known' }
    if (type !== null && isJournal(value, type)) return { dialect: 'journal', type, status: 'known' }
    const foreign = foreignTool(value)
    if (foreign !== undefined) return { dialect: 'foreign', type, status: 'unknown', foreign }
    const dialect = this.dialectOf(value, type)
    if (dialect !== 'unknown') this.counts[dialect]++
    const found: Classification = { dialect, type, status: 'unknown' }
    const subtype = subtypeOf(value, type)
    if (subtype !== undefined) found.subtype = subtype
    if (isKnown(value, type, subtype, dialect)) found.status = 'known'
    return found
  }

  private isHistory(value: JsonObject, type: string | null): boolean {
    if (type !== null) return false
    const signs = ['display', 'project', 'pastedContents'].filter(key => key in value).length
    return this.isHistoryFile ? signs > 0 : signs > 1 && 'timestamp' in value
  }

  private dialectOf(value: JsonObject, type: string | null): 'client' | 's0' | 's3' | 'unknown' {
    if (hasMarkOf003(value, type)) return 's3'
    const message = asObject(value['message'])
    const hasRole = message !== undefined && typeof message['role'] === 'string'
    if (type !== null && s0OnlyTypes.has(type)) return 's0'
    if (message !== undefined && !hasRole && isMessageOf000(value, message)) return 's0'
    if (typeof value['message'] === 'string' && (type === null || s3Types.has(type))) return 's3'
    if (type !== null && (type === 'user' || type === 'assistant') && !hasRole && !('message' in value))
      return this.majority()
    if (type !== null && clientTypes.has(type)) return 'client'
    if (isUntypedSideRecord(value, type)) return 'client'
    return 'parentUuid' in value && typeof value['sessionId'] === 'string' ? 'client' : 'unknown'
  }

  /** Weak case: nothing in the line tells; the file's other lines do. */
  private majority(): 'client' | 's0' | 's3' {
    const { client, s0, s3 } = this.counts
    if (s3 > client && s3 >= s0) return 's3'
    return s0 > client ? 's0' : 'client'
  }
}

/** Looked for before the client's form, since a tool line of 003 has no `message`. */
function hasMarkOf003(value: JsonObject, type: string | null): boolean {
  if (type === 'compact_system' || value['userType'] === 'human') return true
  if ('toolName' in value || 'toolArguments' in value) return type === 'assistant' || type === 'user' || type === null
  return type === 'assistant' && value['subtype'] === 'tool_use' && !isObject(value['message'])
}

/** 000: `message` has a type but no role, and the time is a number. */
function isMessageOf000(value: JsonObject, message: JsonObject): boolean {
  return message['type'] === 'message' && typeof value['timestamp'] !== 'string'
}

function isUntypedSideRecord(value: JsonObject, type: string | null): boolean {
  if (type !== null) return false
  return ('summary' in value && 'leafUuid' in value) || ('messageId' in value && 'snapshot' in value)
}

/** A workflow's journal. `result` is also a frame of the SDK's stream, which has no key. */
function isJournal(value: JsonObject, type: string): boolean {
  if (!journalTypes.has(type) || 'uuid' in value || 'parentUuid' in value) return false
  return 'key' in value || (typeof value['agentId'] === 'string' && !('session_id' in value))
}

function subtypeOf(value: JsonObject, type: string | null): string | undefined {
  if (type === 'progress') return asString(asObject(value['data'])?.['type'])
  if (type === 'attachment') return asString(asObject(value['attachment'])?.['type'])
  return asString(value['subtype'])
}

function isKnown(value: JsonObject, type: string | null, subtype: string | undefined, dialect: Dialect): boolean {
  if (type === null) return isUntypedSideRecord(value, type)
  if (dialect === 's0') return s0Types.has(type)
  if (dialect === 's3') return s3Types.has(type)
  if (!clientTypes.has(type)) return false
  if (type === 'system') return subtype === undefined || systemSubtypes.has(subtype)
  if (type === 'progress') return subtype === undefined || progressTypes.has(subtype)
  if (type === 'attachment') return subtype === undefined || attachmentTypes.has(subtype)
  return true
}

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

/** How many lines were written in which form. */
export interface DialectCounts {
  client: number
  s0: number
  s3: number
}

export class DialectReader {
  private readonly isHistoryFile: boolean
  private readonly isJournalFile: boolean
  private readonly counts: DialectCounts

  /** `counts`: of the lines before, where reading continues. */
  constructor(file: string, counts: DialectCounts = { client: 0, s0: 0, s3: 0 }) {
    this.counts = { ...counts }
    this.isHistoryFile = /(^|[\\/])history\.jsonl$/.test(file)
    this.isJournalFile = /(^|[\\/])journal\.jsonl$/.test(file)
  }

  save(): DialectCounts {
    return { ...this.counts }
  }

  classify(value: JsonObject): Classification {
    const type = typeof value['type'] === 'string' ? value['type'] : null
    if (type === null) {
      if (this.isHistory(value)) return { dialect: 'history', type, status: 'known' }
    } else if (this.isJournal(value, type)) {
      return { dialect: 'journal', type, status: journalTypes.has(type) ? 'known' : 'unknown' }
    }
    const foreign = foreignTool(value, type)
    if (foreign !== undefined) return { dialect: 'foreign', type, status: 'unknown', foreign }
    const dialect = this.dialectOf(value, type)
    if (dialect !== 'unknown') this.counts[dialect]++
    const found: Classification = { dialect, type, status: 'unknown' }
    const subtype = subtypeOf(value, type)
    if (subtype !== undefined) found.subtype = subtype
    if (isKnown(type, subtype, dialect)) found.status = 'known'
    return found
  }

  /** Outside a file of that name, a text or what was pasted with it, and one more field of a history line. */
  private isHistory(value: JsonObject): boolean {
    const hasText = 'display' in value
    const hasPasted = 'pastedContents' in value
    const hasProject = 'project' in value
    if (this.isHistoryFile) return hasText || hasPasted || hasProject
    if ('uuid' in value || !(hasText || hasPasted)) return false
    return (hasText && hasPasted) || hasProject || typeof value['timestamp'] === 'number'
  }

  /** A workflow's journal. `result` is also a frame of the SDK's stream, which has no key. */
  private isJournal(value: JsonObject, type: string): boolean {
    const isNamed = journalTypes.has(type)
    if (!isNamed && (!this.isJournalFile || clientTypes.has(type))) return false
    if ('uuid' in value || 'parentUuid' in value) return false
    return this.isJournalFile || 'key' in value || (typeof value['agentId'] === 'string' && !('session_id' in value))
  }

  private dialectOf(value: JsonObject, type: string | null): 'client' | 's0' | 's3' | 'unknown' {
    if (hasMarkOf003(value, type)) return 's3'
    if (type !== null && s0OnlyTypes.has(type)) return 's0'
    const message = value['message']
    if (isObject(message)) {
      // 000: `message` has a type but no role, and the time is a number.
      if (message['type'] === 'message' && typeof message['role'] !== 'string')
        return typeof value['timestamp'] === 'string' ? this.withoutRole() : 's0'
    } else if (typeof message === 'string') {
      if (isTextLineOf003(value, type)) return 's3'
    } else if (message === undefined && (type === 'user' || type === 'assistant')) {
      return this.majority()
    }
    if (type === null) return isUntypedSideRecord(value) ? 'client' : 'unknown'
    if (clientTypes.has(type)) return 'client'
    return 'parentUuid' in value && typeof value['sessionId'] === 'string' ? 'client' : 'unknown'
  }

  /** Weak case: nothing in the line decides; the file's other lines do. */
  private majority(): 'client' | 's0' | 's3' {
    const { client, s0, s3 } = this.counts
    if (s3 > client && s3 >= s0) return 's3'
    return s0 > client ? 's0' : 'client'
  }

  /** Weak case: a message of 000 with a time as Claude Code writes it. */
  private withoutRole(): 'client' | 's0' {
    return this.counts.s0 > this.counts.client ? 's0' : 'client'
  }
}

/** Looked for before Claude Code's form, since a tool line of 003 has no `message`. */
function hasMarkOf003(value: JsonObject, type: string | null): boolean {
  if (value['userType'] === 'human') return true
  if (type === 'assistant' || type === 'user' || type === null) {
    if ('toolName' in value || 'toolArguments' in value) return true
    return type === 'assistant' && value['subtype'] === 'tool_use' && !isObject(value['message'])
  }
  return type === 'compact_system'
}

function isTextLineOf003(value: JsonObject, type: string | null): boolean {
  if (type === null) return true
  if (!s3Types.has(type)) return false
  return type !== 'system' || !systemSubtypes.has(asString(value['subtype']) ?? '')
}

function isUntypedSideRecord(value: JsonObject): boolean {
  return ('summary' in value && 'leafUuid' in value) || ('messageId' in value && 'snapshot' in value)
}

function subtypeOf(value: JsonObject, type: string | null): string | undefined {
  if (type === 'progress') return asString(asObject(value['data'])?.['type'])
  if (type === 'attachment') return asString(asObject(value['attachment'])?.['type'])
  return asString(value['subtype'])
}

function isKnown(type: string | null, subtype: string | undefined, dialect: Dialect): boolean {
  if (type === null) return dialect === 'client'
  if (dialect === 's0') return s0Types.has(type)
  if (dialect === 's3') return s3Types.has(type)
  if (!clientTypes.has(type)) return false
  if (type === 'system') return subtype === undefined || systemSubtypes.has(subtype)
  if (type === 'progress') return subtype === undefined || progressTypes.has(subtype)
  if (type === 'attachment') return subtype === undefined || attachmentTypes.has(subtype)
  return true
}

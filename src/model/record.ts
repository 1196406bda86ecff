// One record: a line, or a part of one, as it was written. It keeps the wire's names and says where its bytes lie.

import type { JsonObject } from '../base/json.ts'

/**
 * How a line was written. `client`: what Claude Code writes (specifications 001, 002, 004). `s0`, `s3`: the
 * vocabularies of 000 and 003. `history`: history.jsonl. `journal`: a workflow's journal. `foreign`: another tool's log.
 */
export type Dialect = 'client' | 's0' | 's3' | 'history' | 'journal' | 'foreign' | 'unknown'

/** `torn`: an unfinished last line that may still grow. `oversized`: over 64 MiB, preserved but not parsed. `blank`: white space or NULs only. */
export type RecordStatus = 'known' | 'unknown' | 'malformed' | 'torn' | 'oversized' | 'blank'

/** What is odd about a record's bytes, apart from its content. */
export type RecordMark =
  | 'bom' // begins with a UTF-8 byte order mark; the client cannot read such a line
  | 'crlf'
  | 'nul' // NUL bytes are around or in it
  | 'nul-prefix' // NUL bytes are before it and nowhere else
  | 'invalid-utf8'
  | 'comma' // a comma is before or after the object
  | 'no-newline' // complete, but the file ends without a newline
  | 'glued' // shares its line with another record
  | 'lines' // an object that is spread over several lines
  | 'unread' // Claude Code does not read it: it is not the first value of its line, or not valid JSON as it is
  | 'array' // the line begins with `[`
  | 'array-end' // the line ends an array that began on an earlier one
  | 'not-object' // parses, but is not an object

/** A record as decoded. The `bytes` of all records of a file add up to its size. */
export interface LogRecord {
  /** The path the file was read from. */
  readonly file: string
  /** 1-based number of the line in its file. */
  readonly line: number
  /** First byte, counted from the start of the file. */
  readonly offset: number
  /** Length with line end, BOM and NULs. */
  readonly bytes: number
  /** 1, 2, … when one line has several glued records. */
  readonly part?: number
  readonly dialect: Dialect
  /** The wire's `type`; null where there is none. */
  readonly type: string | null
  /** `subtype` of system lines and of 000 and 003, `data.type` of progress, `attachment.type` of attachments. */
  readonly subtype?: string
  readonly status: RecordStatus
  /** Which tool wrote it, when `dialect` is `foreign`. */
  readonly foreign?: string
  /** The parsed object; absent when the line has none. */
  readonly value?: JsonObject
  /** Absent when nothing is odd. */
  readonly marks?: readonly RecordMark[]
  /** What the beginning of a torn line says of its place in the chain. */
  readonly stump?: { readonly uuid: string; readonly parent: string | null }
  /** See `contentDigest`; only where the record comes from rows that do not have its content. */
  readonly content?: number
}

/** The part of a record that `clew records --json` prints; its `value` only where that was asked for. */
export type RecordLine = Omit<LogRecord, 'marks' | 'stump' | 'content'>

/** Whether there is an object in a record's bytes. */
export function isRead({ status }: LogRecord): boolean {
  return status === 'known' || status === 'unknown'
}

/** Whether a record's bytes carry a mark. */
export function hasMark(record: LogRecord, mark: RecordMark): boolean {
  return record.marks?.includes(mark) ?? false
}

// For tests of the scan: the statements of a log by scanning its lines and by decoding all of them.

import type { RangeReader } from '../../model/source.ts'
import type { UsageStatement } from '../../model/usage.ts'
import type { UsageExtras, UsageLog } from '../statement.ts'
import { LineScan, LogDecode, wholeLines } from './scan.ts'

export const log: UsageLog = {
  path: '/h/projects/p/s.jsonl',
  place: 3,
  nameSession: 's',
  isAgentFile: false,
  options: { session: 's', role: 'session' },
}

export const agentLog: UsageLog = {
  path: '/h/projects/p/s/subagents/agent-a1.jsonl',
  place: 4,
  nameSession: 's',
  isAgentFile: true,
  options: { session: 's', role: 'agent', agent: 'a1' },
}

export function decoded(bytes: Uint8Array, from: UsageLog, extras: UsageExtras = {}): UsageStatement[] {
  const found: UsageStatement[] = []
  const decode = new LogDecode(from, extras, statement => found.push(statement))
  decode.push(bytes)
  decode.end()
  return found
}

/** Null where a line is not plain. */
export function scanned(bytes: Uint8Array, from: UsageLog): UsageStatement[] | null {
  const found: UsageStatement[] = []
  const scan = new LineScan(from, statement => found.push(statement))
  for (const { lines, offset } of wholeLines(readerOf(bytes), 0)) if (!scan.lines(lines, offset)) return null
  return found
}

export function readerOf(bytes: Uint8Array): RangeReader {
  return { read: (into, from) => Buffer.from(bytes).copy(into, 0, from, from + into.length), close() {} }
}

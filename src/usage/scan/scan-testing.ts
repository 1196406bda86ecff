// For tests of the scan: a file's statements by full decoding and by scanning its bytes, cut and read in any way.

import { regionsOf } from '../../grep/candidates.ts'
import type { ByteSource, GenerationId } from '../../model/source.ts'
import type { UsageOccurrence } from '../../model/spent.ts'
import type { UsageExtras, UsageLog } from '../occurrence.ts'
import { UsageDecode, UsageScan } from './scan.ts'

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

export function decoded(bytes: Uint8Array, from: UsageLog, extras: UsageExtras): UsageOccurrence[] {
  const found: UsageOccurrence[] = []
  const decode = new UsageDecode(from, extras, occurrence => found.push(occurrence))
  decode.push(bytes)
  decode.end()
  return found
}

export interface Cutting {
  /** Where the file is cut into parts that are scanned apart from each other. */
  cuts?: readonly number[]
  placeBytes?: number
  usesVectors?: boolean
}

export interface Scanned {
  /** Null where the file has to be decoded whole. */
  found: UsageOccurrence[] | null
  /** How many lines were decoded. */
  oddLines: number
}

export function scanned(bytes: Uint8Array, from: UsageLog, extras: UsageExtras, cutting: Cutting = {}): Scanned {
  const { cuts = [], ...looking } = { placeBytes: 64 * 1024, ...cutting }
  const found: UsageOccurrence[] = []
  const scan = new UsageScan({ ...extras, ...looking }, occurrence => found.push({ ...occurrence }))
  const place = Buffer.from(scan.place.buffer, scan.place.byteOffset, scan.place.length)
  const borders = [...new Set(cuts)].filter(cut => cut > 0 && cut < bytes.length).sort((one, other) => one - other)
  scan.begin(from)
  for (const [n, start] of [0, ...borders].entries()) {
    const range = { generation: 'g' as GenerationId, from: start, to: borders[n] ?? Number.POSITIVE_INFINITY }
    for (const region of regionsOf(sourceOf(bytes), range, place)) {
      const first = region.bytes.byteOffset - place.byteOffset
      const isHere = region.bytes.buffer === place.buffer
      const isDone = isHere
        ? scan.scan(first, first + region.bytes.length, region.offset)
        : scan.scanLong(region.bytes, region.offset)
      if (!isDone) return { found: null, oddLines: scan.oddLines }
    }
  }
  return { found, oddLines: scan.oddLines }
}

function sourceOf(bytes: Uint8Array): ByteSource {
  return {
    async *read(_generation, from, to) {
      yield bytes.slice(from, Math.min(to, bytes.length))
    },
    readSync: (_generation, from, to) => bytes.slice(from, Math.min(to, bytes.length)),
  }
}

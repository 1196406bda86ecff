// Until when logs that begin alike have copies of each other's records. A status line asks once for each session, and lineage
// decides as it does for everything else. It counts nothing.

import { decodeText } from '../../decode/events.ts'
import { copiedParts, EventDigest } from '../../graph/lineage/lineage.ts'
import { sessionId } from '../../model/ids.ts'
import type { SessionDigest } from '../../model/session.ts'
import type { RangeReader } from '../../model/source.ts'
import type { LogStat } from './logs.ts'

/** More takes longer than Claude Code waits for a line: whose the copies are is then decided by the order of paths. */
const mostBytes = 32 * 1024 * 1024

/** By session, in milliseconds since 1970: what is later is its own. Sessions that copied nothing from these are not in it. */
export function copiedTimes(logs: readonly LogStat[], open: (path: string) => RangeReader): Record<string, number> {
  if (logs.reduce((sum, { size }) => sum + size, 0) > mostBytes) return {}
  const here = new Set(logs.map(({ session }) => session))
  const times: Record<string, number> = {}
  for (const [session, { from, until }] of copiedParts(logs.flatMap(log => digestOf(log, open)))) {
    if (until !== null && here.has(from)) times[session] = Date.parse(until)
  }
  return times
}

/** Empty where the log cannot be read. */
function digestOf({ path, session, size, modifiedMs }: LogStat, open: (path: string) => RangeReader): SessionDigest[] {
  try {
    const reader = open(path)
    try {
      const bytes = Buffer.alloc(size)
      const { events } = decodeText(bytes.subarray(0, reader.read(bytes, 0)), { file: path, session })
      const digest = new EventDigest(sessionId(session))
      for (const event of events) digest.see(event)
      return [digest.digest(modifiedMs)]
    } finally {
      reader.close()
    }
  } catch {
    return []
  }
}

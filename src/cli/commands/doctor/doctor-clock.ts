// Whether the clock can be trusted: no record should have been written in the future. It reads the ends of a few files.

import { toMillis } from '../../../base/instant.ts'
import { RecordDecoder } from '../../../decode/decode.ts'
import { ReadError } from '../../../disk/read/read.ts'
import type { ByteSource, LogFile, SessionFiles } from '../../../model/source.ts'
import type { Problem } from './doctor-problem.ts'

const tailBytes = 64 * 1024
const looked = 5
/** Clocks of two machines that share a home differ a little. */
const allowedMs = 5 * 60_000

/** The latest time in the ends of the files that were changed last; undefined where none has any. */
export async function newestRecord(sessions: readonly SessionFiles[], source: ByteSource): Promise<number | undefined> {
  const logs = sessions.flatMap(session => session.logs).sort((a, b) => b.modifiedMs - a.modifiedMs)
  let newest: number | undefined
  for (const log of logs.slice(0, looked)) {
    const last = await lastTime(log, source).catch(error => {
      if (error instanceof ReadError) return undefined
      throw error
    })
    if (last !== undefined && (newest === undefined || last > newest)) newest = last
  }
  return newest
}

async function lastTime(log: LogFile, source: ByteSource): Promise<number | undefined> {
  const decoder = new RecordDecoder(log.path)
  const records = []
  for await (const chunk of source.read(log.generation, Math.max(0, log.size - tailBytes), log.size))
    for (const record of decoder.push(chunk)) records.push(record)
  let last: number | undefined
  for (const { value } of [...records, ...decoder.end()]) {
    const at = toMillis(value?.['timestamp'])
    if (at !== null && (last === undefined || at > last)) last = at
  }
  return last
}

export function clockProblem(newest: number | undefined, now: number): Problem[] {
  if (newest === undefined || newest <= now + allowedMs) return []
  const message = `The clock says ${new Date(now).toISOString()}, but a record was written at ${new Date(newest).toISOString()}.`
  const remedy = 'Set the clock; until then ages and what will be deleted when are wrong.'
  return [{ code: 'clock-behind', severity: 'error', losesData: false, message, remedy }]
}

// What calls were asked to run, as far as rows keep it: commands, patterns, addresses, cut to a line.

import type { Database } from '../store/port.ts'
import { eventsPerFile } from '../store/schema.ts'

export interface CallCommand {
  /** Place of the event in its file, and of the block in the event's calls. */
  ordinal: number
  call: string
  command: string
}

/** Of one indexed file, in order. */
export function callCommands(db: Database, file: number): CallCommand[] {
  const sql = 'SELECT event, call, command FROM call WHERE event >= ? AND event < ? AND command IS NOT NULL'
  const first = file * eventsPerFile
  return db
    .prepare(sql)
    .all([first, first + eventsPerFile])
    .map(([event, call, command]) => ({
      ordinal: Number(event) - first,
      call: String(call),
      command: String(command),
    }))
}

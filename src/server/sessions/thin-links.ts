// Which calls progress lines, hooks and notes are about: rows do not tell it, so the few bytes that do are looked for in their
// records. Nothing else of them is decoded.

import { Buffer } from 'node:buffer'
import type { SessionEvent } from '../../model/event.ts'
import type { ByteSource, LogFile } from '../../model/source.ts'
import { readRange, runsOf } from './hydrate.ts'

const linkedKinds: ReadonlySet<string> = new Set(['progress', 'hook', 'notice', 'attachment'])
const names = ['toolUseID', 'parentToolUseID'] as const

/** Adds to the details of thin events what `graph` hangs them by. */
export async function addCallLinks(events: readonly SessionEvent[], log: LogFile, source: ByteSource): Promise<void> {
  for (const run of runsOf(events.filter(event => linkedKinds.has(event.kind)))) {
    const from = run[0]?.source.offset ?? 0
    const to = run.reduce((end, { source: { offset, bytes } }) => Math.max(end, offset + bytes), from)
    const found = await readRange(source, log, from, to)
    const bytes = Buffer.from(found.buffer, found.byteOffset, found.length)
    for (const event of run) {
      const start = event.source.offset - from
      const record = bytes.subarray(start, start + event.source.bytes)
      for (const name of names) addField(event, record, name)
    }
  }
}

/** A quote inside a text is escaped, so that what is found is a field; the outermost one is the last or the only one. */
function addField(event: SessionEvent, record: Buffer, name: (typeof names)[number]): void {
  const mark = `"${name}":"`
  const at = record.lastIndexOf(mark)
  if (at < 0) return
  const start = at + mark.length
  const end = record.indexOf(0x22, start)
  if (end < 0 || end - start > 500) return
  event.detail = { ...event.detail, [name]: record.toString('utf8', start, end) }
}

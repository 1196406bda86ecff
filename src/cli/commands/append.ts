// `clew append`: events in canonical form from standard input, one JSON object per line, as records of a session.

import { createInterface } from 'node:readline'
import { append } from '../../answers/write/change.ts'
import { asObject, parseJson } from '../../base/json.ts'
import { countOf } from '../../view/words.ts'
import { type Appended, type NewEvent, type SessionWriter, WriteError } from '../../write/write.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { printChange, writeQuery } from '../write/print-change.ts'

export async function run(input: CommandInput): Promise<ExitCode> {
  const { globals } = input
  const query = writeQuery(input)
  const report = await append(globals.clew, query, query.isDry === true ? appendTogether : appendEach)
  await printChange(
    report,
    `${report.session.slice(0, 8)}: ${countOf(report.events.length, 'event')} appended`,
    globals,
  )
  return 0
}

/** Each is in the file before the next is read. */
async function appendEach(writer: SessionWriter): Promise<Appended[]> {
  const appended: Appended[] = []
  for await (const event of eventsIn(process.stdin)) appended.push(await writer.append(event))
  return appended
}

async function appendTogether(writer: SessionWriter): Promise<Appended[]> {
  const events: NewEvent[] = []
  for await (const event of eventsIn(process.stdin)) events.push(event)
  return events.length === 0 ? [] : writer.appendAll(events)
}

async function* eventsIn(stream: NodeJS.ReadableStream): AsyncGenerator<NewEvent> {
  let number = 0
  for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++
    if (line.trim() === '') continue
    const event = asObject(parseJson(line))
    if (event === undefined) throw new WriteError('bad-input', `Line ${number} of the input is not a JSON object.`)
    yield fromPrinted(event as unknown as NewEvent)
  }
}

/** `clew events --json` prints where an event comes from: that is not where it goes. */
function fromPrinted(event: NewEvent): NewEvent {
  const {
    source: _source,
    session: _session,
    thread: _thread,
    dialect: _dialect,
    ...own
  } = event as NewEvent & Record<string, unknown>
  return own as NewEvent
}

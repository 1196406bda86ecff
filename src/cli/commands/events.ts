// `clew events`: every event of files, in file order, or of all files of a session.

import { eventDecoder, toEventLine } from '../../session/load.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { eventText } from '../session/event-text.ts'
import { streamRecords } from '../session/stream.ts'
import { printJson, printLine } from '../terminal/output.ts'

export function run(input: CommandInput): Promise<ExitCode> {
  const { options, globals } = input
  return streamRecords(input, async ({ log, session }) => {
    const decoder = eventDecoder(log, { data: options['data'] === true, ...(session && { session: session.id }) })
    return async record => {
      for (const event of decoder.decode(record))
        await (globals.json ? printJson(toEventLine(event)) : printLine(eventText(event, globals.clew.timezone)))
    }
  })
}

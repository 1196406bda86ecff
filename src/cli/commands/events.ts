// `clew events`: every event of files, in file order, or of all files of a session.

import type { EventOptions } from '../../decode/decode.ts'
import { eventDecoder, recordBatches, toEventLine } from '../../session/load.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { filesOrSession } from '../input.ts'
import { eventText } from '../session/event-text.ts'
import { FileVerdict, reportInput } from '../session/verdict.ts'
import { isOutputClosed, printJson, printLine } from '../terminal/output.ts'

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  const input = await filesOrSession(args, globals)
  let exitCode = reportInput(input.findings, input.files.length, globals.quiet)
  for (const { log, source, session } of input.files) {
    const verdict = new FileVerdict(log)
    const known: EventOptions = { data: options['data'] === true, ...(session ? { session: session.id } : {}) }
    const decoder = eventDecoder(log, known)
    await verdict.guard(async () => {
      for await (const batch of recordBatches(source, log)) {
        for (const record of batch) {
          verdict.see(record)
          const event = decoder.decode(record)
          if (event)
            await (globals.json ? printJson(toEventLine(event)) : printLine(eventText(event, globals.timezone)))
        }
        if (isOutputClosed()) return
      }
    })
    if (isOutputClosed()) return 0
    exitCode = verdict.report(exitCode)
  }
  return exitCode
}

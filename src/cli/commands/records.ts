// `clew records`: every record of files, or of all files of a session, with its place, dialect and type, while they are
// read. Of several files each has its name above it.

import pc from 'picocolors'
import { escapeForLine } from '../../base/escape.ts'
import type { LogRecord } from '../../model/record.ts'
import { recordBatches, toRecordLine } from '../../session/load.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { filesOrSession } from '../input.ts'
import { FileVerdict, reportInput } from '../session/verdict.ts'
import { isOutputClosed, printJson, printLine } from '../terminal/output.ts'

export async function run({ args, globals }: CommandInput): Promise<ExitCode> {
  const input = await filesOrSession(args, globals)
  let exitCode = reportInput(input.findings, input.files.length, globals.quiet)
  for (const { log, source } of input.files) {
    const verdict = new FileVerdict(log)
    if (input.files.length > 1 && !globals.json) await printLine(pc.bold(escapeForLine(log.path)))
    await verdict.guard(async () => {
      for await (const batch of recordBatches(source, log)) {
        for (const record of batch) {
          verdict.see(record)
          await (globals.json ? printJson(toRecordLine(record)) : printLine(recordText(record)))
        }
        if (isOutputClosed()) return
      }
    })
    if (isOutputClosed()) return 0
    exitCode = verdict.report(exitCode)
  }
  return exitCode
}

/** `   12  client  user               known      1234 bytes at 5678`. */
function recordText(record: LogRecord): string {
  const type = record.subtype === undefined ? (record.type ?? '-') : `${record.type ?? '-'}/${record.subtype}`
  const line = record.part === undefined ? `${record.line}` : `${record.line}.${record.part}`
  const dialect = record.foreign ?? record.dialect
  const columns = [line.padStart(6), dialect.padEnd(8), escapeForLine(type).padEnd(34), record.status.padEnd(9)]
  return `${columns.join('  ')}  ${record.bytes} bytes at ${record.offset}`
}

// `clew records`: every record of files, or of all files of a session, with its place, dialect and type, while they are
// read. Of several files each has its name above it.

import pc from 'picocolors'
import { escapeForLine } from '../../base/escape.ts'
import { jsonText } from '../../base/json.ts'
import type { LogRecord } from '../../model/record.ts'
import { toRecordLine } from '../../session/load.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { streamRecords } from '../session/stream.ts'
import { printJson, printLine } from '../terminal/output.ts'

export function run(input: CommandInput): Promise<ExitCode> {
  const { json } = input.globals
  const values = input.options['values'] === true
  return streamRecords(input, async ({ log }, fileCount) => {
    if (fileCount > 1 && !json) await printLine(pc.bold(escapeForLine(log.path)))
    return async record => {
      const line = toRecordLine(record, { values })
      if (json) return printJson(line)
      await printLine(recordText(record))
      if (line.value !== undefined) await printLine(`        ${escapeForLine(jsonText(line.value))}`)
    }
  })
}

/** `   12  client  user               known      1234 bytes at 5678`. */
function recordText(record: LogRecord): string {
  const type = record.subtype === undefined ? (record.type ?? '-') : `${record.type ?? '-'}/${record.subtype}`
  const line = record.part === undefined ? `${record.line}` : `${record.line}.${record.part}`
  const dialect = record.foreign ?? record.dialect
  const columns = [line.padStart(6), dialect.padEnd(8), escapeForLine(type).padEnd(34), record.status.padEnd(9)]
  return `${columns.join('  ')}  ${record.bytes} bytes at ${record.offset}`
}

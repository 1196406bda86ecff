// Prints records of files while they are read, and what is wrong with a file as a whole behind them.

import { type RecordStep, recordsOf } from '../../answers/session/records.ts'
import { FileFault } from '../../answers/session/verdict.ts'
import type { InputFile } from '../../answers/sessions/find.ts'
import type { LogRecord } from '../../model/record.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { findingLine, flush, isOutputClosed, say } from '../terminal/output.ts'

type Take = (record: LogRecord) => Promise<void>

/** `begin` is called for each file and gives what to do with its records; it ends where no one reads what is printed. */
export async function streamRecords(
  { args, globals: { clew, quiet } }: CommandInput,
  begin: (file: InputFile, fileCount: number) => Promise<Take>,
): Promise<ExitCode> {
  const stream: Stream = { begin, quiet, files: 0, exitCode: 0 }
  for await (const step of recordsOf(clew, args)) {
    await takeStep(step, stream)
    if (isOutputClosed()) return 0
  }
  return stream.files === 0 && stream.exitCode === 0 ? 1 : stream.exitCode
}

interface Stream {
  begin(file: InputFile, fileCount: number): Promise<Take>
  quiet: boolean
  files: number
  exitCode: ExitCode
  take?: Take
  isFromPipe?: boolean
}

async function takeStep(step: RecordStep, stream: Stream): Promise<void> {
  if (step.type === 'file') {
    stream.files++
    // Nothing but what could not be read was asked for.
    if (stream.files === 1 && stream.exitCode === 2) stream.exitCode = 1
    stream.take = await stream.begin(step.file, step.fileCount)
    stream.isFromPipe = step.file.log.path === '-'
  } else if (step.type === 'records') {
    for (const record of step.records) await stream.take?.(record)
    // What arrives on a pipe is printed while more is awaited.
    if (stream.isFromPipe) await flush()
  } else if (step.type === 'fault') {
    say(findingLine(step.finding))
    stream.exitCode = 1
  } else if (!stream.quiet || step.finding.severity === 'error') {
    say(findingLine(step.finding))
    if (step.finding.severity === 'error') stream.exitCode = 2
  }
}

/** What is wrong with the file of a session is printed with its place. */
export async function orFault(act: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof FileFault)) throw error
    say(findingLine(error.finding))
    return 1
  }
}

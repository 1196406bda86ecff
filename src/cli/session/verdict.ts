// What a streaming command says about a file as a whole once it has read it: that it was not a log, another tool's, empty, or
// could not be read. The finding names file, line and byte; the command continues with the next file.

import { filesOrSession, type InputFile, originFinder } from '../../answers/sessions/find.ts'
import { foreignLog, foreignName, noRecords, notALog } from '../../check/builtin.ts'
import { ReadError, readFinding } from '../../disk/read/read.ts'
import type { Finding } from '../../model/finding.ts'
import type { LogRecord } from '../../model/record.ts'
import type { SessionGraph } from '../../model/session.ts'
import { bytesOf, type LogFile, type SessionFiles } from '../../model/source.ts'
import { loadSession, recordBatches } from '../../session/load.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { findingLine, flush, isOutputClosed, say } from '../terminal/output.ts'
import { withProgress } from '../terminal/progress.ts'

/**
 * Reads the files that are named, record by record, as long as someone reads what is printed. `begin` is called for each file
 * and gives what to do with its records.
 */
export async function streamRecords(
  { args, globals }: CommandInput,
  begin: (file: InputFile, fileCount: number) => Promise<(record: LogRecord) => Promise<void>>,
): Promise<ExitCode> {
  const input = await filesOrSession(args, globals.clew)
  let exitCode = reportInput(input.findings, input.files.length, globals.quiet)
  for (const file of input.files) {
    const verdict = new FileVerdict(file.log)
    const take = await begin(file, input.files.length)
    await verdict.guard(async () => {
      for await (const batch of recordBatches(file.source, file.log)) {
        for (const record of batch) {
          verdict.see(record)
          await take(record)
        }
        // What arrives on a pipe is printed while more is awaited.
        if (file.log.path === '-') await flush()
        if (isOutputClosed()) return
      }
    })
    if (isOutputClosed()) return 0
    exitCode = verdict.report(exitCode)
  }
  return exitCode
}

/** Prints findings about paths; 2 when nothing is left to read because of them. */
function reportInput(findings: readonly Finding[], fileCount: number, isQuiet: boolean): ExitCode {
  for (const finding of findings) if (!isQuiet || finding.severity === 'error') say(findingLine(finding))
  const hasError = findings.some(finding => finding.severity === 'error')
  if (fileCount === 0) return hasError ? 2 : 1
  return hasError ? 1 : 0
}

export class FileVerdict {
  private readonly log: LogFile | undefined
  private first: LogRecord | undefined
  private known = 0
  private broken = 0
  private firstForeign: LogRecord | undefined
  private failure: Finding | undefined

  constructor(log: LogFile | undefined) {
    this.log = log
  }

  see(record: LogRecord): void {
    if (record.status === 'blank') return
    this.first ??= record
    if (record.dialect === 'foreign') this.firstForeign ??= record
    if (record.value === undefined) this.broken++
    else if (record.dialect !== 'foreign') this.known++
  }

  /** Nothing in it is a record of a session. */
  get isHopeless(): boolean {
    return this.finding() !== undefined
  }

  /** Runs the reading; a read error becomes a finding. */
  async guard(read: () => Promise<void>): Promise<void> {
    try {
      await read()
    } catch (error) {
      if (!(error instanceof ReadError)) throw error
      this.failure = readFinding(error)
    }
  }

  /** Prints what is wrong with the file as a whole, and gives the worse of the two exit codes. */
  report(exitCode: ExitCode): ExitCode {
    const finding = this.failure ?? this.finding()
    if (!finding) return exitCode
    say(findingLine(finding))
    return exitCode === 2 ? 2 : 1
  }

  private finding(): Finding | undefined {
    const at = (record: LogRecord | undefined) => ({
      ...(this.log === undefined ? {} : { file: this.log.path }),
      line: record?.line ?? 1,
      offset: record?.offset ?? 0,
    })
    if (this.first === undefined) {
      return { code: noRecords.code, severity: noRecords.severity, ...at(undefined), message: noRecords.says }
    }
    if (this.firstForeign && this.known === 0) {
      const message = `this looks like ${foreignName(this.firstForeign.foreign)}. ${foreignLog.says}`
      return { code: foreignLog.code, severity: foreignLog.severity, ...at(this.firstForeign), message }
    }
    if (this.known === 0 && this.broken > 0 && this.first.status !== 'torn') {
      return { code: notALog.code, severity: notALog.severity, ...at(this.first), message: notALog.says }
    }
    return undefined
  }
}

/** Loads a session whole, for what is not read while it is printed. */
export function loadWhole(
  session: SessionFiles,
  globals: GlobalOptions,
  verdict: FileVerdict,
  data = false,
): Promise<SessionGraph> {
  const findOrigin = originFinder(session, globals.clew)
  return withProgress({ what: 'reading', total: bytesOf(session), isQuiet: globals.quiet }, progress =>
    loadSession(globals.clew.source, session, { data, findOrigin }, (_file, record) => {
      verdict.see(record)
      progress.add(record.bytes)
    }),
  )
}

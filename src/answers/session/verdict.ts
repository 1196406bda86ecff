// What is said about a file as a whole once it was read: that it was not a log, another tool's, empty, or could not be read.
// The finding names file, line and byte; it prints nothing.

import { foreignLog, foreignName, noRecords, notALog } from '../../check/builtin.ts'
import { ReadError, readFinding } from '../../disk/read/read.ts'
import type { Finding } from '../../model/finding.ts'
import { isRead, type LogRecord } from '../../model/record.ts'
import type { SessionGraph } from '../../model/session.ts'
import { bytesOf, type LogFile, type SessionFiles } from '../../model/source.ts'
import { loadSession } from '../../session/load.ts'
import type { Clew } from '../clew.ts'
import { loadOptionsFor } from '../sessions/copied.ts'

/** There is no session in a file that should have one. */
export class FileFault extends Error {
  override readonly name = 'FileFault'
  readonly finding: Finding

  constructor(finding: Finding) {
    super(finding.message)
    this.finding = finding
  }
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
    if (!isRead(record)) this.broken++
    else if (record.dialect !== 'foreign') this.known++
  }

  /** The reading ended early. Throws what is no error of reading. */
  fail(error: unknown): void {
    if (!(error instanceof ReadError)) throw error
    this.failure = readFinding(error)
  }

  /** What is wrong with the file as a whole; undefined where something in it is a record of a session. */
  get fault(): Finding | undefined {
    return this.failure ?? this.contentFault()
  }

  private contentFault(): Finding | undefined {
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

/** The graph of a session. Throws a `FileFault` where its file has none. `data`: with the content of pictures and documents. */
export async function loadWhole(
  clew: Clew,
  session: SessionFiles,
  { data = false }: { data?: boolean } = {},
): Promise<SessionGraph> {
  const verdict = new FileVerdict(session.logs[0])
  const progress = clew.listener.progress('reading', bytesOf(session))
  const options = { data, ...(await loadOptionsFor(session, clew)) }
  try {
    const graph = await loadSession(clew.source, session, options, (_file, record) => {
      verdict.see(record)
      progress.add(record.bytes)
    })
    const { fault } = verdict
    if (fault !== undefined) throw new FileFault(fault)
    return graph
  } finally {
    progress.end()
  }
}

// What a check rule is: a code from rules.json plus a function that looks at one thing and reports. The table says how
// severe it is per profile; a rule never decides that itself, except by asking which profile is on.

import type { JsonObject } from '../base/json.ts'
import type { SessionEvent } from '../model/event.ts'
import type { Profile } from '../model/finding.ts'
import type { LogRecord } from '../model/record.ts'
import type { SessionGraph } from '../model/session.ts'
import type { Discovery, LogFile, SessionFiles } from '../model/source.ts'

/** Where a finding points. `record` gives file, line, offset; `event` its id too. */
export interface Place {
  record?: LogRecord
  event?: SessionEvent
  file?: string
  /** The finding is void where any checked file, of whatever session, has a record or a call with one of these ids. */
  unless?: readonly string[]
}

/** Adds a finding with the rule's code, at the severity the profile gives it. The message is one sentence with what was found. */
export type Report = (message: string, place: Place) => void

/** One record of a log file with what is known about the file so far. */
export interface RecordFacts {
  profile: Profile
  file: LogFile
  record: LogRecord
  /** The parsed object; rules with `record` only see lines that have one, history lines excepted by `historyRecord`. */
  value: JsonObject
  /** Null where a record makes no event. */
  event: SessionEvent | null
  /** The record before it in the file that is a link of the chain (has a chain type), if any. */
  previousChain: LogRecord | null
}

/** All of one file, after its last record. Records that have an object, in file order. */
export interface FileFacts {
  profile: Profile
  file: LogFile
  /** Every record of the file, blank and broken ones included, in file order. */
  records: readonly LogRecord[]
  events: readonly SessionEvent[]
}

/** One session, after all its files. */
export interface SessionFacts {
  profile: Profile
  files: SessionFiles
  /** In the order of `files.logs`. */
  perFile: readonly FileFacts[]
  graph: SessionGraph
  /** The session's other log files, found but not read, where one file was given by itself; absent where all were given. */
  neighbours?: readonly LogFile[]
}

/** Everything under one root, or what is known of a home from the place of one file in it. */
export interface HomeFacts {
  profile: Profile
  discovery: Discovery
  /** Paths of main session files that are where no session is looked for; they are not read. */
  misplaced: readonly string[]
  /** `cwd` of the first record of each session that has one, by session id; of the first session, where two have the id. */
  firstCwd: ReadonlyMap<string, string>
}

/** A rule looks at lines, records, files, sessions or the home: it has one or more of these. */
export interface Rule {
  /** Its id in rules.json. */
  code: string
  /** Called for every record, also those without an object (blank, malformed, torn, oversized). */
  line?(record: LogRecord, file: LogFile, report: Report, profile: Profile): void
  /** Called for every record that has an object, with its text, where the caller has that. */
  text?(text: string, record: LogRecord, report: Report): void
  /** Called for every record that has an object, of session and agent files. */
  record?(facts: RecordFacts, report: Report): void
  /** Called for every record of a history file that has an object. */
  history?(facts: RecordFacts, report: Report): void
  file?(facts: FileFacts, report: Report): void
  session?(facts: SessionFacts, report: Report): void
  home?(facts: HomeFacts, report: Report): void
}

// Runs the check rules of one profile over files, sessions and homes and gathers the report. It reads nothing itself: it is
// handed records and graphs, one session after the other, and has one session at a time. What other checkers found in other
// sessions, in other threads, is added in the order in which one checker would have been given them: the report is the same.

import { IdSet } from '../base/id-set.ts'
import { asString } from '../base/json.ts'
import type { SessionEvent } from '../model/event.ts'
import { chainTypes } from '../model/event.ts'
import type { Finding, Profile, Severity } from '../model/finding.ts'
import type { LogRecord } from '../model/record.ts'
import { hasMark } from '../model/record.ts'
import type { SessionGraph } from '../model/session.ts'
import type { Discovery, LogFile, SessionFiles } from '../model/source.ts'
import type { CheckCounts, CheckReport } from '../schema/contract-shapes.ts'
import type { BuiltinRule } from './builtin.ts'
import { foreignLog, foreignName, noRecords, notALog, oversizedLine, unknownRecord } from './builtin.ts'
import { countFile, countGraph, countRecord, emptyCounts, noType, typeKey } from './counts.ts'
import { damageRules } from './damage.ts'
import { groupFindings } from './groups.ts'
import type { FileFacts, HomeFacts, Place, Report, Rule, SessionFacts } from './rule.ts'
import { allRules, severityIn } from './table.ts'
import { blocksOf, short } from './wire.ts'

/** One hook of one rule that is on, with the function that reports at the profile's severity. */
interface Hook<Look> {
  look: Look
  report: Report
}
type Look<Name extends Exclude<keyof Rule, 'code'>> = NonNullable<Rule[Name]>

/** A finding that is void where one of these ids is in any checked file. */
interface Conditional {
  finding: Finding
  unless: readonly string[]
}

/** What one checker found, before anything is decided that other files have a say in. Plain data, for other threads. */
export interface Checked {
  findings: Finding[]
  conditional: Conditional[]
  counts: CheckCounts
  totals: { bytes: number; lines: number; records: number }
  byType: Map<string, number>
  byDialect: CheckReport['byDialect']
  paths: Set<string>
  /** Files that are no logs at all: one finding says so, and none is about their lines. */
  notLogs: Set<string>
  /** See `HomeFacts`. */
  firstCwd: Map<string, string>
  /** Ids of records and calls, that other files may refer to, as `IdSet` has them. */
  ids: Uint32Array
}

/** What is gathered about a file until its session is complete. */
interface OpenFile {
  file: LogFile
  records: LogRecord[]
  events: SessionEvent[]
  previousChain: LogRecord | null
  unknownTypes: Set<string>
  hasForeign: boolean
  known: number
  /** Records that are no JSON; an unfinished last line only where its bytes are no text. */
  broken: number
  blank: number
  total: number
}

/** Applies the rules of a profile: give it records, then sessions, then ask for the report, or for what it says for another. */
export class Checker {
  readonly profile: Profile
  private readonly findings: Finding[] = []
  private readonly conditional: Conditional[] = []
  private readonly counts = emptyCounts()
  private readonly totals = { bytes: 0, lines: 0, records: 0 }
  private readonly byType = new Map<string, number>()
  private readonly byDialect: CheckReport['byDialect'] = {}
  private readonly paths = new Set<string>()
  private readonly notLogs = new Set<string>()
  private readonly firstCwd = new Map<string, string>()
  private readonly ids = new IdSet()
  private readonly open = new Map<string, OpenFile>()
  private readonly homes: Pick<HomeFacts, 'discovery' | 'misplaced'>[] = []
  private readonly lineHooks: Hook<Look<'line'>>[] = []
  private readonly textHooks: Hook<Look<'text'>>[] = []
  private readonly recordHooks: Hook<Look<'record'>>[] = []
  private readonly historyHooks: Hook<Look<'history'>>[] = []
  private readonly fileHooks: Hook<Look<'file'>>[] = []
  private readonly sessionHooks: Hook<Look<'session'>>[] = []
  private readonly homeHooks: Hook<Look<'home'>>[] = []

  constructor(profile: Profile, rules: readonly Rule[] = [...allRules, ...damageRules]) {
    this.profile = profile
    for (const rule of rules) {
      const severity = severityIn(rule.code, profile)
      if (severity !== 'off') this.addRule(rule, this.reportFor(rule.code, severity))
    }
  }

  /**
   * Takes the next record of a file; all records of one file come in file order. `event` is null where it makes none.
   * `text`: what was written, for the few rules that the parsed value is not enough for.
   */
  record(file: LogFile, record: LogRecord, event: SessionEvent | null, text?: string): void {
    const open = this.openFile(file)
    this.tally(record)
    this.lookAtLine(open, record)
    if (record.value !== undefined && record.dialect !== 'foreign') {
      const isHistory = file.role === 'history' || record.dialect === 'history'
      const hooks = isHistory ? this.historyHooks : file.role === 'journal' ? [] : this.recordHooks
      const { profile } = this
      const facts = { profile, file, record, value: record.value, event, previousChain: open.previousChain }
      for (const { look, report } of hooks) look(facts, report)
      if (text !== undefined) for (const { look, report } of this.textHooks) look(text, record, report)
      this.remember(record.value)
    }
    if (chainTypes.has(record.type ?? '') && record.value !== undefined) open.previousChain = record
    if (file.role === 'history') return
    open.records.push(record)
    if (event !== null) open.events.push(event)
  }

  /**
   * Ends a session: all records of its files were given. Its state is released. `neighbours`: the session's other
   * files, when these are not all of it.
   */
  session(files: SessionFiles, graph: SessionGraph, neighbours?: readonly LogFile[]): void {
    const perFile: FileFacts[] = files.logs.map(file => this.closeFile(this.openFile(file)))
    for (const facts of perFile) {
      if (facts.file.role !== 'session' || this.firstCwd.has(files.id)) continue
      const first = facts.records.find(record => typeof record.value?.['cwd'] === 'string')
      const cwd = asString(first?.value?.['cwd'])
      if (cwd !== undefined) this.firstCwd.set(files.id, cwd)
    }
    countGraph(this.counts, graph)
    const { profile } = this
    const facts: SessionFacts = { profile, files, perFile, graph, ...(neighbours !== undefined && { neighbours }) }
    for (const { look, report } of this.sessionHooks) look(facts, report)
  }

  /** Adds a root whose layout is checked too. Its sessions may be given before or after it; `misplaced` ones are not given. */
  home(discovery: Discovery, misplaced: readonly string[] = []): void {
    this.homes.push({ discovery, misplaced })
  }

  /** Adds what others noticed, such as files that could not be read. */
  addFindings(findings: readonly Finding[]): void {
    for (const finding of findings) this.findings.push(finding)
  }

  /** What was found so far, for another checker; call it once, after the last session. */
  checked(): Checked {
    this.closeAll()
    const { findings, conditional, counts, totals, byType, byDialect, paths, notLogs, firstCwd } = this
    const ids = this.ids.toPairs()
    return { findings, conditional, counts, totals, byType, byDialect, paths, notLogs, firstCwd, ids }
  }

  /** Takes what another checker found in other sessions, as if they had been given to this one now. */
  add(other: Checked): void {
    this.addFindings(other.findings)
    for (const one of other.conditional) this.conditional.push(one)
    addNumbers(this.counts, other.counts)
    addNumbers(this.totals, other.totals)
    for (const [type, count] of other.byType) this.byType.set(type, (this.byType.get(type) ?? 0) + count)
    addNumbers(this.byDialect, other.byDialect)
    for (const path of other.paths) this.paths.add(path)
    for (const path of other.notLogs) this.notLogs.add(path)
    for (const [id, cwd] of other.firstCwd) if (!this.firstCwd.has(id)) this.firstCwd.set(id, cwd)
    this.ids.addPairs(other.ids)
  }

  /** What was found so far; call it once, after the last session. */
  report(): CheckReport {
    this.closeAll()
    for (const home of this.homes)
      for (const { look, report } of this.homeHooks)
        look({ profile: this.profile, ...home, firstCwd: this.firstCwd }, report)
    this.homes.length = 0
    const unknown = this.conditional.filter(({ unless }) => !unless.some(id => this.ids.has(id)))
    const findings = [...this.findings, ...unknown.map(({ finding }) => finding)]
      .filter(({ file, code }) => code === notALog.code || file === undefined || !this.notLogs.has(file))
      .map(finding => this.weigh(finding))
      .sort(compareFindings)
    return {
      profile: this.profile,
      files: this.paths.size,
      bytes: this.totals.bytes,
      lines: this.totals.lines,
      records: this.totals.records,
      byType: Object.fromEntries([...this.byType].sort(([a], [b]) => compare(a, b))),
      byDialect: this.byDialect,
      counts: this.counts,
      findings,
      groups: groupFindings(findings),
    }
  }

  /** Claude Code leaves empty files behind: one among others is worth a note, one that was asked for by itself is an error. */
  private weigh(finding: Finding): Finding {
    return finding.code === noRecords.code && this.paths.size > 1 ? { ...finding, severity: 'info' } : finding
  }

  private addRule(rule: Rule, report: Report): void {
    if (rule.line !== undefined) this.lineHooks.push({ look: rule.line, report })
    if (rule.text !== undefined) this.textHooks.push({ look: rule.text, report })
    if (rule.record !== undefined) this.recordHooks.push({ look: rule.record, report })
    if (rule.history !== undefined) this.historyHooks.push({ look: rule.history, report })
    if (rule.file !== undefined) this.fileHooks.push({ look: rule.file, report })
    if (rule.session !== undefined) this.sessionHooks.push({ look: rule.session, report })
    if (rule.home !== undefined) this.homeHooks.push({ look: rule.home, report })
  }

  private reportFor(code: string, severity: Severity): Report {
    return (message, place) => {
      const finding = toFinding(code, severity, message, place)
      const { unless = [] } = place
      if (unless.length > 0) this.conditional.push({ finding, unless })
      else this.findings.push(finding)
    }
  }

  private addBuiltin(rule: BuiltinRule, message: string, place: Place): void {
    this.findings.push(toFinding(rule.code, rule.severity, message, place))
  }

  private openFile(file: LogFile): OpenFile {
    const found = this.open.get(file.path)
    if (found !== undefined) return found
    this.paths.add(file.path)
    const made: OpenFile = {
      file,
      records: [],
      events: [],
      previousChain: null,
      unknownTypes: new Set(),
      hasForeign: false,
      known: 0,
      broken: 0,
      blank: 0,
      total: 0,
    }
    this.open.set(file.path, made)
    return made
  }

  private tally(record: LogRecord): void {
    countRecord(this.counts, record)
    this.totals.bytes += record.bytes
    this.totals.records++
    if (record.part === undefined || record.part === 1) this.totals.lines++
    if (record.value === undefined) return
    for (const key of new Set([record.type ?? noType, typeKey(record)]))
      this.byType.set(key, (this.byType.get(key) ?? 0) + 1)
    this.byDialect[record.dialect] = (this.byDialect[record.dialect] ?? 0) + 1
  }

  private lookAtLine(open: OpenFile, record: LogRecord): void {
    open.total++
    if (record.status === 'known') open.known++
    if (record.status === 'blank') open.blank++
    if (isBroken(record)) open.broken++
    for (const { look, report } of this.lineHooks) look(record, open.file, report, this.profile)
    if (record.status === 'oversized')
      this.addBuiltin(oversizedLine, `The line has ${record.bytes} bytes and was not parsed.`, { record })
    if (record.dialect === 'foreign' && !open.hasForeign) {
      open.hasForeign = true
      const message = `Line ${record.line} looks like ${short(foreignName(record.foreign))}, not a session of Claude Code.`
      this.addBuiltin(foreignLog, message, { record })
    }
    if (record.status !== 'unknown' || record.value === undefined || record.dialect === 'foreign') return
    const key = typeKey(record)
    if (open.unknownTypes.has(key)) return
    open.unknownTypes.add(key)
    this.addBuiltin(unknownRecord, `Records of type ${short(key)} are not known yet and are preserved as they are.`, {
      record,
    })
  }

  /** Keeps the ids that other files may refer to. */
  private remember(value: NonNullable<LogRecord['value']>): void {
    const uuid = asString(value['uuid'])
    if (uuid !== undefined) this.ids.add(uuid)
    for (const block of blocksOf(value)) {
      const id = block['type'] === 'tool_use' ? asString(block['id']) : undefined
      if (id !== undefined) this.ids.add(id)
    }
  }

  /** Files of sessions that could not be read to their end, and those that belong to none. */
  private closeAll(): void {
    for (const open of [...this.open.values()]) this.closeFile(open)
  }

  private closeFile(open: OpenFile): FileFacts {
    const { file, records, events } = open
    this.open.delete(file.path)
    const facts: FileFacts = { profile: this.profile, file, records, events }
    if (file.role !== 'history') {
      countFile(this.counts, facts)
      for (const { look, report } of this.fileHooks) look(facts, report)
    }
    const isLog = file.role === 'session' || file.role === 'agent'
    const place = { file: file.path }
    if (isLog && open.total === open.blank)
      this.addBuiltin(noRecords, open.total === 0 ? 'The file is empty.' : 'The file has only blank lines.', place)
    else if (open.known === 0 && !open.hasForeign && open.broken * 2 > open.total - open.blank) {
      this.notLogs.add(file.path)
      this.addBuiltin(notALog, `None of its ${open.total} lines is a known record, and most are not JSON.`, place)
    }
    return facts
  }
}

/** Adds each number of `more` to that of the same name. */
function addNumbers<Name extends string>(
  sums: Partial<Record<Name, number>>,
  more: Readonly<Partial<Record<Name, number>>>,
): void {
  for (const name in more) sums[name] = (sums[name] ?? 0) + (more[name] ?? 0)
}

function isBroken(record: LogRecord): boolean {
  if (record.status === 'malformed') return true
  return record.status === 'torn' && (hasMark(record, 'nul') || hasMark(record, 'invalid-utf8'))
}

function toFinding(code: string, severity: Severity, message: string, place: Place): Finding {
  const record = place.record ?? place.event?.record
  const file = record?.file ?? place.file
  return {
    code,
    severity,
    ...(file === undefined ? {} : { file }),
    ...(record === undefined ? {} : { line: record.line, offset: record.offset }),
    ...(place.event === undefined ? {} : { event: place.event.id }),
    message,
  }
}

function compareFindings(a: Finding, b: Finding): number {
  return (
    compare(a.file ?? '', b.file ?? '') ||
    (a.offset ?? -1) - (b.offset ?? -1) ||
    compare(a.code, b.code) ||
    compare(a.message, b.message)
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

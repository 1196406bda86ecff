// `clew convert`: sessions in another dialect, as new files, with everything listed that the dialect cannot say.

import { mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { UserError } from '../../answers/error.ts'
import { rootsFor, sessionOf } from '../../answers/sessions/find.ts'
import { escapeForLine } from '../../base/escape.ts'
import { countText } from '../../base/format.ts'
import { Checker } from '../../check/check.ts'
import { groupFindings, selectFindings } from '../../check/groups.ts'
import { checkWholeSession } from '../../check/scan/scan.ts'
import { discover } from '../../disk/discover/discover.ts'
import { expandTilde, isFolder } from '../../disk/discover/homes.ts'
import { diskTree } from '../../disk/discover/tree.ts'
import { diskSource, ReadError } from '../../disk/read/read.ts'
import type { Finding } from '../../model/finding.ts'
import type { Discovery, SessionFiles } from '../../model/source.ts'
import type { ConvertReport } from '../../schema/contract-shapes.ts'
import { loadSession } from '../../session/load.ts'
import { quickRows } from '../../session/scan/quick-rows.ts'
import { countOf, sizeText } from '../../view/words.ts'
import { type Converted, convertedSession } from '../../write/edit/converted.ts'
import { editOptions } from '../../write/new-session.ts'
import { removal } from '../../write/undo.ts'
import { refuseInUse } from '../../write/use.ts'
import type { WireDialect } from '../../write/wire/dialects.ts'
import { WriteError } from '../../write/wire/error.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { findingLine, printJson, printLine, say } from '../terminal/output.ts'
import { type ConvertTarget, convertTarget, placed, writeConverted } from '../write/converted-files.ts'
import { withUserErrors } from '../write/errors.ts'

export async function run(input: CommandInput): Promise<ExitCode> {
  const { options, globals } = input
  const { dialect, target } = await requestOf(input)
  const { sessions, left, problems } = await sessionsNamed(input)
  if (target.isFile && sessions.length > 1)
    throw new UserError(`these are ${sessions.length} sessions; --out must name a folder for them`)
  if (options['force'] !== true) await refuseUse(sessions, globals)
  const work = new Conversion(dialect, target, input)
  try {
    for (const session of sessions) await work.add(session)
    const findings = options['check'] === true ? await work.check() : undefined
    const report: ConvertReport = {
      to: dialect,
      out: target.path,
      dryRun: work.isDry,
      sessions: work.done,
      failed: [...problems, ...work.failed],
      left,
      ...(findings !== undefined && { findings }),
      undo: removal(work.removed()),
    }
    await print(report, globals)
    const isBad = report.failed.length > 0 || findings?.some(({ severity }) => severity !== 'info') === true
    return isBad ? 1 : 0
  } finally {
    work.end()
  }
}

async function requestOf({ options, globals }: CommandInput): Promise<{ dialect: WireDialect; target: ConvertTarget }> {
  const { to, out } = options as { to?: WireDialect; out?: string }
  if (to === undefined) throw new UserError('missing --to: real, s0, s1, s2, s3 or s4')
  if (out === undefined || out === '') throw new UserError('missing --out: a new .jsonl file, or a home')
  const { roots } = await rootsFor(globals.clew)
  return { dialect: to, target: convertTarget(expandTilde(out, homedir()), roots) }
}

interface Named {
  sessions: SessionFiles[]
  left: string[]
  problems: ConvertReport['failed']
}

/** One session, or all in a folder. */
async function sessionsNamed({ args, globals }: CommandInput): Promise<Named> {
  const [text] = args
  const path = expandTilde(text ?? '', homedir())
  if (text === undefined || !isFolder(path))
    return { sessions: [await sessionOf(text, { ...globals.clew, usesSample: false })], left: [], problems: [] }
  const discovery = await discover(path, globals.clew.tree)
  if (discovery.sessions.length === 0)
    throw new UserError(discovery.findings[0]?.message ?? `${escapeForLine(path)} does not contain a session`)
  return { sessions: discovery.sessions, ...withoutSession(discovery) }
}

function withoutSession({ histories, strays, findings }: Discovery): Omit<Named, 'sessions'> {
  return {
    left: [...histories, ...strays].map(({ path }) => path),
    problems: findings.map(({ file, message }) => ({ session: file ?? '', why: message })),
  }
}

async function refuseUse(sessions: readonly SessionFiles[], { clew: { source } }: GlobalOptions): Promise<void> {
  await withUserErrors(() => {
    for (const { session, endedAt } of quickRows(sessions, source)) refuseInUse(session, endedAt, Date.now())
  }, '--force does it all the same.')
}

/** Sessions that are converted one after the other, into one place. */
class Conversion {
  readonly done: ConvertReport['sessions'] = []
  readonly failed: ConvertReport['failed'] = []
  readonly isDry: boolean
  private readonly dialect: WireDialect
  private readonly target: ConvertTarget
  private readonly globals: GlobalOptions
  /** Where a dry run writes what is to be checked. */
  private readonly scratch: string | null
  private readonly logs: string[] = []
  private readonly roots: string[] = []
  private readonly taken = new Set<string>()

  constructor(dialect: WireDialect, target: ConvertTarget, { options, globals }: CommandInput) {
    this.dialect = dialect
    this.target = target
    this.globals = globals
    this.isDry = options['dryRun'] === true
    this.scratch = this.isDry && options['check'] === true ? mkdtempSync(join(tmpdir(), 'clew-convert-')) : null
  }

  async add(files: SessionFiles): Promise<void> {
    try {
      const converted = await this.converted(files)
      await this.write(files, converted)
    } catch (error) {
      const isExpected = error instanceof UserError || error instanceof WriteError || error instanceof ReadError
      if (!isExpected) throw error
      this.failed.push({ session: files.id, why: error.message })
    }
  }

  private async converted(files: SessionFiles): Promise<Converted> {
    const graph = await loadSession(this.globals.clew.source, files, { data: true })
    return convertedSession(graph, files, this.dialect, editOptions)
  }

  private async write(files: SessionFiles, converted: Converted): Promise<void> {
    const { tree } = this.globals.clew
    const place = placed(this.target, converted)
    const written = await writeConverted(place, { tree, isDry: this.isDry })
    const [log = ''] = written.files
    if (this.taken.has(log)) throw new UserError(`${escapeForLine(log)} exists already`)
    this.taken.add(log)
    this.roots.push(...written.roots)
    this.logs.push(this.scratch === null ? log : await this.writeAside(converted))
    const { session, records, losses } = converted
    this.done.push({ session, origin: files.id, files: written.files, bytes: written.bytes, records, losses })
  }

  private async writeAside(converted: Converted): Promise<string> {
    const path = join(this.scratch ?? '', this.target.isFile ? basename(this.target.path) : 'home')
    const place = placed({ ...this.target, path }, converted)
    const { files } = await writeConverted(place, { tree: this.globals.clew.tree, isDry: false })
    return files[0] ?? ''
  }

  /** What the profile of the dialect finds in what was written. */
  async check(): Promise<Finding[]> {
    const checker = new Checker(this.dialect)
    const places = { tree: diskTree, source: diskSource() }
    for (const log of this.logs) {
      const { sessions } = await discover(log)
      for (const session of sessions) await checkWholeSession(checker, session, places)
    }
    return checker.report().findings
  }

  /** What undoing removes. */
  removed(): string[] {
    return this.target.isKnown ? this.roots : this.target.isFile ? this.roots : [this.target.path]
  }

  end(): void {
    if (this.scratch !== null) rmSync(this.scratch, { recursive: true, force: true })
  }
}

/** The paths of logs go to stdout, where scripts take them; what was lost is said next to it. */
async function print(report: ConvertReport, { json, quiet }: GlobalOptions): Promise<void> {
  if (json) {
    await printJson(report)
    return
  }
  for (const { files } of report.sessions) await printLine(escapeForLine(files[0] ?? ''))
  for (const { session, why } of report.failed)
    say(`clew: not converted: ${escapeForLine(session)}: ${escapeForLine(why)}`)
  if (report.findings !== undefined) printFindings(report.findings, report.to)
  if (quiet) return
  for (const line of [...lossLines(report), ...outcomeLines(report)]) say(`clew: ${line}`)
}

function printFindings(findings: readonly Finding[], profile: string): void {
  const above = selectFindings(findings, { least: 'warning', rules: [] })
  for (const { count, example } of groupFindings(above))
    say(`${findingLine(example)}${count > 1 ? ` (${count} times)` : ''}`)
  if (above.length === 0) say(`clew: the check found nothing (profile ${profile})`)
}

/** Losses of one kind are one line: how many, what, why, and the first of them. */
function* lossLines({ sessions }: ConvertReport): Generator<string> {
  const groups = new Map<string, { count: number; what: string; why: string; first: string }>()
  for (const { session, losses } of sessions)
    for (const { event, path, why } of losses) {
      const isFile = event === session
      const what = isFile ? 'file' : path === '' ? 'event' : path.replace(/\[\d+\]/g, '[]')
      const group = groups.get(`${what} ${why}`)
      if (group === undefined) groups.set(`${what} ${why}`, { count: 1, what, why, first: isFile ? path : event })
      else group.count++
    }
  if (groups.size === 0) return
  yield 'not the same in the new dialect:'
  for (const { count, what, why, first } of groups.values())
    yield `  ${countText(count)} × ${escapeForLine(what)}: ${escapeForLine(why)} (first: ${escapeForLine(first)})`
}

function* outcomeLines({ sessions, left, dryRun, undo, out }: ConvertReport): Generator<string> {
  const sum = (of: (session: ConvertReport['sessions'][number]) => number): number =>
    sessions.reduce((all, session) => all + of(session), 0)
  if (left.length > 0) yield `${countOf(left.length, 'file')} of no session: not converted`
  const what = `${countOf(sessions.length, 'session')}, ${countOf(
    sum(({ records }) => records),
    'record',
  )}, ${countOf(
    sum(({ files }) => files.length),
    'file',
  )}, ${sizeText(sum(({ bytes }) => bytes))}`
  if (dryRun) yield `nothing was written (--dry-run): ${what}`
  else if (sessions.length > 0) {
    yield `wrote ${what} to ${escapeForLine(out)}; to undo:`
    yield `  ${escapeForLine(undo)}`
  }
}

// Sessions in another dialect, as new files, with everything listed that the dialect cannot say.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { escapeForLine } from '../../base/escape.ts'
import { Checker } from '../../check/check.ts'
import { jobsOfSession, runJobs } from '../../check/scan/scan.ts'
import { discover } from '../../disk/discover/discover.ts'
import { diskTree } from '../../disk/discover/tree.ts'
import { diskSource, ReadError } from '../../disk/read/read.ts'
import type { Finding } from '../../model/finding.ts'
import type { Discovery, SessionFiles } from '../../model/source.ts'
import type { ConvertReport } from '../../schema/contract-shapes.ts'
import { loadSession } from '../../session/load.ts'
import { quickRows } from '../../session/scan/quick-rows.ts'
import { type Converted, convertedSession } from '../../write/edit/converted.ts'
import { editOptions } from '../../write/new-session.ts'
import { removal } from '../../write/undo.ts'
import { refuseInUse } from '../../write/use.ts'
import type { WireDialect } from '../../write/wire/dialects.ts'
import { WriteError } from '../../write/wire/error.ts'
import type { Clew } from '../clew.ts'
import { UserError } from '../error.ts'
import { namesFolder, typedPath } from '../paths.ts'
import { rootsFor } from '../sessions/find.ts'
import { type ConvertTarget, convertTarget, placed, writeConverted } from './converted-files.ts'
import { forceAdvice, withUserErrors } from './errors.ts'
import { filesOf, type WriteQuery } from './fork.ts'

/** `word` may name a folder: all sessions in it. */
export interface ConvertQuery extends WriteQuery {
  to: WireDialect
  /** A new .jsonl file, or a home. */
  out: string
  /** Applies the profile of the dialect to what was written, or would be. */
  checks?: boolean
}

export async function convert(clew: Clew, query: ConvertQuery): Promise<ConvertReport> {
  const { to, out, isDry = false } = query
  const { roots } = await rootsFor(clew)
  const target = convertTarget(typedPath(out), roots)
  const { sessions, left, problems } = await sessionsNamed(clew, query.word)
  if (target.isFile && sessions.length > 1)
    throw new UserError(`these are ${sessions.length} sessions; --out must name a folder for them`)
  if (query.isForced !== true) await refuseUse(sessions, clew)
  const work = new Conversion(clew, query, target)
  try {
    for (const session of sessions) await work.add(session)
    const findings = query.checks === true ? await work.check() : undefined
    return {
      to,
      out: target.path,
      dryRun: isDry,
      sessions: work.done,
      failed: [...problems, ...work.failed],
      left,
      ...(findings !== undefined && { findings }),
      undo: removal(work.removed()),
    }
  } finally {
    work.end()
  }
}

interface Named {
  sessions: SessionFiles[]
  left: string[]
  problems: ConvertReport['failed']
}

/** One session, or all in a folder. */
async function sessionsNamed(clew: Clew, word: string | undefined): Promise<Named> {
  if (word === undefined || !namesFolder(word))
    return { sessions: [await filesOf(clew, { word })], left: [], problems: [] }
  const discovery = await discover(typedPath(word), clew.tree)
  if (discovery.sessions.length === 0)
    throw new UserError(
      discovery.findings[0]?.message ?? `${escapeForLine(typedPath(word))} does not contain a session`,
    )
  return { sessions: discovery.sessions, ...withoutSession(discovery) }
}

function withoutSession({ histories, strays, findings }: Discovery): Omit<Named, 'sessions'> {
  return {
    left: [...histories, ...strays].map(({ path }) => path),
    problems: findings.map(({ file, message }) => ({ session: file ?? '', why: message })),
  }
}

async function refuseUse(sessions: readonly SessionFiles[], { source }: Clew): Promise<void> {
  await withUserErrors(() => {
    for (const { session, endedAt } of quickRows(sessions, source)) refuseInUse(session, endedAt, Date.now())
  }, forceAdvice)
}

/** Sessions that are converted one after the other, into one place. */
class Conversion {
  readonly done: ConvertReport['sessions'] = []
  readonly failed: ConvertReport['failed'] = []
  private readonly clew: Clew
  private readonly dialect: WireDialect
  private readonly target: ConvertTarget
  private readonly isDry: boolean
  /** Where a dry run writes what is to be checked. */
  private readonly scratch: string | null
  private readonly logs: string[] = []
  private readonly roots: string[] = []
  private readonly taken = new Set<string>()

  constructor(clew: Clew, { to, isDry = false, checks = false }: ConvertQuery, target: ConvertTarget) {
    this.clew = clew
    this.dialect = to
    this.target = target
    this.isDry = isDry
    this.scratch = isDry && checks ? mkdtempSync(join(tmpdir(), 'clew-convert-')) : null
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
    const graph = await loadSession(this.clew.source, files, { data: true })
    return convertedSession(graph, files, this.dialect, editOptions)
  }

  private async write(files: SessionFiles, converted: Converted): Promise<void> {
    const { tree } = this.clew
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
    const { files } = await writeConverted(place, { tree: this.clew.tree, isDry: false })
    return files[0] ?? ''
  }

  /** What the profile of the dialect finds in what was written. */
  async check(): Promise<Finding[]> {
    const checker = new Checker(this.dialect)
    const places = { source: diskSource() }
    for (const log of this.logs) {
      const { sessions } = await discover(log)
      for (const session of sessions) await runJobs(checker, await jobsOfSession(checker, session, diskTree), places)
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

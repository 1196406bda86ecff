// New sessions that are made of others, as `clew fork` and `clew repair` make them: what would be written, and writing it. A
// worker thread reads the origin whole. Nothing but new files is written; the origin stays as it is.

import { openPlaces } from '../../archive/read/places.ts'
import type { SessionFiles } from '../../model/source.ts'
import type { NewSession, RepairReport } from '../../schema/contract-shapes.ts'
import { type Task, WorkerPool } from '../../worker/pool.ts'
import { forkSession } from '../../write/edit/fork.ts'
import { editOptions, readOrigin, type WriteNewOptions, writeNew } from '../../write/new-session.ts'
import { planRepair, writeRepaired } from '../../write/repair-session.ts'
import { WriteError } from '../../write/wire/error.ts'
import { conflict, notFound } from '../error.ts'

export interface ForkQuery {
  /** The id of its last event; absent: all of it. */
  at?: string
  title?: string
}

interface NewSessionArgs {
  /** Clew's own folder. */
  home: string
  files: SessionFiles
  query: { fork: ForkQuery } | { repair: true }
  /** Nothing is written. */
  isDry: boolean
}

/** What is known of an error, which loses its class on the way from another thread. */
interface Refusal {
  code: string
  message: string
  path?: string
  isOfSystem?: true
}

type Outcome = { report: NewSession | RepairReport } | { refused: Refusal }

export const newSessionTask: Task<NewSessionArgs, Outcome> = {
  name: 'server/new-session',
  async run(args) {
    try {
      return { report: await reportOf(args) }
    } catch (error) {
      if (error instanceof WriteError) return { refused: refusalOf(error) }
      if (isSystemError(error)) return { refused: { code: error.code, message: error.message, isOfSystem: true } }
      throw error
    }
  },
}

function refusalOf({ code, message, path }: WriteError): Refusal {
  return { code, message, ...(path !== undefined && { path }) }
}

function isSystemError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

async function reportOf({ home, files, query, isDry }: NewSessionArgs): Promise<NewSession | RepairReport> {
  const { source, tree } = await openPlaces(home)
  const how: WriteNewOptions = { tree, isDry }
  if ('fork' in query) {
    const origin = await readOrigin(source, files, { isForced: false })
    return writeNew(origin, forkSession(origin, { ...editOptions, ...query.fork }), how)
  }
  const plan = await planRepair(source, files, { isForced: false })
  if (plan.report.changes.length === 0) return plan.report
  return { ...plan.report, dryRun: isDry, written: await writeRepaired(plan, how) }
}

const idleMs = 30_000
const pool = new WorkerPool({ size: 1, idleMs })

/** Makes new sessions of one. */
export class NewSessions {
  private readonly home: string

  constructor(home: string) {
    this.home = home
  }

  fork(files: SessionFiles, fork: ForkQuery, isDry: boolean): Promise<NewSession> {
    return this.make({ home: this.home, files, query: { fork }, isDry }) as Promise<NewSession>
  }

  /** `written` is absent where nothing is damaged. */
  repair(files: SessionFiles, isDry: boolean): Promise<RepairReport> {
    return this.make({ home: this.home, files, query: { repair: true }, isDry }) as Promise<RepairReport>
  }

  private async make(args: NewSessionArgs): Promise<NewSession | RepairReport> {
    const outcome = await pool.run(newSessionTask, args)
    if ('refused' in outcome) throw problemOf(outcome.refused)
    return outcome.report
  }
}

function problemOf({ code, message, path, isOfSystem }: Refusal): Error {
  // The message of the system names paths and calls.
  if (isOfSystem === true) return conflict(`A file could not be read or written (${code}).`)
  if (code === 'in-use') return conflict(message, 'Try again when nothing writes to it.')
  if (code !== 'not-found' || path !== 'at') return conflict(message)
  return notFound('The session’s own log has no such event.', 'A fork cannot end at an event of a subagent.')
}

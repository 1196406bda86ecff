// Forks and repairs for the web app: a worker thread reads the origin whole, so that other requests are answered meanwhile.

import { openPlaces } from '../../archive/read/places.ts'
import type { SessionFiles } from '../../model/source.ts'
import type { NewSession, RepairReport } from '../../schema/contract-shapes.ts'
import { type Task, WorkerPool } from '../../worker/pool.ts'
import { type ErrorKind, UserError } from '../error.ts'
import { withUserErrors } from './errors.ts'
import { forkFiles } from './fork.ts'
import { repairFiles } from './repair.ts'

interface ForkQuery {
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

/** An error loses its class on the way from another thread. */
type Outcome = { report: NewSession | RepairReport } | { refused: { message: string; kind: ErrorKind } }

export const newSessionTask: Task<NewSessionArgs, Outcome> = {
  name: 'server/new-session',
  async run(args) {
    try {
      return { report: await withUserErrors(() => reportOf(args)) }
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      return { refused: { message: error.message, kind: error.kind } }
    }
  },
}

async function reportOf({ home, files, query, isDry }: NewSessionArgs): Promise<NewSession | RepairReport> {
  const places = await openPlaces(home)
  if ('repair' in query) return repairFiles(places, files, { isDry })
  return (await forkFiles(places, files, { ...query.fork, isDry })).report
}

const idleMs = 30_000
const pool = new WorkerPool({ size: 1, idleMs })

export function forkInWorker(home: string, files: SessionFiles, fork: ForkQuery, isDry: boolean): Promise<NewSession> {
  return run({ home, files, query: { fork }, isDry }) as Promise<NewSession>
}

export function repairInWorker(home: string, files: SessionFiles, isDry: boolean): Promise<RepairReport> {
  return run({ home, files, query: { repair: true }, isDry }) as Promise<RepairReport>
}

async function run(args: NewSessionArgs): Promise<NewSession | RepairReport> {
  const outcome = await pool.run(newSessionTask, args)
  if ('refused' in outcome) throw new UserError(outcome.refused.message, outcome.refused.kind)
  return outcome.report
}

// The health screen: what `clew check` finds in all homes, by rule, with the places of the first findings of each. The logs
// are read in worker threads, once for each state of the index.

import { basename } from 'node:path'
import { openPlaces } from '../../archive/read/places.ts'
import { archivedHomePaths } from '../../archive/read/tree.ts'
import { Checker } from '../../check/check.ts'
import { type FindingGroup, groupFindings } from '../../check/groups.ts'
import { bytesOfJob, type CheckJob, jobsOfDiscovery } from '../../check/scan/scan.ts'
import { discover } from '../../disk/discover/discover.ts'
import type { Finding } from '../../model/finding.ts'
import type { Discovery } from '../../model/source.ts'
import { type Task, WorkerPool } from '../../worker/pool.ts'
import type { Clew } from '../clew.ts'
import { versionOf } from '../memo.ts'
import { scopeOf } from '../scope.ts'
import { type KnownRows, knownRows } from '../sessions/known.ts'
import type { HealthAnswer } from '../shapes.ts'
import { checkJobs } from './check.ts'

interface CheckArgs {
  /** Clew's own folder. */
  home: string
  roots: string[]
  isScoped: boolean
}

type Checked = Omit<HealthAnswer, 'groups' | 'at'> & { groups: (FindingGroup & { places: Place[] })[] }
type Place = { session?: string; isInOwnLog?: true } & Pick<Finding, 'file' | 'line' | 'event' | 'message'>

/** Places that are named of each rule. */
const mostPlaces = 25
const idleMs = 10_000

/** Its messages are shares of the logs that are read, from 0 to 1. */
export const checkTask: Task<CheckArgs, Checked, number> = {
  name: 'server/check',
  async run({ home, roots, isScoped }, emit) {
    const places = await openPlaces(home)
    const archived = isScoped || places.archive === undefined ? [] : archivedHomePaths(places.archive, roots)
    const discoveries = await Promise.all([...roots, ...archived].map(root => discover(root, places.tree)))
    const checker = new Checker('real')
    const jobs: CheckJob[] = []
    for (const discovery of discoveries) jobs.push(...(await jobsOfDiscovery(checker, discovery, places.tree)))
    const all = jobs.reduce((sum, job) => sum + bytesOfJob(job), 0)
    let done = 0
    await checkJobs(checker, jobs, places, more => {
      done += more
      return emit(done / all)
    })
    const { findings, files, records, bytes } = checker.report()
    const sessionAt = sessionsByPath(discoveries)
    const groups = groupFindings(findings).map(group => ({ ...group, places: placesOf(group, findings, sessionAt) }))
    return { groups, files, records, bytes }
  },
}

type OfSession = Pick<Place, 'session' | 'isInOwnLog'>

function sessionsByPath(discoveries: readonly Discovery[]): Map<string, OfSession> {
  const sessions = discoveries.flatMap(discovery => discovery.sessions)
  return new Map(
    sessions.flatMap(({ id, logs }) =>
      logs.map(({ path, role }): [string, OfSession] => [
        path,
        { session: id, ...(role === 'session' && { isInOwnLog: true }) },
      ]),
    ),
  )
}

function placesOf(
  group: FindingGroup,
  findings: readonly Finding[],
  sessionAt: ReadonlyMap<string, OfSession>,
): Place[] {
  const own = findings.filter(({ code, severity }) => code === group.code && severity === group.severity)
  return own.slice(0, mostPlaces).map(({ file, line, event, message }) => {
    return {
      message,
      ...(file === undefined ? {} : sessionAt.get(file)),
      ...(file !== undefined && { file: basename(file) }),
      ...(line !== undefined && { line }),
      ...(event !== undefined && { event }),
    }
  })
}

/** How often the progress of a check is reported. */
const progressMs = 500

interface Known {
  version: string
  at: string
  checked: Checked
}

const nothing: Checked = { groups: [], files: 0, records: 0, bytes: 0 }

/** Answers at once with what the last check found; one that is due runs behind the answer. */
export class Health {
  private readonly clew: Clew
  private readonly onProgress: (percent: number) => void
  private readonly pool = new WorkerPool({ size: 1, idleMs })
  private known: Known | null = null
  private failure: unknown
  private percent: number | null = null

  /** `onProgress`: called while logs are checked, and with 100 when that is done or failed. */
  constructor(clew: Clew, onProgress: (percent: number) => void) {
    this.clew = clew
    this.onProgress = onProgress
  }

  async answer(): Promise<HealthAnswer> {
    const version = versionOf(this.clew)
    if (this.failure !== undefined) {
      const { failure } = this
      this.failure = undefined
      throw failure
    }
    // While sessions are written, each moment has another version: a check under way is good enough.
    if (this.known?.version !== version && this.percent === null) void this.check(version)
    const rows = await knownRows(this.clew)
    const { checked = nothing, at = null } = this.known ?? {}
    const groups = checked.groups.map(({ example: _example, ...group }) => ({
      ...group,
      places: group.places.map(place => withTitle(place, rows)),
    }))
    return { ...checked, groups, at, ...(this.percent !== null && { percent: this.percent }) }
  }

  async close(): Promise<void> {
    await this.pool.close()
  }

  private async check(version: string): Promise<void> {
    const { home } = this.clew
    const { roots, isScoped } = scopeOf(this.clew)
    this.percent = 0
    const timer = setInterval(() => this.onProgress(this.percent ?? 0), progressMs)
    timer.unref()
    const onMessage = (share: number) => {
      this.percent = Math.min(99, Math.floor(share * 100))
    }
    try {
      const checked = await this.pool.run(checkTask, { home, roots: [...roots], isScoped }, { onMessage })
      this.known = { version, at: new Date().toISOString(), checked }
    } catch (error) {
      this.failure = error
    } finally {
      clearInterval(timer)
      this.percent = null
      this.onProgress(100)
    }
  }
}

function withTitle(place: Place, rows: KnownRows): HealthAnswer['groups'][number]['places'][number] {
  const title = place.session === undefined ? undefined : rows.row(place.session)?.title
  return title === undefined ? place : { ...place, title }
}

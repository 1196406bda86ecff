// The health screen: what `clew check` finds in all homes, by rule, with the places of the first findings of each. The logs
// are read in a worker thread, once for each state of the index.

import { basename } from 'node:path'
import { openPlaces } from '../../archive/read/places.ts'
import { archivedHomePaths } from '../../archive/read/tree.ts'
import { Checker } from '../../check/check.ts'
import { type FindingGroup, groupFindings } from '../../check/groups.ts'
import { checkDiscovery } from '../../check/scan/scan.ts'
import { discover } from '../../disk/discover/discover.ts'
import type { Finding } from '../../model/finding.ts'
import type { Discovery } from '../../model/source.ts'
import { type Task, WorkerPool } from '../../worker/pool.ts'
import type { Clew } from '../clew.ts'
import { conflict } from '../error.ts'
import { versionOf } from '../memo.ts'
import { scopeOf } from '../scope.ts'
import { type KnownRows, knownRows } from '../sessions/known.ts'
import type { HealthAnswer } from '../shapes.ts'

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

export const checkTask: Task<CheckArgs, Checked> = {
  name: 'server/check',
  async run({ home, roots: [...roots], isScoped }) {
    const places = await openPlaces(home)
    const archived = isScoped || places.archive === undefined ? [] : archivedHomePaths(places.archive, roots)
    const discoveries = await Promise.all([...roots, ...archived].map(root => discover(root, places.tree)))
    const checker = new Checker('real')
    for (const discovery of discoveries) await checkDiscovery(checker, discovery, places)
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

export class Health {
  private readonly clew: Clew
  private readonly pool = new WorkerPool({ size: 1, idleMs })
  private known: { version: string; checked: Promise<{ at: string; checked: Checked }> } | null = null

  private isBusy = false

  constructor(clew: Clew) {
    this.clew = clew
  }

  async answer(): Promise<HealthAnswer> {
    const version = versionOf(this.clew)
    const rows = await knownRows(this.clew)
    // While sessions are written, each moment has another version: a check under way is good enough.
    if (this.known?.version !== version && !this.isBusy) this.known = { version, checked: this.check() }
    if (this.known === null) throw conflict('The logs are being checked.', 'Try again in a moment.')
    const { checked, at } = await this.known.checked.catch(error => {
      this.known = null
      throw error
    })
    const groups = checked.groups.map(({ example: _example, ...group }) => ({
      ...group,
      places: group.places.map(place => withTitle(place, rows)),
    }))
    return { ...checked, groups, at }
  }

  async close(): Promise<void> {
    await this.pool.close()
  }

  private async check(): Promise<{ at: string; checked: Checked }> {
    const { home } = this.clew
    const { roots, isScoped } = scopeOf(this.clew)
    this.isBusy = true
    try {
      const checked = await this.pool.run(checkTask, { home, roots: [...roots], isScoped })
      return { at: new Date().toISOString(), checked }
    } finally {
      this.isBusy = false
    }
  }
}

function withTitle(place: Place, rows: KnownRows): HealthAnswer['groups'][number]['places'][number] {
  const title = place.session === undefined ? undefined : rows.row(place.session)?.title
  return title === undefined ? place : { ...place, title }
}

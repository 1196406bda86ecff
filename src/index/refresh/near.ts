// The case of a refresh in which something happened in few places: a new session, a new file beside a known one, a deleted one.
// Then only the projects that it may matter to are looked through. Whatever is not sure to be that case is not.

import { existsSync, readdirSync } from 'node:fs'
import { sep } from 'node:path'
import { projectFolders, type Scope, sideFolders } from '../../archive/capture/scope.ts'
import type { Catalog, Generation } from '../../archive/format/catalog.ts'
import { canonicalPlace } from '../../archive/store/place.ts'
import { discover } from '../../disk/discover/discover.ts'
import type { PlacedSession } from '../../disk/discover/merge.ts'
import { isProjectsFolder } from '../../disk/discover/project.ts'
import type { FileTree } from '../../disk/discover/tree.ts'
import type { Discovery } from '../../model/source.ts'
import type { Database } from '../store/port.ts'
import { areasOf, changedAreas } from './areas.ts'
import { isInProject, onlyProjects, reachOf } from './reach.ts'
import type { RefreshOptions, TimedSurvey } from './refresh-options.ts'

/** What there is of all sessions that something happened to, and maybe of some others. */
export interface Near {
  discoveries: Discovery[]
  sessions: PlacedSession[]
  /** What the index has of them: its generations, and its sessions by their ids. */
  generations: readonly string[]
  known: ReadonlySet<string>
}

export interface NearInput {
  db: Database
  options: RefreshOptions
  surveyed: TimedSurvey
  catalog: Catalog
  /** Homes that are looked through beside the roots, for what is kept of them. */
  others: readonly string[]
  /** The tree of what is on disk and kept, as far as the archive's files are chosen. */
  treeOf(isChosen: (file: Generation) => boolean): FileTree
  /** Makes sessions of what was found. */
  place(found: readonly Discovery[]): Pick<Near, 'discoveries' | 'sessions'>
}

/** Null where all has to be looked through. Everything is kept by now. */
export async function lookNear(input: NearInput): Promise<Near | null> {
  const { db, options, surveyed, catalog } = input
  const roots = wholeHomes(input)
  if (roots === null) return null
  const isAllKept = (options.exclude ?? []).length === 0 && catalog.forgotten.size === 0
  const changed = changedAreas(db, areasOf(surveyed))
  const { isScoped } = options
  const reach = reachOf({ db, changed, survey: surveyed.files, catalog, roots, isScoped, isAllKept })
  if (reach === null) return null
  const tree = input.treeOf(({ home, path }) => !isInProject(path) || reach.has(home, path))
  const found = await Promise.all(reach.roots.map(({ root, projects }) => discover(root, onlyProjects(tree, projects))))
  // What is odd is told of all places together.
  if (found.some(({ findings }) => findings.some(({ code }) => code !== 'no-sessions'))) return null
  const placed = input.place(found)
  if (!placed.sessions.every(({ id }) => reach.holds(id))) return null
  return { ...placed, generations: reach.generations, known: reach.sessions }
}

/** Roots by the places of their homes; null where one is not a whole home, or more than one look would be needed for it. */
function wholeHomes({ options, surveyed, others }: NearInput): Map<string, string> | null {
  // A link leads to what lies in another area, or to what nobody looked at.
  if (surveyed.hasLinks === true || surveyed.findings.length > 0) return null
  const roots = new Map<string, string>()
  for (const root of options.roots) {
    if (isProjectsFolder(root)) return null
    roots.set(canonicalPlace(root), root)
  }
  if (roots.size < options.roots.length || !surveyed.scopes.every(scope => roots.has(scope.home) && isWhole(scope)))
    return null
  for (const home of others) {
    // What happens on disk in a home that nobody named is not seen.
    if (existsSync(home)) return null
    roots.set(home, home)
  }
  const homes = [...roots.keys()]
  const isInside = (home: string) => homes.some(other => home.startsWith(other + sep))
  return homes.some(isInside) ? null : roots
}

/** Whether everything in a home is looked at that discovery would find. */
function isWhole({ home, parts }: Scope): boolean {
  const isKnown = (path: string) => [...projectFolders, ...sideFolders, 'history.jsonl'].includes(path)
  if (!parts.every(({ path }) => isKnown(path))) return false
  const isSure = parts.every(part => part.kind !== 'projects' || part.isSure === true)
  return isSure || !readdirSync(home).some(name => sideFolders.includes(name))
}

// How far a change reaches: which projects have to be looked through again where only some areas changed. Projects that have
// anything in common that discovery goes by (a session, a name) are looked through together, so that what is found of
// their sessions is what a look at everything would find. It opens no file.

import { join, sep } from 'node:path'
import { projectFolders, sideFolders } from '../../archive/capture/scope.ts'
import type { LiveFile } from '../../archive/capture/survey.ts'
import type { Catalog } from '../../archive/format/catalog.ts'
import { placeOf } from '../../archive/store/place.ts'
import { isLogName, roleOf, stemOf } from '../../disk/discover/project.ts'
import type { FileTree } from '../../disk/discover/tree.ts'
import type { Database, SqlValue } from '../store/port.ts'
import { areaOf, partsOf } from './areas.ts'

export interface ReachInput {
  db: Database
  /** Areas in which something happened. */
  changed: readonly string[]
  survey: readonly LiveFile[]
  catalog: Catalog
  /** Roots that are whole homes, in the order in which they are looked through, by the places of the homes. */
  roots: ReadonlyMap<string, string>
  /** What is indexed of other homes does not matter. */
  isScoped: boolean
  /** No rule leaves anything out. */
  isAllKept: boolean
}

export interface Reach {
  roots: ReachedRoot[]
  /** Whether a file lies in a reached project. */
  has(home: string, path: string): boolean
  /** Indexed generations of the reached projects, and sessions that any of them is of. */
  generations: string[]
  sessions: Set<string>
  /** Whether all that is known of a session lies in what is reached. */
  holds(session: string): boolean
}

export interface ReachedRoot {
  root: string
  /** Names of projects by the folder that they lie in. */
  projects: ReadonlyMap<string, Set<string>>
}

/** Null where everything has to be looked through. */
export function reachOf(input: ReachInput): Reach | null {
  if (hasSessionInHistory(input.db)) return null
  const ties = tiesOf(input)
  const reached = new Set<number>()
  const histories = new Set<string>()
  for (const area of input.changed) {
    if (partsOf(area).top === 'history.jsonl') histories.add(area)
    else {
      const groups = touchedBy(area, ties, input)
      if (groups === null) return null
      for (const group of groups) reached.add(group)
    }
  }
  const areas = [...ties.areas()].filter(area => reached.has(ties.groupOf(area)))
  const roots = rootsOf(areas, input, histories)
  if (roots === null) return null
  const own = rowsIn([...areas, ...histories], input.db)
  const all = new Set(areas)
  return {
    roots,
    has: (home, path) => all.has(areaOf(home, path)),
    generations: own.map(({ generation }) => generation),
    sessions: new Set(own.map(({ session }) => session).filter(session => session !== null)),
    holds: session => {
      const group = ties.groupWith(session)
      return group === undefined || reached.has(group)
    },
  }
}

/** A file that is called like a history of prompts and is a session's log belongs to no project. */
function hasSessionInHistory(db: Database): boolean {
  const sql = "SELECT 1 FROM file WHERE name_session = 'history' AND role <> 'history' LIMIT 1"
  return db.prepare(sql).get() !== undefined
}

function tiesOf(input: ReachInput): Ties {
  const { db, changed } = input
  const ties = new Ties()
  const areWhole = tieKept(ties, input)
  // What is kept says it all of files that did not change: they are in the index as they are now.
  const rows = areWhole ? [...liveRows(db), ...rowsIn(changed, db)] : allRows(db)
  tieRows(ties, rows, input)
  if (!input.isAllKept) for (const { home, path } of input.survey) tieName(ties, path, areaOf(home, path))
  ties.tieUsers()
  return ties
}

interface IndexedRow {
  generation: string
  path: string
  session: string | null
  nameSession: string | null
}

const columns = 'SELECT generation, path, session, name_session FROM file'

function rowsOf(db: Database, sql: string, values: readonly SqlValue[] = []): IndexedRow[] {
  const rows = db.prepare(sql).all(values)
  return rows.map(([generation, path, session, nameSession]) => {
    return { generation, path, session, nameSession } as unknown as IndexedRow
  })
}

function allRows(db: Database): IndexedRow[] {
  return rowsOf(db, columns)
}

/** Of files that are not kept. */
function liveRows(db: Database): IndexedRow[] {
  return rowsOf(db, `${columns} WHERE generation >= 'live:' AND generation < 'live;'`)
}

/** Of files in these areas, and of none besides. */
function rowsIn(areas: readonly string[], db: Database): IndexedRow[] {
  const places = areas.map(area => placeOfArea(area))
  const isIn = `file.path = value OR substr(file.path, 1, length(value) + 1) = value || '${sep}'`
  const sql = `${columns} WHERE EXISTS (SELECT 1 FROM json_each(?) WHERE ${isIn})`
  return places.length === 0 ? [] : rowsOf(db, sql, [JSON.stringify(places)])
}

function placeOfArea(area: string): string {
  const { home, top, name } = partsOf(area)
  return placeOf({ home, path: name === '' ? top : `${top}/${name}` })
}

/** Stands for all that lies in no home that is looked through. */
const elsewhere = ''

/** Areas in groups: two that have a word in common are in one. */
class Ties {
  private readonly places = new Map<string, number>()
  private readonly parents: number[] = []
  private readonly owners = new Map<string, number>()
  private readonly users: [string, number][] = []

  /** A log of this area says that there is a session or a name of that word. */
  own(word: string | null | undefined, area: string): void {
    if (word === null || word === undefined) return
    const place = this.placeOf(area)
    const owner = this.owners.get(word)
    if (owner === undefined) this.owners.set(word, place)
    else this.join(owner, place)
  }

  /** Something in this area belongs to whoever owns the word, if anybody does. */
  use(word: string, area: string): void {
    this.users.push([word, this.placeOf(area)])
  }

  tieUsers(): void {
    for (const [word, place] of this.users) {
      const owner = this.owners.get(word)
      if (owner !== undefined) this.join(owner, place)
    }
  }

  /** Undefined where nobody owns the word. */
  groupWith(word: string): number | undefined {
    const owner = this.owners.get(word)
    return owner === undefined ? undefined : this.find(owner)
  }

  groupOf(area: string): number {
    return this.find(this.placeOf(area))
  }

  areas(): Iterable<string> {
    return this.places.keys()
  }

  private placeOf(area: string): number {
    let place = this.places.get(area)
    if (place === undefined) {
      place = this.parents.length
      this.places.set(area, place)
      this.parents.push(place)
    }
    return place
  }

  private find(place: number): number {
    let at = place
    for (let next = this.parents[at] as number; next !== at; next = this.parents[at] as number) {
      this.parents[at] = this.parents[next] as number
      at = next
    }
    return at
  }

  private join(one: number, other: number): void {
    this.parents[this.find(one)] = this.find(other)
  }
}

function tieRows(ties: Ties, rows: readonly IndexedRow[], input: ReachInput): void {
  for (const { path, session, nameSession } of rows) {
    const area = areaOfPlace(path, input)
    if (area === elsewhere && input.isScoped) continue
    ties.own(session, area)
    ties.own(nameSession, area)
  }
}

function areaOfPlace(place: string, { roots }: ReachInput): string {
  for (const home of roots.keys()) {
    const start = home.endsWith(sep) ? home : home + sep
    if (place.startsWith(start)) return areaOf(home, place.slice(start.length).split(sep).join('/'))
  }
  return elsewhere
}

/** False where it is not known of all logs which sessions they name. */
function tieKept(ties: Ties, { catalog, roots, isScoped }: ReachInput): boolean {
  let areWhole = true
  for (const generations of catalog.files()) {
    const [first] = generations
    if (first === undefined || !isInProject(first.path) || (isScoped && !roots.has(first.home))) continue
    const area = areaOf(first.home, first.path)
    tieName(ties, first.path, area)
    if (!isLogName(first.path)) continue
    for (const { facts } of generations) {
      if (facts === undefined) areWhole = false
      ties.own(facts?.session, area)
    }
  }
  return areWhole
}

export function isInProject(path: string): boolean {
  return projectFolders.some(top => path.startsWith(top) && path[top.length] === '/')
}

/** What a file in a project, or the folder in the project that it lies in, is called after. */
function tieName(ties: Ties, path: string, area: string): void {
  if (!isInProject(path)) return
  const [, slug = '', name, inner] = path.split('/', 4)
  if (name === undefined) ties.own(stemOf(slug), area)
  else if (inner !== undefined) {
    if (isLogName(path)) ties.own(name, area)
    else ties.use(name, area)
  } else if (!isLogName(name)) ties.use(name.split('.', 1)[0] ?? '', area)
  else if (roleOf(name) !== 'agent') ties.own(stemOf(name), area)
}

/** Groups of projects that a change in an area may matter to; null where that cannot be said. */
function touchedBy(area: string, ties: Ties, input: ReachInput): number[] | null {
  const { top, name } = partsOf(area)
  if (projectFolders.includes(top)) return [ties.groupOf(area)]
  if (!sideFolders.includes(top)) return null
  if (top === 'plans') return planned(name, ties, input)
  const stem = name.replace(/\.json$/, '')
  const words = [name, stem, stem.split('-agent-', 1)[0] ?? '']
  return words.map(word => ties.groupWith(word)).filter(group => group !== undefined)
}

/** Those with logs that name a plan; of logs that are not kept nobody knows. */
function planned(name: string, ties: Ties, { catalog, roots, isScoped, isAllKept }: ReachInput): number[] | null {
  if (!isAllKept) return null
  const slug = name.replace(/\.md$/i, '').split('-agent-', 1)[0] ?? ''
  const groups: number[] = []
  for (const { home, path, facts } of catalog.generations.values()) {
    if (facts?.plans.includes(slug) !== true || !isInProject(path) || (isScoped && !roots.has(home))) continue
    groups.push(ties.groupOf(areaOf(home, path)))
  }
  return groups
}

/** Null where a project is reached that cannot be looked through by itself. */
function rootsOf(
  areas: readonly string[],
  { roots }: ReachInput,
  histories: ReadonlySet<string>,
): ReachedRoot[] | null {
  const reached = new Map<string, ReachedRoot>()
  for (const area of [...areas, ...histories]) {
    const { home, top, name } = partsOf(area)
    const root = area === elsewhere ? undefined : roots.get(home)
    if (root === undefined) return null
    const own = reached.get(home) ?? { root, projects: new Map(projectFolders.map(at => [join(root, at), new Set()])) }
    reached.set(home, own)
    if (histories.has(area)) continue
    // A log that lies loose among the projects.
    if (!projectFolders.includes(top) || name === '' || isLogName(name)) return null
    own.projects.get(join(root, top))?.add(name)
  }
  return [...roots.keys()].map(home => reached.get(home)).filter(root => root !== undefined)
}

/** The same tree, with no other projects in it. */
export function onlyProjects(tree: FileTree, projects: ReachedRoot['projects']): FileTree {
  return {
    list: async folder => {
      const entries = await tree.list(folder)
      const wanted = projects.get(folder)
      return wanted === undefined ? entries : entries.filter(({ name }) => wanted.has(name))
    },
    stat: path => tree.stat(path),
    isLink: path => tree.isLink(path),
    source: tree.source,
    known: file => tree.known?.(file),
  }
}

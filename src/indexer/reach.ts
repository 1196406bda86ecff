// How far a change reaches: which projects have to be looked through again where only some areas changed. Projects that have
// anything in common that discovery goes by (a session, a name, a file) are looked through together, so that what is found of
// their sessions is what a look at everything would find. It opens no file.

import { join, sep } from 'node:path'
import type { Catalog } from '../archive/catalog.ts'
import { projectFolders, sideFolders } from '../archive/scope.ts'
import type { LiveFile } from '../archive/survey.ts'
import { isLogName, roleOf, stemOf } from '../disk/project.ts'
import type { FileTree } from '../disk/tree.ts'
import { areaOf, partsOf } from './areas.ts'
import type { Database } from './port.ts'
import { Columns } from './thin-rows.ts'

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
  /** Indexed generations of the reached projects, and sessions that any of them is of. */
  generations: string[]
  sessions: Set<string>
  /** Whether all that is known of a session lies in what is reached. */
  holds(session: string): boolean
}

export interface ReachedRoot {
  root: string
  /** Names of projects by the folder that they lie in. */
  projects: ReadonlyMap<string, ReadonlySet<string>>
}

/** Null where everything has to be looked through. */
export function reachOf(input: ReachInput): Reach | null {
  const rows = rowsOf(input.db)
  const ties = tiesOf(rows, input)
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
  const roots = rootsOf(ties, reached, input, histories)
  if (roots === null) return null
  const isReached = (area: string) => histories.has(area) || reached.has(ties.groupOf(area))
  const own = rows.filter(({ path }) => isReached(areaOfPlace(path, input)))
  return {
    roots,
    generations: own.map(({ generation }) => generation),
    sessions: new Set(own.map(({ session }) => session).filter(session => session !== null)),
    holds: session => {
      const group = ties.groupWith(session)
      return group === undefined || reached.has(group)
    },
  }
}

function tiesOf(rows: readonly IndexedRow[], input: ReachInput): Ties {
  const ties = new Ties()
  tieRows(ties, rows, input)
  tieKept(ties, input)
  tieLive(ties, input)
  ties.tieUsers()
  return ties
}

interface IndexedRow {
  generation: string
  path: string
  session: string | null
  nameSession: string | null
}

const rowsSql = `SELECT json_group_array(generation), json_group_array(path), json_group_array(session),
  json_group_array(name_session) FROM file`

function rowsOf(db: Database): IndexedRow[] {
  const [generations, paths, sessions, names] = new Columns(db).read(rowsSql, []) as [
    string[],
    string[],
    (string | null)[],
    (string | null)[],
  ]
  return generations.map((generation, at) => ({
    generation,
    path: paths[at] as string,
    session: sessions[at] as string | null,
    nameSession: names[at] as string | null,
  }))
}

/** Stands for all that lies in no home that is looked through. */
const elsewhere = ''

/** Areas in groups: two that have a word in common are in one. */
class Ties {
  private readonly places = new Map<string, number>()
  private readonly parents: number[] = []
  private readonly owners = new Map<string, number>()
  private readonly users: [string, number][] = []

  /** A log of this area says that there is a session, a name or a file of that word. */
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

function tieKept(ties: Ties, { catalog, roots, isScoped }: ReachInput): void {
  for (const generations of catalog.files()) {
    const [first] = generations
    if (first === undefined || !isInProject(first.path) || (isScoped && !roots.has(first.home))) continue
    const area = areaOf(first.home, first.path)
    tieName(ties, first.path, area)
    for (const { facts } of generations) ties.own(facts?.session, area)
  }
}

/** Names of one file are one file; what is not kept has a name, too. */
function tieLive(ties: Ties, { survey }: ReachInput): void {
  for (const { home, path, state } of survey) {
    if (!isInProject(path)) continue
    const area = areaOf(home, path)
    tieName(ties, path, area)
    if (isLogName(path)) ties.own(`file ${state.identity.slice(0, state.identity.lastIndexOf('-'))}`, area)
  }
}

function isInProject(path: string): boolean {
  return projectFolders.some(top => path.startsWith(top) && path[top.length] === '/')
}

/** What a file in a project, or the folder in the project that it lies in, is called after. */
function tieName(ties: Ties, path: string, area: string): void {
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
  ties: Ties,
  reached: ReadonlySet<number>,
  { roots }: ReachInput,
  histories: ReadonlySet<string>,
): ReachedRoot[] | null {
  const names = new Map<string, Map<string, Set<string>>>()
  const note = (home: string): Map<string, Set<string>> | null => {
    const root = roots.get(home)
    if (root === undefined) return null
    const known = names.get(home) ?? new Map(projectFolders.map(top => [join(root, top), new Set<string>()]))
    names.set(home, known)
    return known
  }
  for (const area of histories) if (note(partsOf(area).home) === null) return null
  for (const area of ties.areas()) {
    if (!reached.has(ties.groupOf(area))) continue
    const { home, top, name } = partsOf(area)
    const own = area === elsewhere ? null : note(home)
    // A log that lies loose among the projects.
    if (own === null || !projectFolders.includes(top) || name === '' || isLogName(name)) return null
    own.get(join(roots.get(home) ?? '', top))?.add(name)
  }
  const found: ReachedRoot[] = []
  for (const [home, root] of roots) {
    const projects = names.get(home)
    if (projects !== undefined) found.push({ root, projects })
  }
  return found
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

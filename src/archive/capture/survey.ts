// Finds the files of a home that are to be archived, with one `stat` per file and without opening any, and decides which part
// of which home a root means. What links lead to is not to be archived, only noted; one that leads out of the home is reported.

import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { attempt } from '../../base/attempt.ts'
import { errorCode } from '../../base/error-code.ts'
import { isLogName, stemOf } from '../../disk/discover/project.ts'
import { isAside } from '../../files/durable.ts'
import type { Finding } from '../../model/finding.ts'
import { artifactNames, isSessionPath, projectFolders, sessionPattern, sideFolders } from '../format/session-path.ts'
import type { FileState } from './seen.ts'

/** A file that is there, and how it looks. */
export interface LiveFile {
  home: string
  /** From the home, with `/`. */
  path: string
  /** Where to open it. */
  place: string
  mode: number
  state: FileState
}

/** A file that is there under the name of a link only. */
export interface LinkedFile {
  /** By the name of the link. */
  place: string
  /** Without links. */
  target: string
  state: FileState
}

export interface Survey {
  files: LiveFile[]
  /** What links lead to, inside of the home or not: sessions are read from there, too. */
  linked: LinkedFile[]
  findings: Finding[]
}

/** What is below roots, and which part of which home each of them is. */
export interface RootSurvey extends Survey {
  scopes: Scope[]
}

/** Every regular file of the roots; a root that is not there is reported. */
export function surveyRoots(roots: readonly string[]): RootSurvey {
  const scopes: Scope[] = []
  const missing: Finding[] = []
  for (const root of roots) {
    const scope = scopeOf(root)
    if (scope === null) missing.push(missingRoot(root))
    else scopes.push(scope)
  }
  const found = survey(scopes)
  return { ...found, scopes, findings: [...missing, ...found.findings] }
}

function missingRoot(file: string): Finding {
  return { code: 'missing-root', severity: 'error', file, message: 'There is no such file or folder.' }
}

/** Every regular file of the scopes, each once. */
export function survey(scopes: readonly Scope[]): Survey {
  const walk = new SurveyWalk(scopes.length > 1)
  for (const { home, parts, fault } of scopes) {
    if (fault !== undefined) {
      walk.noteProblem(home, fault)
      continue
    }
    // An empty home and one that may not be looked into have both no parts: the listing decides.
    if (parts.length === 0) walk.check(home)
    for (const part of parts) walk.part(home, part)
  }
  return { files: walk.files, linked: walk.linked, findings: walk.findings }
}

/** A folder or file on the way. */
interface Spot {
  path: string
  place: string
}

class SurveyWalk {
  readonly files: LiveFile[] = []
  readonly linked: LinkedFile[] = []
  readonly findings: Finding[] = []
  private readonly met = new Set<string>()
  /** Folders that links led to: links may lead in circles. */
  private readonly followed = new Set<string>()
  private isBelowLink = false
  /** The parts of one scope have no file in common, those of several may. */
  private readonly mayMeetTwice: boolean
  private home = ''
  /** The path of the part that is looked through. */
  private named = ''

  constructor(mayMeetTwice: boolean) {
    this.mayMeetTwice = mayMeetTwice
  }

  /** Reports a home that cannot be read; takes nothing of it. */
  check(home: string): void {
    this.home = home
    this.entriesOf({ path: '', place: home })
  }

  part(home: string, part: Part): void {
    this.home = home
    this.named = part.path
    const spot = { path: part.path, place: join(home, part.path) }
    const isSure = part.isSure === true
    if (part.kind === 'projects') this.enter(spot, inner => this.projects(inner, isSure))
    else if (part.kind === 'project') this.enter(spot, inner => this.project(inner, isSure))
    else this.all(spot)
  }

  private enter(spot: Spot, walk: (spot: Spot) => void): void {
    if (this.look(spot.place)?.isSymbolicLink()) this.link(spot, walk)
    else walk(spot)
  }

  /** Loose logs, and projects. */
  private projects(spot: Spot, isSure: boolean): void {
    for (const entry of this.entriesOf(spot)) {
      const inner = within(spot, entry.name)
      if (entry.isDirectory()) this.project(inner, isSure)
      else if (entry.isSymbolicLink()) this.link(inner, folder => this.project(folder, isSure))
      else if (isLogName(entry.name)) this.file(inner)
    }
  }

  /**
   * Logs, what is called after one of them, and folders of artifacts. Nothing else, and where the home may be none only what
   * is surely a session's, since a folder called `projects` may have anything: data and the program that makes it, say.
   */
  private project(spot: Spot, isSure: boolean): void {
    const entries = this.entriesOf(spot)
    const stems = new Stems(entries)
    for (const entry of entries) {
      const inner = within(spot, entry.name)
      const enter = (folder: Spot) => {
        if (this.isSessionFolder(folder, entry.name, stems, isSure)) this.below(folder)
      }
      if (entry.isSymbolicLink()) this.link(inner, enter)
      else if (entry.isDirectory()) enter(inner)
      else if (isOfSession(entry.name, stems, isSure)) this.file(inner)
    }
  }

  private isSessionFolder({ place }: Spot, name: string, stems: Stems, isSure: boolean): boolean {
    try {
      return isSessionFolder(place, name, stems, isSure)
    } catch (error) {
      this.noteProblem(place, error)
      return false
    }
  }

  /** A file, or everything below a folder. */
  private all(spot: Spot): void {
    const facts = this.look(spot.place)
    if (facts?.isSymbolicLink()) this.link(spot, folder => this.below(folder))
    else if (facts?.isFile()) this.file(spot)
    else if (facts?.isDirectory()) this.below(spot)
  }

  /** Everything below a folder. */
  private below(folder: Spot): void {
    if (!this.isNew(`${folder.path}/`)) return
    const waiting = [folder]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const entry of this.entriesOf(next)) {
        const inner = within(next, entry.name)
        if (entry.isDirectory()) waiting.push(inner)
        else if (entry.isSymbolicLink()) this.link(inner, linked => this.below(linked))
        else if (entry.isFile()) this.file(inner)
      }
    }
  }

  private look(place: string): Stats | undefined {
    try {
      return lstatSync(place, { throwIfNoEntry: false })
    } catch (error) {
      this.noteProblem(place, error)
      return undefined
    }
  }

  private entriesOf({ place }: Spot): Dirent[] {
    try {
      return readdirSync(place, { withFileTypes: true })
    } catch (error) {
      this.noteProblem(place, error)
      return []
    }
  }

  private file({ path, place }: Spot): void {
    // What a restore is just writing is not Claude Code's.
    if (!this.isNew(path) || isAside(place)) return
    if (!isSessionPath(path, this.home)) {
      this.noteRefused(path, place)
      return
    }
    try {
      const facts = lstatSync(place)
      if (!facts.isFile()) return
      if (this.isBelowLink) this.noteLinked(place, facts)
      else this.files.push({ home: this.home, path, place, mode: facts.mode & 0o7777, state: stateOf(facts) })
    } catch (error) {
      this.noteProblem(place, error)
    }
  }

  private isNew(path: string): boolean {
    if (!this.mayMeetTwice) return true
    const key = `${this.home}\0${path}`
    if (this.met.has(key)) return false
    this.met.add(key)
    return true
  }

  /** Notes what a link leads to; `walk` looks through a folder. */
  private link(spot: Spot, walk: (spot: Spot) => void): void {
    const { place } = spot
    if (!this.isBelowLink) this.noteLink(place)
    // One that leads nowhere, or where no one may look, is found again when sessions are read.
    const facts = attempt(() => statSync(place))
    if (facts?.isFile()) this.noteLinked(place, facts)
    if (!facts?.isDirectory() || this.followed.has(`${facts.dev}-${facts.ino}`)) return
    this.followed.add(`${facts.dev}-${facts.ino}`)
    const before = this.isBelowLink
    this.isBelowLink = true
    walk(spot)
    this.isBelowLink = before
  }

  private noteLinked(place: string, facts: Stats): void {
    this.linked.push({ place, target: realPlace(place) ?? place, state: stateOf(facts) })
  }

  /** A link inside the home leads to what is archived at its own place. */
  private noteLink(place: string): void {
    const target = realPlace(place)
    if (target === null || target === this.home || target.startsWith(this.home + sep)) return
    const message = `This link leads out of ${this.home} and was not followed; --root ${target} archives what it leads to.`
    this.findings.push({ code: 'link-out-of-home', severity: 'warning', file: place, message })
  }

  /** Someone who names a file is answered; what is next to sessions and is none of theirs is passed over. */
  private noteRefused(path: string, place: string): void {
    if (path !== this.named) return
    const message = 'This is not part of a session: settings, memory, commands and the like are not archived.'
    this.findings.push({ code: 'not-a-session', severity: 'warning', file: place, message })
  }

  noteProblem(place: string, error: unknown): void {
    this.findings.push(problemAt(place, error))
  }
}

function problemAt(file: string, error: unknown): Finding {
  const isOdd = file.includes('\ufffd')
  if (isAbsence(error) && !isOdd) {
    const message = 'This was deleted before it could be looked at.'
    return { code: 'vanished-file', severity: 'warning', file, message }
  }
  const reason = isOdd ? 'its name is not UTF-8' : errorCode(error)
  const message = `This cannot be looked at (${reason}); it was not archived.`
  return { code: 'unreadable-file', severity: 'warning', file, message }
}

function within(spot: Spot, name: string): Spot {
  return { path: spot.path === '' ? name : [spot.path, name].join('/'), place: [spot.place, name].join(sep) }
}

/** Names of the logs in a folder without their endings, found on the first request: most folders have only logs. */
class Stems {
  private readonly entries: readonly Dirent[]
  private stems: Set<string> | null = null

  constructor(entries: readonly Dirent[]) {
    this.entries = entries
  }

  has(name: string): boolean {
    this.stems ??= new Set(this.entries.filter(entry => isLogName(entry.name)).map(entry => stemOf(entry.name)))
    return this.stems.has(name)
  }
}

function isSessionFolder(place: string, name: string, stems: Stems, isSure: boolean): boolean {
  if (sessionPattern.test(name) || (isSure && stems.has(name))) return true
  return holdsArtifacts(place) && (isSure || stems.has(name) || holdsAgents(place))
}

/** Endings of what Claude Code, or a tool that repairs logs, puts next to a log. */
const companionPattern = /\.(meta\.json|cast|jsonl\.[^.]+)$/i

/** A log, or what Claude Code puts next to one: `<session>.cast`, `agent-1.meta.json`, `sessions-index.json`. */
function isOfSession(name: string, stems: Stems, isSure: boolean): boolean {
  if (isLogName(name) || sessionPattern.test(name)) return true
  if (name === 'sessions-index.json' || name === '.session-aliases') return true
  if (!isSure && !companionPattern.test(name)) return false
  for (let dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1)) {
    if (stems.has(name.slice(0, dot))) return true
  }
  return false
}

/** What `stat` says of a file. */
type StateFacts = Readonly<Record<'size' | 'mtimeMs' | 'ctimeMs' | 'dev' | 'ino' | 'birthtimeMs', number>>

export function stateOf({ size, mtimeMs, ctimeMs, dev, ino, birthtimeMs }: StateFacts): FileState {
  return { size, mtimeMs, ctimeMs, identity: [dev, ino, birthtimeMs].join('-') }
}

/** Signs of a Claude home, next to its projects: a home folder may have a folder `projects` of another kind. */
export const homeSigns: readonly string[] = [
  'history.jsonl',
  'file-history',
  'shell-snapshots',
  'statsig',
  'session-env',
]

/** Signs that any folder may have: they count together with projects that are called like Claude Code's. */
export const weakSigns: readonly string[] = ['settings.json', 'todos', 'tasks', 'plans']

/** `-home-mira-choir`, `C--Users-mira-choir`. */
const slugPattern = /^(-|[A-Za-z]--)/

/** A part of a home that is looked through in its own way. */
export interface Part {
  /** From the home, with `/`. */
  path: string
  /** `projects`: folders of sessions. `project`: sessions and what is next to them. `all`: whatever is there. */
  kind: 'projects' | 'project' | 'all'
  /** The home is surely one: all that is next to a log is a session's. */
  isSure?: true
}

export interface Scope {
  /** Absolute, links resolved. */
  home: string
  parts: Part[]
  /** Why nothing can be taken: what is there could not be looked at. */
  fault?: unknown
}

/**
 * A home: what sessions own in it. A projects folder, a project or a file inside a home: that part of the home. Any other
 * folder or file: its logs and those of its folders, as if it were a home. Null where there is nothing.
 */
export function scopeOf(root: string): Scope | null {
  try {
    return findScope(root)
  } catch (fault) {
    return { home: resolve(root), parts: [], fault }
  }
}

/** Throws where something cannot be looked at: the root would be taken for another kind of folder. */
function findScope(root: string): Scope | null {
  const place = realPlace(root)
  if (place === null) return null
  if (!statSync(place).isDirectory()) return scopeOfFile(place)
  const names = readdirSync(place).sort()
  const projects = projectFolders.filter(name => names.includes(name) && isRealFolder(join(place, name)))
  if (projects.length > 0 && !projectFolders.includes(basename(place))) return scopeOfHome(place, names)
  return scopeInHome(place, 'projects') ?? scopeOfLinkedHome(place, names) ?? scopeOfLoose(place, names)
}

/** The same kinds of folders that `discover` distinguishes. */
function scopeOfLoose(place: string, names: readonly string[]): Scope {
  const hasLogs = names.some(name => isLogName(name) && name !== 'history.jsonl')
  if (!hasLogs && isSureHome(place, names)) return scopeOfHome(place, names)
  if (!hasLogs && holdsArtifacts(place)) {
    const path = basename(place)
    return { home: dirname(place), parts: [path, `${path}.jsonl`].map(part => ({ path: part, kind: 'all' })) }
  }
  const isProject = hasLogs || names.some(name => holdsArtifacts(join(place, name)))
  return { home: place, parts: [{ path: '', kind: isProject ? 'project' : 'projects' }] }
}

/** Whether a folder is surely a Claude home, not just one with a folder of that name. */
function isSureHome(home: string, names: readonly string[]): boolean {
  if (/^(\.claude|claude[-_.])/.test(basename(home))) return true
  if (homeSigns.some(sign => names.includes(sign))) return true
  if (!weakSigns.some(sign => names.includes(sign))) return false
  return projectFolders.some(folder => namesIn(join(home, folder)).some(name => slugPattern.test(name)))
}

function scopeOfHome(home: string, names: readonly string[]): Scope {
  const sure = isSureHome(home, names) ? { isSure: true as const } : {}
  const parts: Part[] = projectFolders
    .filter(name => names.includes(name))
    .map(path => ({ path, kind: 'projects', ...sure }))
  if (sure.isSure) {
    for (const path of [...sideFolders, 'history.jsonl']) if (names.includes(path)) parts.push({ path, kind: 'all' })
  }
  return { home, parts }
}

/** A home whose folder of projects is a link: the survey reports that it is not followed. */
function scopeOfLinkedHome(place: string, names: readonly string[]): Scope | null {
  return projectFolders.some(name => names.includes(name)) ? scopeOfHome(place, names) : null
}

/** A place somewhere below a folder of projects. */
function scopeInHome(place: string, ownKind: Part['kind']): Scope | null {
  const parts = place.split(sep)
  const at = parts.findLastIndex((part, index) => projectFolders.includes(part) && index > 0)
  if (at < 0) return null
  const home = parts.slice(0, at).join(sep) || sep
  const path = parts.slice(at).join('/')
  const depth = parts.length - at
  const sure = isSureHome(home, namesIn(home)) ? { isSure: true as const } : {}
  if (depth === 1) return { home, parts: [{ path, kind: ownKind, ...sure }] }
  if (depth === 2) return { home, parts: [{ path, kind: 'project', ...sure }] }
  const name = parts[at + 2] ?? ''
  const isSession = isFile(join(home, parts[at] ?? '', parts[at + 1] ?? '', `${name}.jsonl`)) || holdsArtifacts(place)
  if (isLogName(name)) return { home, parts: [{ path, kind: 'all' }] }
  if (!isSession) return null
  const own = depth === 3 ? [path, `${path}.jsonl`] : [path]
  return { home, parts: own.map(part => ({ path: part, kind: 'all' })) }
}

/** A session file brings the folder of its artifacts along; another one called like it, outside of a home, is no such. */
function scopeOfFile(place: string): Scope {
  const inHome = scopeInHome(place, 'all')
  const home = inHome?.home ?? dirname(place)
  const path = inHome?.parts[0]?.path ?? basename(place)
  const parts: Part[] = [{ path, kind: 'all' }]
  const folder = place.replace(/\.jsonl$/i, '')
  if (folder !== place && (inHome !== null || holdsArtifacts(folder))) {
    parts.push({ path: path.replace(/\.jsonl$/i, ''), kind: 'all' })
  }
  return { home, parts }
}

/** Whether a folder has what Claude Code keeps for one session, by the names in it. */
export function holdsArtifacts(folder: string): boolean {
  return namesIn(folder).some(name => artifactNames.includes(name))
}

/** Whether it has the logs of subagents: a folder of code may have `workflows`, but not those. */
function holdsAgents(folder: string): boolean {
  return namesIn(join(folder, 'subagents')).some(isLogName)
}

/** None where there is no such folder. */
function namesIn(folder: string): string[] {
  return unlessAbsent(() => readdirSync(folder).sort()) ?? []
}

function isFile(path: string): boolean {
  return unlessAbsent(() => statSync(path))?.isFile() === true
}

function isRealFolder(path: string): boolean {
  return unlessAbsent(() => lstatSync(path))?.isDirectory() === true
}

function unlessAbsent<Value>(look: () => Value): Value | undefined {
  try {
    return look()
  } catch (error) {
    if (!isAbsence(error)) throw error
    return undefined
  }
}

function isAbsence(error: unknown): boolean {
  return errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR'
}

/** Absolute, links resolved; null where nothing is there. */
export function realPlace(path: string): string | null {
  return attempt(() => realpathSync(resolve(path))) ?? null
}

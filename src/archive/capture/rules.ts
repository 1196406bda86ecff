// Which files are left out: those of projects that the config excludes and of sessions that were forgotten. Judged by a
// file's place and by what its head says; nothing is read here.

import { isAbsolute, resolve, sep } from 'node:path'
import type { FileFacts } from '../../disk/discover/facts.ts'
import { isLogName, roleOf, stemOf } from '../../disk/discover/project.ts'
import { canonicalPlace, placeOf } from '../../files/place.ts'
import { projectFolders, sideFolders } from '../format/session-path.ts'
import type { LiveFile } from './survey.ts'

/** Whether a path in a home is that of a session file, not of an agent's or of a log among a session's artifacts. */
export function isMainLog(path: string): boolean {
  const parts = path.split('/')
  const name = parts.at(-1) ?? ''
  return isLogName(name) && roleOf(name) === 'session' && parts.length <= 3 && !parts.includes('subagents')
}

/** Decides whether a file is archived. Ask for logs before the files that belong to them: those follow their log. */
export class ExcludeRules {
  private readonly excluded: readonly string[]
  private readonly forgotten: ReadonlySet<string>
  private readonly forgottenFiles: ReadonlySet<string>
  /** Files and folders that were forgotten alone. */
  private readonly forgottenPlaces: readonly string[]
  /** Sessions that turned out to be left out, by the names their files go by. */
  private readonly names: Set<string>
  private readonly plans = new Set<string>()
  /** The working directory of a project folder, from its logs. */
  private readonly folders = new Map<string, string>()

  /** `exclude`: working directories, or files and folders of a home. `files`: forgotten ones, whole paths or paths from any home. */
  constructor(exclude: readonly string[], forgotten: ReadonlySet<string>, files: Iterable<string> = []) {
    // Homes are known by their real place, working directories by any spelling.
    this.excluded = [...new Set(exclude.flatMap(path => [resolve(path), canonicalPlace(path)]))]
    this.forgotten = forgotten
    this.forgottenFiles = new Set(files)
    this.forgottenPlaces = [...this.forgottenFiles].filter(file => isAbsolute(file))
    this.names = new Set(forgotten)
  }

  /** Without any rule, nothing needs to be asked. */
  get isEmpty(): boolean {
    return this.excluded.length === 0 && this.forgotten.size === 0 && this.forgottenFiles.size === 0
  }

  /** `path`: from the home, with `/`. `facts`: of a log. */
  leavesOut(home: string, path: string, facts: FileFacts | undefined): boolean {
    if (this.isEmpty) return false
    const place = placeOf({ home, path })
    if (this.forgottenFiles.has(path) || isBelowAny(place, this.forgottenPlaces)) return true
    if (isBelowAny(place, this.excluded)) return true
    const parts = path.split('/')
    if (facts !== undefined) return this.leavesOutLog(home, parts, facts)
    const isOut = ownNames(parts).some(part => this.isNamed(part)) || this.isPlanOut(parts)
    return isOut || this.isFolderOut(home, parts)
  }

  private leavesOutLog(home: string, parts: readonly string[], facts: FileFacts): boolean {
    const project = projectOf(home, parts)
    if (facts.cwd !== undefined && project !== null && !this.folders.has(project)) this.folders.set(project, facts.cwd)
    const isOut =
      ownNames(parts).some(part => this.isNamed(part)) ||
      (facts.session !== undefined && !facts.isHistory && this.names.has(facts.session)) ||
      (facts.cwd === undefined ? this.isFolderOut(home, parts) : this.isBelowExcluded(facts.cwd))
    if (isOut && isMainLog(parts.join('/'))) this.noteSession(parts.at(-1) ?? '', facts)
    return isOut
  }

  /** What else belongs to a session that is left out goes by its name. */
  private noteSession(fileName: string, facts: FileFacts): void {
    this.names.add(stemOf(fileName))
    if (facts.session !== undefined) this.names.add(facts.session)
    for (const plan of facts.plans) this.plans.add(plan)
  }

  /** `<session>`, `<session>.jsonl`, `<session>-agent-….json`. */
  private isNamed(part: string): boolean {
    if (this.names.has(part)) return true
    for (const end of [part.indexOf('.'), part.indexOf('-agent-')]) {
      if (end > 0 && this.names.has(part.slice(0, end))) return true
    }
    return false
  }

  private isPlanOut(parts: readonly string[]): boolean {
    const name = parts[0] === 'plans' ? (parts[1] ?? '').replace(/\.md$/, '') : ''
    return this.plans.has(name) || this.plans.has(name.split('-agent-', 1)[0] ?? '')
  }

  /** A folder of a project whose logs name an excluded directory, or, where none names any, is called like one. */
  private isFolderOut(home: string, parts: readonly string[]): boolean {
    const project = projectOf(home, parts)
    if (project === null) return false
    const cwd = this.folders.get(project)
    if (cwd !== undefined) return this.isBelowExcluded(cwd)
    return this.excluded.some(path => slugOf(path) === parts[1])
  }

  private isBelowExcluded(path: string): boolean {
    return isBelowAny(path, this.excluded)
  }
}

function isBelowAny(path: string, folders: readonly string[]): boolean {
  return folders.some(folder => path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep))
}

/** Says which of the two kinds of rules leaves a file out. */
export class RuleReasons {
  private readonly forgotten: ExcludeRules
  private readonly excluded: ExcludeRules

  constructor(exclude: readonly string[], forgotten: ReadonlySet<string>, files: Iterable<string>) {
    this.forgotten = new ExcludeRules([], forgotten, files)
    this.excluded = new ExcludeRules(exclude, new Set())
  }

  /** Null where the file is to be archived. Both are asked, since each learns from the logs it is asked about. */
  reasonFor(home: string, path: string, facts: FileFacts | undefined): 'excluded' | 'forgotten' | null {
    const isForgotten = this.forgotten.leavesOut(home, path, facts)
    const isExcluded = this.excluded.leavesOut(home, path, facts)
    if (isForgotten) return 'forgotten'
    return isExcluded ? 'excluded' : null
  }
}

/**
 * The part of a path that sessions give their names to. The folders of a home, a project's and the prompt history are called
 * what they are called, even if a session has the same name.
 */
function ownNames(parts: readonly string[]): readonly string[] {
  const [top = ''] = parts
  if (parts.length === 1) return top === 'history.jsonl' ? [] : parts
  if (projectFolders.includes(top)) return parts.slice(parts.length > 2 ? 2 : 1)
  return sideFolders.includes(top) ? parts.slice(1) : parts
}

function projectOf(home: string, parts: readonly string[]): string | null {
  return parts.length > 2 && (parts[0] === 'projects' || parts[0] === 'conversations') ? `${home}\0${parts[1]}` : null
}

/** As Claude Code makes a folder's name from a working directory. */
export function slugOf(path: string): string {
  return path.replace(/[^A-Za-z0-9]/g, '-')
}

/** By the files' paths in their homes; those of one kind stay in their order. */
export function inRuleOrder<Item>(items: Iterable<Item>, pathOf: (item: Item) => string): Item[] {
  const mains: Item[] = []
  const logs: Item[] = []
  const others: Item[] = []
  for (const item of items) {
    const path = pathOf(item)
    const kind = isMainLog(path) ? mains : isLogName(path) ? logs : others
    kind.push(item)
  }
  return [...mains, ...logs, ...others]
}

/** In rule order, among each kind the oldest first, since those are what Claude Code deletes next. */
export function inOrder(files: readonly LiveFile[]): LiveFile[] {
  const oldestFirst = [...files].sort((a, b) => a.state.mtimeMs - b.state.mtimeMs)
  return inRuleOrder(oldestFirst, file => file.path)
}

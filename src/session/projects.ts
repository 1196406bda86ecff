// Which project a session belongs to, and what it is called: one project for each project folder of a Claude home, named after
// the directory that it stands for, never after one below it. A session from another directory that was put into the folder is
// of its own directory's project. It decodes no folder name: paths come from records.

/** What a session says about its place. */
export interface Placed {
  /** Name of the project folder; empty for a file that is in none. */
  slug: string
  /** Its first working directory; null where no record names one. */
  cwd: string | null
}

export interface Project {
  /** The path, else the name of the folder: equal for sessions of one project. */
  key: string
  /** The directory; null where no session of the project names one. */
  path: string | null
  slug: string
  /** For people: `shop`, or `shop (work)` where another project is called so. */
  name: string
}

/** The projects of sessions: all of them, since names depend on each other. */
export class Projects {
  private readonly bySlug = new Map<string, Project>()
  private readonly byKey = new Map<string, Project>()

  constructor(sessions: Iterable<Placed>) {
    const cwds = new Map<string, string[]>()
    for (const session of sessions) {
      const known = cwds.get(folderOf(session)) ?? []
      if (session.cwd !== null) known.push(session.cwd)
      cwds.set(folderOf(session), known)
    }
    for (const [slug, paths] of cwds) this.bySlug.set(slug, this.add(slug, directoryOf(slug, paths)))
    for (const [slug, paths] of cwds) {
      for (const path of paths) if (!isOf(this.bySlug.get(slug), path)) this.add(slug, path)
    }
    for (const [key, name] of namesOf([...this.byKey.keys()])) (this.byKey.get(key) as Project).name = name
  }

  private add(slug: string, path: string | null): Project {
    const key = path ?? slug
    let project = this.byKey.get(key)
    if (project === undefined) {
      project = { key, path, slug, name: key }
      this.byKey.set(key, project)
    }
    return project
  }

  /** `session`: one of those that these were made from; of another one, its own directory is the project. */
  of(session: Placed): Project {
    const ofFolder = this.bySlug.get(folderOf(session))
    if (ofFolder !== undefined && (session.cwd === null || isOf(ofFolder, session.cwd))) return ofFolder
    const known = session.cwd === null ? undefined : this.byKey.get(session.cwd)
    if (known !== undefined) return known
    const key = session.cwd ?? session.slug
    return { key, path: session.cwd, slug: session.slug, name: shortName(key, 1) }
  }

  /**
   * Whether a text means the session's project: its name as lists show it, or any part of its path, of the session's own
   * directory or of the project folder. A whole path with a slash at its end means that folder and all below it; `=` and a key
   * or folder name mean that project alone.
   */
  isMeant(session: Placed, text: string): boolean {
    const { key, path, name } = this.of(session)
    if (text.startsWith('=')) return [key, session.slug].includes(text.slice(1))
    if (name.toLowerCase() === text.toLowerCase()) return true
    return isInProject(session, text) || isInProject({ cwd: path, slug: session.slug }, text)
  }

  /** How many there are. */
  get size(): number {
    return this.byKey.size
  }

  /** The name of the project with this key; undefined where there is none. */
  nameOf(key: string): string | undefined {
    return this.byKey.get(key)?.name
  }
}

/** Whether a directory is the project's, or one below it: a session from elsewhere that was put into its folder is not its. */
function isOf(project: Project | undefined, cwd: string): boolean {
  const path = project?.path ?? null
  if (path === null) return false
  // Windows writes the letter of a drive large or small.
  const [own, above] = /^[a-z]:/i.test(cwd) ? [cwd.toLowerCase(), path.toLowerCase()] : [cwd, path]
  return own === above || parentsOf(own).includes(above)
}

/** Files outside of project folders belong to their directory. */
function folderOf({ slug, cwd }: Placed): string {
  return slug === '' ? (cwd ?? '') : slug
}

/** The directory that Claude Code named the folder after; else the one that most of the sessions are in or below. */
function directoryOf(slug: string, cwds: readonly string[]): string | null {
  const paths = [...new Set(cwds)].sort()
  for (const path of paths) {
    for (const above of [path, ...parentsOf(path)]) if (isFolderOf(slug, above)) return above
  }
  let best: string | null = null
  let most = 0
  for (const path of paths) {
    const inside = cwds.filter(cwd => cwd === path || parentsOf(cwd).includes(path)).length
    if (inside > most) [best, most] = [path, inside]
  }
  return best
}

/** Of a longer path, Claude Code takes the beginning and adds a hash. */
const longestFolder = 200

function isFolderOf(slug: string, path: string): boolean {
  const folder = path.replace(/[^a-zA-Z0-9]/g, '-')
  if (folder.length <= longestFolder) return folder === slug
  return slug.startsWith(folder.slice(0, longestFolder))
}

/** The nearest first, in the writing of POSIX or Windows. */
function parentsOf(path: string): string[] {
  const parents: string[] = []
  for (let end = lastSeparator(path); end > 0; end = lastSeparator(path.slice(0, end))) parents.push(path.slice(0, end))
  return parents
}

function lastSeparator(path: string): number {
  return Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'))
}

/** Names by key: as short as they can be while no two are equal. */
function namesOf(keys: readonly string[]): Map<string, string> {
  const names = new Map(keys.map(key => [key, shortName(key, 1)]))
  for (let parts = 2; parts <= deepest; parts++) {
    const times = new Map<string, number>()
    for (const name of names.values()) times.set(name, (times.get(name) ?? 0) + 1)
    const twice = keys.filter(key => (times.get(names.get(key) ?? '') ?? 0) > 1)
    if (twice.length === 0) break
    for (const key of twice) names.set(key, shortName(key, parts))
  }
  return names
}

const deepest = 12

/** The last directory, with as many above it in brackets as make `count` parts. A number alone is no name. */
export function shortName(key: string, count = 1): string {
  const parts = key.split(/[\\/]/).filter(part => part !== '' && !/^[A-Za-z]:$/.test(part))
  const own = /^\d*$/.test(parts.at(-1) ?? '') ? 2 : 1
  const name = parts.slice(-own).join('/') || key
  const above = parts.slice(-own - count + 1, -own).join('/')
  return above === '' ? name : `${name} (${above})`
}

const wholeFolder = /^([a-z]:)?[\\/].*[\\/]$/i
const listedName = /^(.+) \((.+)\)$/

/** The name of a project as lists have it, `shop (work)`, means that folder, whatever else lists have. */
function isInProject({ cwd, slug }: Placed, text: string): boolean {
  const path = slashed(cwd ?? '')
  if (wholeFolder.test(text)) return `${path}/`.startsWith(slashed(text))
  const [part, named] = projectTexts(text) as [string, string?]
  if (path.toLowerCase().includes(part) || slug.toLowerCase().includes(part)) return true
  return named !== undefined && `/${path.toLowerCase()}/`.includes(`/${named}/`)
}

/** In small letters, with slashes: what the paths that may be meant contain, one of these. */
function projectTexts(text: string): string[] {
  const plain = slashed(text.length > 1 ? text.replace(/[\\/]+$/, '') : text).toLowerCase()
  const [, name, above] = listedName.exec(plain) ?? []
  return name === undefined ? [plain] : [plain, `${above}/${name}`]
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/')
}

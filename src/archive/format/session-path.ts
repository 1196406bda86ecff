// The one list of what may be archived, imported, exported and restored: paths of a home where Claude Code, or a tool that
// copies logs, has something of a session. Whatever else a home has, an archive names or a backup brings (settings, memory,
// commands, hooks, credentials) is neither taken nor written. It looks at no file.

import { artifactFiles, artifactFolders } from '../../model/source.ts'

/** The folders of a home whose subfolders are projects: Claude Code's, and the one of specification 000. */
export const projectFolders: readonly string[] = ['projects', 'conversations']

/** What Claude Code keeps for sessions next to their projects; its settings, caches and logs are not taken. */
export const sideFolders: readonly string[] = [
  'todos',
  'tasks',
  'file-history',
  'plans',
  'teams',
  'paste-cache',
  'image-cache',
]

/** What Claude Code has in the folder of a session. */
export const artifactNames: readonly string[] = [...artifactFolders.keys(), ...artifactFiles]

/** What the name of a session, or of a file called after one, begins with. */
export const sessionPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i

/** Logs and what is next to them, wherever they are. */
export const logPattern =
  /\.(jsonl(\.[^.]+)*|meta\.json|cast|ccr-tip\.json|precompact\.json)$|^(sessions-index\.json|\.session-aliases)$/i

/** Names that make Claude Code, git or a login do something. Nothing with one of them on its way is a session's. */
const activeNames: ReadonlySet<string> = new Set([
  ...['.claude', '.claude.json', '.credentials.json', '.mcp.json', '.git', '.ssh', '.config', '.vscode', '.npmrc'],
  ...['settings.json', 'settings.local.json', 'managed-settings.json', 'claude.md', 'claude.local.md', 'agents.md'],
])

/** Folders of a home in which Claude Code looks for what it is to do or to know. */
const activeFolders: ReadonlySet<string> = new Set([
  ...['commands', 'hooks', 'skills', 'plugins', 'output-styles', 'memory', 'agent-memory'],
])

/** Folders of a home that are not for sessions; elsewhere, a folder of logs may be called so. */
const otherFolders: ReadonlySet<string> = new Set([
  ...['agents', 'rules', 'workflows', 'local', 'bin', 'ide', 'statsig', 'shell-snapshots', 'session-env', 'sessions'],
])

/**
 * Whether a path of a home, with `/`, is on the list. `home`: where it is; what is in the commands or the memory of a Claude
 * home is not, so that no one gets at them by calling them a home.
 */
export function isSessionPath(path: string, home = ''): boolean {
  return isListed(path.split('/')) && !isActiveHome(home)
}

function isListed(parts: readonly string[]): boolean {
  const [top = '', ...rest] = parts
  if (parts.some(part => activeNames.has(asNamed(part)))) return false
  if (projectFolders.includes(top)) return isInProjects(rest)
  if (sideFolders.includes(top)) return rest.length > 0
  const folder = asNamed(top)
  if (rest.length > 0 && (activeFolders.has(folder) || shortName.test(top))) return false
  if (rest.length > 0 && otherFolders.has(folder) && !logPattern.test(parts.at(-1) ?? '')) return false
  // A home of another kind: a folder of projects, or of logs.
  return isInProjects(parts) || isInProject(parts)
}

/** `COMMAN~1`: what Windows calls a folder with a longer name. */
const shortName = /^[^.]{1,6}~\d/

/** What is in a folder of projects: loose logs, and projects. */
function isInProjects(parts: readonly string[]): boolean {
  const [name = '', ...rest] = parts
  return rest.length === 0 ? logPattern.test(name) : isInProject(rest)
}

/** What is in a project: logs, what is called after a session, and folders of sessions. The memory of a project is none. */
function isInProject(parts: readonly string[]): boolean {
  const [first = '', second = ''] = parts
  const name = parts.at(-1) ?? ''
  if (asNamed(first) === 'memory') return false
  if (sessionPattern.test(first)) return parts.length > 1 || isCalledAfter(name)
  return logPattern.test(name) || (parts.length > 1 && artifactNames.includes(second))
}

/** `<session>.jsonl`, `<session>.cast`: the rest of the name is what Claude Code appends, not what a desktop starts. */
function isCalledAfter(name: string): boolean {
  const rest = name.replace(sessionPattern, '')
  return rest === '' || logPattern.test(name) || /^[.-][\w.-]*\.(json|txt|md|bak|tmp|backup|log|gz)$/i.test(rest)
}

/** Almost every name: a home has very many files. */
const plainName = /^[!-9;-~]*[!-\-/-9;-~]$/

/** The name that file systems take it for: some ignore case, closing dots and blanks, streams, and invisible characters. */
function asNamed(name: string): string {
  if (plainName.test(name)) return name.toLowerCase()
  const seen = name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  return seen
    .toLowerCase()
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '')
}

/** Whether a home is a folder inside of a Claude home that is not for sessions. All files of one home are asked about in turn. */
function isActiveHome(home: string): boolean {
  if (lastHome?.home !== home) lastHome = { home, isActive: isInActiveFolder(home) }
  return lastHome.isActive
}

let lastHome: { home: string; isActive: boolean } | undefined

function isInActiveFolder(home: string): boolean {
  const parts = home.split(/[/\\]/).map(asNamed)
  const at = parts.lastIndexOf('.claude')
  if (at < 0) return false
  const [top = '', ...rest] = parts.slice(at + 1).filter(part => part !== '')
  return activeFolders.has(top) || otherFolders.has(top) || shortName.test(top) || rest.includes('memory')
}

// Where a session's files are, by the rules of its dialect: the project's folder in a home, the names of the session's own file
// and of its subagents'. It makes nothing.

import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { toMillis } from '../base/instant.ts'
import { claudeHomes } from '../disk/discover/homes.ts'
import { stemOf } from '../disk/discover/project.ts'
import { dialectForms, type WireDialect } from './wire/dialects.ts'
import { WriteError } from './wire/error.ts'

/** The home that is meant where none is named: `$CLAUDE_CONFIG_DIR`, else `~/.claude`. */
export function usualHome(): string {
  const homeDir = homedir()
  return claudeHomes({ env: process.env, homeDir })[0] ?? join(homeDir, '.claude')
}

/** The folder of a directory's sessions. */
export function projectFolder(home: string, cwd: string, dialect: WireDialect): string {
  const form = dialectForms[dialect]
  const slug = form.slug(cwd)
  // A name, not a way out of the home.
  if (slug === '' || slug === '.' || slug === '..' || /[/\\\0]/.test(slug))
    throw new WriteError('bad-input', `No folder can be called after the directory ${JSON.stringify(cwd)}.`, 'cwd')
  return join(resolve(home), form.projects, slug)
}

/** What a new session's file is called. `startedAt`: milliseconds since 1970. */
export function sessionFileName(dialect: WireDialect, session: string, startedAt: number): string {
  if (/[/\\\0]/.test(session) || session === '' || session.startsWith('.'))
    throw new WriteError('bad-input', `No file can be called after the session ${JSON.stringify(session)}.`, 'session')
  if (!dialectForms[dialect].hasTimedNames) return `${session}.jsonl`
  const time = new Date(startedAt).toISOString().replaceAll(':', '-').replace('.', '-')
  // Sessions that begin in one moment get different names.
  return `${time}-${session.replace(/[^\w]/g, '').slice(0, 8)}.jsonl`
}

/** Where a session that is made of another one goes in a home, and what its files are called. */
export function convertedPlace(
  home: string,
  dialect: WireDialect,
  { session, cwd, startedAt }: { session: string; cwd: string | null; startedAt: string | null },
): { folder: string; name: string } {
  const file = sessionFileName(dialect, session, toMillis(startedAt) ?? 0)
  // Records whose session states no directory name the root, or none.
  return { folder: projectFolder(home, cwd ?? '/', dialect), name: stemOf(file) }
}

/** The file of a subagent that has its own. */
export function agentFilePath(sessionPath: string, agent: string): string {
  return join(dirname(sessionPath), stemOf(basename(sessionPath)), 'subagents', `agent-${agent}.jsonl`)
}

export function agentMetaPath(agentPath: string): string {
  return agentPath.replace(/\.jsonl$/, '.meta.json')
}

/** The home that a session's file is in; null for a file elsewhere. */
export function homeOf(path: string): string | null {
  const projects = dirname(dirname(resolve(path)))
  return ['projects', 'conversations'].includes(basename(projects)) ? dirname(projects) : null
}

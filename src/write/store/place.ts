// Where the log of a key is: `projects/<projectKey>/<sessionId>.jsonl`, as Claude Code has it, and subagents in the session's
// folder. A key is a name and never a way out of the home.

import { join } from 'node:path'
import { isLogName, roleOf } from '../../disk/discover/project.ts'
import { WriteError } from '../wire/error.ts'
import type { SessionKey } from './types.ts'

/** The folder of a project's sessions. */
export function projectPlace(home: string, projectKey: string): string {
  return join(home, 'projects', checked(projectKey, 'projectKey'))
}

/** The session's own log. */
export function sessionPlace(home: string, { projectKey, sessionId }: SessionKey): string {
  const name = `${checked(sessionId, 'sessionId')}.jsonl`
  // Those have another meaning to Claude Code, and are in no list of sessions.
  if (sessionIn(name) === null) throw badName(sessionId, 'sessionId')
  return join(projectPlace(home, projectKey), name)
}

/** The log of a key. */
export function logPlace(home: string, key: SessionKey): string {
  const session = sessionPlace(home, key)
  if (key.subpath === undefined) return session
  if (typeof key.subpath !== 'string') throw badName(key.subpath, 'subpath')
  return `${join(folderOf(session), ...key.subpath.split('/').map(name => checked(name, 'subpath')))}.jsonl`
}

/** The folder of what belongs to a session. */
export function folderOf(sessionPath: string): string {
  return sessionPath.replace(/\.jsonl$/, '')
}

/** The session whose own log is called so; null where it is something else. */
export function sessionIn(name: string): string | null {
  return name.endsWith('.jsonl') && isLogName(name) && roleOf(name) === 'session'
    ? name.slice(0, -'.jsonl'.length)
    : null
}

function checked(name: unknown, what: keyof SessionKey): string {
  if (typeof name !== 'string' || name === '' || name.startsWith('.') || !isName(name)) throw badName(name, what)
  return name
}

function isName(text: string): boolean {
  return !/[/\\\p{Cc}\p{Cs}]/u.test(text)
}

function badName(name: unknown, what: keyof SessionKey): WriteError {
  return new WriteError('bad-input', `No log can be called after the ${what} ${JSON.stringify(name)}.`, what)
}

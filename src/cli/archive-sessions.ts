// Finds the kept sessions that people name, by the same words that name sessions elsewhere.

import type { Archive } from '../archive/archive.ts'
import { type KeptSession, keptHomes } from '../archive/sessions.ts'
import { resolveSession } from '../disk/resolve.ts'
import type { SessionFiles } from '../model/source.ts'
import { type GlobalOptions, UserError } from './command.ts'

/** The kept sessions with that id, in all homes; an error where there is none, or where several ids fit. */
export async function keptNamed(archive: Archive, text: string, globals: GlobalOptions): Promise<KeptSession[]> {
  const all = (await keptHomes(archive)).flatMap(home => home.sessions)
  const files = onePerId(all)
  const byId = resolveSession(files, text)
  const found = 'none' in byId ? await resolveByTitle(files, text, globals) : byId
  if ('none' in found) throw new UserError(`nothing is kept of "${text}" (of ${files.length} sessions that are kept)`)
  if ('candidates' in found) {
    const list = found.candidates.slice(0, 20).map(session => `  ${session.id}`)
    throw new UserError(`"${text}" is not unique; it matches\n${list.join('\n')}`)
  }
  return all.filter(session => session.id === (found.found.id as string))
}

async function resolveByTitle(files: readonly SessionFiles[], text: string, globals: GlobalOptions) {
  const { quickTitles } = await import('./list-quick.ts')
  const titles = quickTitles(files, globals.source)
  return resolveSession(files, text, { titleOf: session => titles.get(session) })
}

function onePerId(sessions: readonly KeptSession[]): SessionFiles[] {
  const byId = new Map<string, SessionFiles>()
  for (const { files } of sessions) if (!byId.has(files.id)) byId.set(files.id, files)
  return [...byId.values()]
}

/** Each named session once. */
export async function allNamed(
  archive: Archive,
  texts: readonly string[],
  globals: GlobalOptions,
): Promise<KeptSession[]> {
  const found = new Set<KeptSession>()
  const byKey = new Map<string, KeptSession>()
  for (const text of texts) {
    for (const session of await keptNamed(archive, text, globals)) {
      const key = `${session.home}\0${session.slug}\0${session.id}`
      if (!byKey.has(key)) byKey.set(key, session)
      found.add(byKey.get(key) ?? session)
    }
  }
  return [...found]
}

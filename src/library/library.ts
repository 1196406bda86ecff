// Answers of the commands as data, in one call each, over disk, archive and index. The names and options that the Claude Agent
// SDK has too are called as there. How an answer is found is decided by the commands; their code is loaded with the first call.

import type { ShownDetail } from '../answers/session/detail.ts'
import type { PrintedSearch } from '../answers/texts/search.ts'
import type { PrintedUsage } from '../answers/usage/report.ts'
import type { SessionRow } from '../schema/contract-shapes.ts'
import type { SessionMessage } from './messages.ts'
import type {
  GetSessionMessagesOptions,
  GetSessionOptions,
  ListSessionsOptions,
  SearchTextOptions,
  UsageOptions,
} from './options.ts'

export type { ShownDetail } from '../answers/session/detail.ts'
export type { PrintedSearch } from '../answers/texts/search.ts'
export type { PrintedUsage } from '../answers/usage/report.ts'

/** The sessions of all projects, or of one: what `clew ls --json` prints, the latest first. */
export async function listSessions(options: ListSessionsOptions = {}): Promise<SessionRow[]> {
  const { listed } = await import('./answers.ts')
  return listed(options)
}

/** What a list says of one session; undefined where there is none of that name. */
export async function getSessionInfo(
  session: string,
  options: GetSessionOptions = {},
): Promise<SessionRow | undefined> {
  const { info } = await import('./answers.ts')
  return info(session, options)
}

/** A session as a whole, what `clew show --json` prints: turns, calls, threads, branches; undefined where there is none. */
export async function getSession(session: string, options: GetSessionOptions = {}): Promise<ShownDetail | undefined> {
  const { detail } = await import('./answers.ts')
  return detail(session, options)
}

/**
 * The conversation of a session from its beginning to the end of its active branch, records of `user` and `assistant` as they
 * were written; those of subagents and what Claude Code added for the model are left out. Empty where there is no such session.
 */
export async function getSessionMessages(
  session: string,
  options: GetSessionMessagesOptions = {},
): Promise<SessionMessage[]> {
  const { messages } = await import('./answers.ts')
  return messages(session, options)
}

/** What `clew search --json` prints. It refreshes the index first, and makes one where there is none. */
export async function search(query: string, options: SearchTextOptions = {}): Promise<PrintedSearch> {
  const { found } = await import('./answers.ts')
  return found(query, options)
}

/** What `clew usage --json` prints. */
export async function usage(options: UsageOptions = {}): Promise<PrintedUsage> {
  const { used } = await import('./answers.ts')
  return used(options)
}

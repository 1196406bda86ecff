// One question in one call, each with a handle of its own. The names and options that the Claude Agent SDK has too are called as
// there. What an answer is, is up to the nouns of the handle.

import type { ShownDetail } from '../answers/session/detail.ts'
import type { PrintedSearch } from '../answers/texts/search.ts'
import type { PrintedUsage } from '../answers/usage/report.ts'
import type { SessionRow } from '../schema/contract-shapes.ts'
import type { SessionMessage } from './messages.ts'
import { type Checked, type Clew, isOf, open } from './open.ts'
import {
  type CheckOptions,
  type ClewOptions,
  clewNames,
  type GetSessionMessagesOptions,
  type GetSessionOptions,
  type ListSessionsOptions,
  pageNames,
  refuseUnknown,
  type SearchTextOptions,
  type UsageOptions,
} from './options.ts'

/** `ask` gets the options that are not about where to look. */
async function once<Options extends ClewOptions, Answer>(
  { roots, home, index, timezone, ...options }: Options,
  ask: (clew: Clew, options: Omit<Options, keyof ClewOptions>) => Promise<Answer>,
): Promise<Answer> {
  const clew = await open({
    ...(roots !== undefined && { roots }),
    ...(home !== undefined && { home }),
    ...(index !== undefined && { index }),
    ...(timezone !== undefined && { timezone }),
  })
  try {
    return await ask(clew, options)
  } finally {
    await clew.close()
  }
}

/** The sessions of all projects, or of one: what `clew ls --json` prints, the latest first. */
export function listSessions(options: ListSessionsOptions = {}): Promise<SessionRow[]> {
  return once(options, (clew, filter) => clew.sessions.list(filter))
}

/** What a list says of one session; undefined where there is none of that name. */
export async function getSessionInfo(
  session: string,
  options: GetSessionOptions = {},
): Promise<SessionRow | undefined> {
  refuseUnknown(options, [...clewNames, 'dir'])
  return once(options, (clew, { dir }) => infoOf(clew, session, dir))
}

/** Undefined also for a session of another directory. */
async function infoOf(clew: Clew, session: string, dir: string | undefined): Promise<SessionRow | undefined> {
  const row = await clew.sessions.find(session)
  return row !== undefined && (dir === undefined || isOf(row, dir)) ? row : undefined
}

/** A session as a whole, what `clew show --json` prints: turns, calls, threads, branches; undefined where there is none. */
export async function getSession(session: string, options: GetSessionOptions = {}): Promise<ShownDetail | undefined> {
  refuseUnknown(options, [...clewNames, 'dir'])
  return once(options, async (clew, { dir }) =>
    (await infoOf(clew, session, dir)) === undefined ? undefined : clew.session.detail(session),
  )
}

/**
 * The conversation of a session from its beginning to the end of its active branch, records of `user` and `assistant` as they
 * were written; those of subagents and what Claude Code added for the model are left out. Empty where there is no such session.
 */
export async function getSessionMessages(
  session: string,
  options: GetSessionMessagesOptions = {},
): Promise<SessionMessage[]> {
  refuseUnknown(options, [...clewNames, 'dir', ...pageNames])
  return once(options, async (clew, { dir, ...page }) =>
    (await infoOf(clew, session, dir)) === undefined ? [] : clew.session.messages(session, page),
  )
}

/** What `clew search --json` prints. It refreshes the index first, and makes one where there is none. */
export function search(query: string, options: SearchTextOptions = {}): Promise<PrintedSearch> {
  return once(options, (clew, filter) => clew.texts.search(query, filter))
}

/** What `clew check --json` says of paths and sessions; of all homes where nothing is named. */
export function check(words: readonly string[] = [], options: ClewOptions & CheckOptions = {}): Promise<Checked> {
  return once(options, (clew, how) => clew.care.check(words, how))
}

/** What `clew usage --json` prints. */
export function usage(options: UsageOptions = {}): Promise<PrintedUsage> {
  return once(options, (clew, filter) => clew.usage.report(filter))
}

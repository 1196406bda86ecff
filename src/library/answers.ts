// Asks the answers with a handle of its own for each call. Nothing is said on the way and no one is asked: problems are thrown.

import { resolve } from 'node:path'
import type { Clew } from '../answers/clew.ts'
import { NotFoundError } from '../answers/error.ts'
import { closeClew, openClew } from '../answers/open.ts'
import type { ShownDetail } from '../answers/session/detail.ts'
import { sessionOf } from '../answers/sessions/find.ts'
import type { PrintedSearch } from '../answers/texts/search.ts'
import type { PrintedUsage } from '../answers/usage/report.ts'
import type { SessionId } from '../model/ids.ts'
import type { SessionGraph } from '../model/session.ts'
import type { SessionFiles } from '../model/source.ts'
import type { SessionRow } from '../schema/contract-shapes.ts'
import { loadSession } from '../session/load.ts'
import { messagesOf, type SessionMessage } from './messages.ts'
import type {
  ClewOptions,
  GetSessionMessagesOptions,
  GetSessionOptions,
  ListSessionsOptions,
  SearchTextOptions,
  UsageOptions,
} from './options.ts'

async function withClew<Answer>(
  { roots, home, index, timezone }: ClewOptions,
  ask: (clew: Clew) => Promise<Answer>,
): Promise<Answer> {
  const clew = await openClew({
    ...(roots !== undefined && { roots }),
    ...(home !== undefined && { home }),
    ...(index !== undefined && { index }),
    ...(timezone !== undefined && { timezone }),
  })
  try {
    return await ask(clew)
  } finally {
    await closeClew(clew)
  }
}

/** What is left are options of a command, which have the same names. */
function optionsOf<Options extends ClewOptions>(
  options: Options,
  ...others: (keyof Options)[]
): Record<string, unknown> {
  const own: (keyof Options)[] = ['roots', 'home', 'index', 'timezone', ...others]
  return Object.fromEntries(Object.entries(options).filter(([name]) => !own.includes(name as keyof Options)))
}

export function listed(options: ListSessionsOptions): Promise<SessionRow[]> {
  return withClew(options, async clew => {
    const { dir, offset = 0, limit } = options
    const rows = await rowsOf(clew, optionsOf(options, 'dir', 'offset', 'limit'))
    const own = dir === undefined ? rows : rows.filter(row => isOf(row, dir))
    return own.slice(offset, limit === undefined ? undefined : offset + limit)
  })
}

async function rowsOf(clew: Clew, options: Record<string, unknown>, only?: SessionId): Promise<SessionRow[]> {
  const { sessionRows } = await import('../answers/sessions/list.ts')
  return sessionRows(clew, options, only)
}

function isOf({ project }: SessionRow, dir: string): boolean {
  return project.cwd !== null && resolve(project.cwd) === resolve(dir)
}

export function info(text: string, options: GetSessionOptions): Promise<SessionRow | undefined> {
  return withSession(text, options, async (session, clew) => {
    const [row] = await rowsOf(clew, {}, session.id)
    return row
  })
}

export function detail(text: string, options: GetSessionOptions): Promise<ShownDetail | undefined> {
  return withSession(text, options, async (session, clew) => {
    const { detailOf } = await import('../answers/session/detail.ts')
    return detailOf(await graphOf(session, clew), session, clew)
  })
}

export async function messages(
  text: string,
  { limit, offset = 0, ...options }: GetSessionMessagesOptions,
): Promise<SessionMessage[]> {
  const all = await withSession(text, options, async (session, clew) => messagesOf(await graphOf(session, clew)))
  return (all ?? []).slice(offset, limit === undefined ? undefined : offset + limit)
}

async function graphOf(session: SessionFiles, clew: Clew): Promise<SessionGraph> {
  const { loadOptionsFor } = await import('../answers/sessions/copied.ts')
  return loadSession(clew.source, session, await loadOptionsFor(session, clew))
}

/** Undefined where no session has that name, or it is one of another directory. */
function withSession<Answer>(
  text: string,
  options: GetSessionOptions,
  use: (session: SessionFiles, clew: Clew) => Promise<Answer>,
): Promise<Answer | undefined> {
  return withClew(options, async clew => {
    try {
      const session = await sessionOf(text, clew)
      const { dir } = options
      const isElsewhere = dir !== undefined && !(await rowsOf(clew, {}, session.id)).some(row => isOf(row, dir))
      return isElsewhere ? undefined : await use(session, clew)
    } catch (error) {
      if (error instanceof NotFoundError) return undefined
      throw error
    }
  })
}

export function found(query: string, options: SearchTextOptions): Promise<PrintedSearch> {
  return withClew(options, async clew => {
    const { printedSearch, searchTexts } = await import('../answers/texts/search.ts')
    return printedSearch(query, await searchTexts(clew, query, optionsOf(options)))
  })
}

export function used(options: UsageOptions): Promise<PrintedUsage> {
  return withClew(options, async clew => {
    const { printedUsage, reportUsage } = await import('../answers/usage/report.ts')
    return printedUsage(await reportUsage(clew, options.by, optionsOf(options, 'by')))
  })
}

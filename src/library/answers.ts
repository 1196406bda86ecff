// Asks the commands and gives what they would print as JSON. Nothing is said on the way and no one is asked: problems are thrown.

import { resolve } from 'node:path'
import { type GlobalOptions, NotFoundError } from '../cli/command.ts'
import { globalsOf } from '../cli/globals.ts'
import { closeIndex } from '../cli/index-use.ts'
import { sessionOf } from '../cli/input.ts'
import type { ShownDetail } from '../cli/session/detail.ts'
import { silence } from '../cli/terminal/output.ts'
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

/** Opens archive and, where a question needs it, the index; closes the index afterwards. */
async function withGlobals<Answer>(
  { roots = [], home, index, timezone }: ClewOptions,
  ask: (globals: GlobalOptions) => Promise<Answer>,
): Promise<Answer> {
  silence()
  const globals: GlobalOptions = {
    ...(await globalsOf({ root: [...roots], home, index, timezone, json: true, quiet: true })),
    usesSample: false,
  }
  try {
    return await ask(globals)
  } finally {
    await closeIndex(globals)
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
  return withGlobals(options, async globals => {
    const { dir, offset = 0, limit } = options
    const rows = await rowsOf(globals, optionsOf(options, 'dir', 'offset', 'limit'))
    const own = dir === undefined ? rows : rows.filter(row => isOf(row, dir))
    return own.slice(offset, limit === undefined ? undefined : offset + limit)
  })
}

async function rowsOf(
  globals: GlobalOptions,
  options: Record<string, unknown>,
  only?: SessionId,
): Promise<SessionRow[]> {
  const { sessionRows } = await import('../cli/commands/ls.ts')
  return sessionRows({ options, globals }, only)
}

function isOf({ project }: SessionRow, dir: string): boolean {
  return project.cwd !== null && resolve(project.cwd) === resolve(dir)
}

export function info(text: string, options: GetSessionOptions): Promise<SessionRow | undefined> {
  return withSession(text, options, async (session, globals) => {
    const [row] = await rowsOf(globals, {}, session.id)
    return row
  })
}

export function detail(text: string, options: GetSessionOptions): Promise<ShownDetail | undefined> {
  return withSession(text, options, async (session, globals) => {
    const { detailOf } = await import('../cli/session/detail.ts')
    return detailOf(await graphOf(session, globals), session, globals)
  })
}

export async function messages(
  text: string,
  { limit, offset = 0, ...options }: GetSessionMessagesOptions,
): Promise<SessionMessage[]> {
  const all = await withSession(text, options, async (session, globals) => messagesOf(await graphOf(session, globals)))
  return (all ?? []).slice(offset, limit === undefined ? undefined : offset + limit)
}

async function graphOf(session: SessionFiles, globals: GlobalOptions): Promise<SessionGraph> {
  const { originFinder } = await import('../cli/input.ts')
  return loadSession(globals.source, session, { findOrigin: originFinder(session, globals) })
}

/** Undefined where no session has that name, or it is one of another directory. */
function withSession<Answer>(
  text: string,
  options: GetSessionOptions,
  use: (session: SessionFiles, globals: GlobalOptions) => Promise<Answer>,
): Promise<Answer | undefined> {
  return withGlobals(options, async globals => {
    try {
      const session = await sessionOf(text, globals)
      const { dir } = options
      const isElsewhere = dir !== undefined && !(await rowsOf(globals, {}, session.id)).some(row => isOf(row, dir))
      return isElsewhere ? undefined : await use(session, globals)
    } catch (error) {
      if (error instanceof NotFoundError) return undefined
      throw error
    }
  })
}

export function found(query: string, options: SearchTextOptions) {
  return withGlobals(options, async globals => {
    const { searchAnswer } = await import('../cli/commands/search.ts')
    return searchAnswer({ args: [query], options: optionsOf(options), globals })
  })
}

export function used(options: UsageOptions) {
  return withGlobals(options, async globals => {
    const { usageAnswer } = await import('../cli/commands/usage.ts')
    const args = options.by === undefined ? [] : [options.by]
    return usageAnswer({ args, options: optionsOf(options, 'by'), globals })
  })
}

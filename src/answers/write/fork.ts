// New sessions that are made of another one: a fork, and a fork cut to a budget. The origin stays as it is.

import type { Places } from '../../archive/read/places.ts'
import type { SessionFiles } from '../../model/source.ts'
import type { NewSession } from '../../schema/contract-shapes.ts'
import { type Fork, forkSession } from '../../write/edit/fork.ts'
import type { ReadSession } from '../../write/edit/session.ts'
import { type Trim, trimSession } from '../../write/edit/trim.ts'
import { editOptions, readOrigin, writeNew } from '../../write/new-session.ts'
import type { Clew } from '../clew.ts'
import { eventNamed } from '../session/selection.ts'
import { sessionOf } from '../sessions/find.ts'
import { forceAdvice, withUserErrors } from './errors.ts'

export interface WriteQuery {
  /** Names the session; the latest where absent. */
  word: string | undefined
  /** Even if it may be in use. */
  isForced?: boolean
  /** Nothing is written; the answer says what would be. */
  isDry?: boolean
}

export interface ForkQuery extends WriteQuery {
  title?: string | undefined
}

interface Made<Edited> {
  /** Id of the origin. */
  origin: string
  report: NewSession
  edited: Edited
}

type Cut = { at?: string | undefined }
type HowWritten = Omit<ForkQuery, 'word'>

/** `at`: the id of its last event, or the beginning of it; absent: all of it. */
export async function fork(clew: Clew, query: ForkQuery & Cut): Promise<Made<Fork>> {
  const files = await filesOf(clew, query)
  return withUserErrors(() => forkFiles(clew, files, query), forceAdvice)
}

/** The same of a session that is known. Throws errors of the writer. */
export async function forkFiles(places: Places, files: SessionFiles, query: HowWritten & Cut): Promise<Made<Fork>> {
  const { at, title } = query
  return made(places, files, query, origin =>
    forkSession(origin, {
      ...editOptions,
      ...(at !== undefined && { at: eventNamed(origin.graph, at).id }),
      ...(title !== undefined && { title }),
    }),
  )
}

/** `budget`: tokens that a resume may send. */
export async function trim(clew: Clew, query: ForkQuery & { budget: number }): Promise<Made<Trim>> {
  const files = await filesOf(clew, query)
  const { budget, title } = query
  const edit = (origin: ReadSession) =>
    trimSession(origin, { ...editOptions, budget, ...(title !== undefined && { title }) })
  const { report, edited, ...rest } = await withUserErrors(() => made(clew, files, query, edit), forceAdvice)
  const { tokensBefore, tokensAfter, cuts } = edited
  return { ...rest, edited, report: { ...report, tokensBefore, tokensAfter, cuts } }
}

/** Samples are not written to. */
export function filesOf(clew: Clew, { word }: Pick<WriteQuery, 'word'>): Promise<SessionFiles> {
  return sessionOf(word, { ...clew, usesSample: false })
}

/** Reads the origin whole, unless it may be in use, and writes the new session next to it. */
async function made<Edited extends Fork>(
  { source, tree }: Places,
  files: SessionFiles,
  { isForced = false, isDry = false }: HowWritten,
  edit: (origin: ReadSession) => Edited,
): Promise<Made<Edited>> {
  const origin = await readOrigin(source, files, { isForced })
  const edited = edit(origin)
  return { origin: files.id, edited, report: await writeNew(origin, edited, { tree, isDry }) }
}

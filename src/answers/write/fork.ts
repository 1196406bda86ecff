// New sessions that are made of another one: a fork, and a fork cut to a budget. The origin stays as it is.

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

/** `at`: the id of its last event, or the beginning of it; absent: all of it. */
export async function fork(clew: Clew, query: ForkQuery & { at?: string | undefined }): Promise<Made<Fork>> {
  const origin = await originOf(clew, query)
  const { at: text, title } = query
  const at = text === undefined ? undefined : eventNamed(origin.graph, text).id
  const edited = await withUserErrors(() =>
    forkSession(origin, { ...editOptions, ...(at !== undefined && { at }), ...(title !== undefined && { title }) }),
  )
  return { origin: origin.files.id, report: await written(clew, origin, edited, query), edited }
}

/** `budget`: tokens that a resume may send. */
export async function trim(clew: Clew, query: ForkQuery & { budget: number }): Promise<Made<Trim>> {
  const origin = await originOf(clew, query)
  const { budget, title } = query
  const edited = await withUserErrors(() =>
    trimSession(origin, { ...editOptions, budget, ...(title !== undefined && { title }) }),
  )
  const { tokensBefore, tokensAfter, cuts } = edited
  const report = { ...(await written(clew, origin, edited, query)), tokensBefore, tokensAfter, cuts }
  return { origin: origin.files.id, report, edited }
}

/** Read whole. Without `isForced` not one that may be in use. */
async function originOf(clew: Clew, { word, isForced = false }: WriteQuery): Promise<ReadSession> {
  const files = await sessionOf(word, { ...clew, usesSample: false })
  return withUserErrors(() => readOrigin(clew.source, files, { isForced }), forceAdvice)
}

/** Next to its origin. */
function written(
  { tree }: Clew,
  origin: ReadSession,
  edited: Fork,
  { isDry = false }: WriteQuery,
): Promise<NewSession> {
  return withUserErrors(() => writeNew(origin, edited, { tree, isDry }))
}

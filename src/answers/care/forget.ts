// Forgetting a session, or one of its files: what would go, what goes from archive and index, and what is still somewhere under
// Clew's own folder afterwards. It touches no file of Claude Code.

import { join } from 'node:path'
import {
  type ForgetPlan,
  forget,
  forgottenNames,
  isDone as isNothingLeft,
  namesOnDisk,
  planForget,
  remember,
} from '../../archive/maintain/forget.ts'
import type { Archive } from '../../archive/store/archive.ts'
import type { Discovery } from '../../model/source.ts'
import type { Clew } from '../clew.ts'
import { UserError } from '../error.ts'
import { withUserErrors } from '../file-errors.ts'
import { liveDiscoveries, openArchive } from './archive-open.ts'
import { cancelErasing, erasingFromIndex } from './index-erase.ts'
import { anyNamed, type NamedSession } from './named.ts'
import { type Looked, lookForRemains, textsToErase } from './remains.ts'

export type { ForgetPlan, Mention } from '../../archive/maintain/forget.ts'
export type { NamedSession } from './named.ts'
export type { Looked } from './remains.ts'

export interface Forgetting {
  named: NamedSession
  plan: ForgetPlan
  /** There is nothing that forgetting would erase. */
  isDone: boolean
  /** All was erased but files that a killed command left in the archive. */
  isStopped: boolean
  archive: Archive
  discoveries: readonly Discovery[]
}

/** What forgetting would erase. `text`: an id, its beginning or a title; the path of a log where a session has several. */
export function planForgetting(clew: Clew, text: string): Promise<Forgetting> {
  return withUserErrors(async () => {
    const archive = openArchive(clew)
    const discoveries = await liveDiscoveries(archive, clew)
    const named = await anyNamed(archive, text, discoveries, clew)
    return planOf(clew, named, archive, discoveries)
  })
}

/** The same for a session that is known. */
export async function planOf(
  clew: Clew,
  named: NamedSession,
  archive: Archive,
  discoveries: readonly Discovery[],
): Promise<Forgetting> {
  const plan = await planForget(archive, named.id, howFor(clew, { named, discoveries }))
  const isNothing = isNothingLeft(plan)
  const isStopped = isNothing && archive.hasLeftovers
  return { named, plan, isDone: isNothing && !isStopped, isStopped, archive, discoveries }
}

function howFor({ home }: Clew, { named: { file }, discoveries }: Pick<Forgetting, 'named' | 'discoveries'>) {
  return { discoveries, ownFolders: [join(home, 'statusline')], ...(file !== undefined && { file }) }
}

export interface Forgotten {
  report: Awaited<ReturnType<typeof forget>>
  /** Why the index may still have words of it. */
  left?: string
  /** What was found of it afterwards under Clew's own folder. */
  looked: Looked
}

/** Erases it, and looks for its texts in everything that Clew has. */
export function carryOutForgetting(
  clew: Clew,
  forgetting: Forgetting,
  options: { evenIfDamaged: boolean },
): Promise<Forgotten> {
  return withUserErrors(() => eraseEverywhere(clew, forgetting, options))
}

/** `clew forget --json`: what would be erased, or what was, and where something is left. */
export type PrintedForgetting =
  | (ForgetPlan & { done: false })
  | (Forgotten['report'] & { looked: Looked; done: true; left?: string })

/** Erases the session that a text names in full, or says what that would erase. */
export async function forgetSession(clew: Clew, text: string, isDry: boolean): Promise<PrintedForgetting> {
  const forgetting = await planForgetting(clew, text)
  if (isDry) return { ...forgetting.plan, done: false }
  refuseGuess(text, forgetting.named)
  const { report, looked, left } = await carryOutForgetting(clew, forgetting, { evenIfDamaged: false })
  return { ...report, looked, done: true, ...(left !== undefined && { left }) }
}

/** Who is not asked must not have guessed. */
export function refuseGuess(text: string, { isGuess, id }: NamedSession): void {
  if (isGuess) throw new UserError(`"${text}" is a part of the title of ${id}; --yes needs its id or its whole title`)
}

/** The same, with errors of files as they are. */
export async function eraseEverywhere(
  clew: Clew,
  forgetting: Forgetting,
  { evenIfDamaged = false }: { evenIfDamaged?: boolean } = {},
): Promise<Forgotten> {
  const { named, plan, archive, discoveries } = forgetting
  const { file } = named
  const erased = {
    sessions: file === undefined ? [named.id] : [],
    places: file === undefined ? [] : Object.values(file),
    live: namesOnDisk(plan),
    generations: plan.generationIds,
  }
  const texts = await textsToErase(archive, plan)
  // The index may have words of it that came after it was forgotten: they go in any case.
  const { value: report, left } = await erasingFromIndex(clew, erased, async () =>
    forgetting.isDone
      ? { ...plan, packsLeft: [] }
      : forget(archive, named.id, { ...howFor(clew, forgetting), evenIfDamaged }),
  )
  const looked = await lookForRemains(clew, archive, texts, { noted: erased.live, discoveries })
  return { report, looked, ...(left !== undefined && { left }) }
}

/** Sessions, and files that were forgotten alone. */
export function forgottenIn(clew: Clew): string[] {
  const archive = openArchive(clew)
  return archive.exists ? forgottenNames(archive.manifest.catalog) : []
}

/** Takes it back: it is archived again from the next run on. Gives its id, or the place of a file. */
export function undoForgetting(clew: Clew, text: string): Promise<string> {
  return withUserErrors(async () => {
    const all = forgottenIn(clew)
    const fitting = all.includes(text) ? [text] : all.filter(name => name.startsWith(text))
    const [name, ...more] = fitting
    if (name === undefined) throw new UserError(`"${text}" is not forgotten; clew forget --list shows which are`)
    if (more.length > 0)
      throw new UserError(`"${text}" is not unique; it matches\n${fitting.map(id => `  ${id}`).join('\n')}`)
    await remember(openArchive(clew), name)
    await cancelErasing(clew, name)
    return name
  })
}

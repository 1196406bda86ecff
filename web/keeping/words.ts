// What the Keeping screen says: how things stand, what a change will do before it is done, and what came of it. It changes
// nothing.

import type { KeepingAnswer } from '../../src/server/api/api.ts'
import { countOf, sizeText } from '../../src/view/words.ts'
import { longWhen } from '../shell/when.ts'

export type Expiring = KeepingAnswer['expiring'][number]
export type Gone = KeepingAnswer['gone'][number]

const day = 86_400_000

/** What is being kept, without anybody asking. */
export function modeText(mode: KeepingAnswer['mode']): string {
  if (mode === 'auto') return 'What is new is kept whenever Clew runs.'
  if (mode === 'manual') return 'Things are kept when you say so: here, or with `clew archive`.'
  return 'Keeping is switched off. `clew config set archive manual` allows it.'
}

/** Why nothing can be changed here; undefined where it can. */
export function lockText(isReadOnly: boolean, isSample: boolean): string | undefined {
  if (isSample) return 'This is the bundled sample history. Your own sessions are kept once there are some.'
  if (!isReadOnly) return undefined
  return 'Nothing can be changed from here: this page was opened for reading only. `clew archive` keeps and restores in a terminal, `clew forget` forgets.'
}

/** `in 2 days`, `within a day`, `any time now`. */
export function dueText(deletedOn: string | null, now: number): string {
  if (deletedOn === null) return 'unknown'
  const left = Date.parse(deletedOn) - now
  if (left <= 0) return 'any time now'
  if (left < day) return 'within a day'
  return `in ${countOf(Math.ceil(left / day), 'day')}`
}

/** Whether it is time to look at it. */
export function isSoon(deletedOn: string | null, now: number, withinDays = 7): boolean {
  return deletedOn !== null && Date.parse(deletedOn) - now <= withinDays * day
}

/** How much smaller the copies are; undefined where there are none. */
export function savedText(bytes: number, storedBytes: number): string | undefined {
  if (bytes <= 0 || storedBytes <= 0 || storedBytes >= bytes) return undefined
  return `${Math.round((1 - storedBytes / bytes) * 100)}% smaller`
}

export function keptText({ files, bytes }: { files: number; bytes: number }): string {
  if (files === 0) return 'Everything was kept already.'
  return `${countOf(files, 'file')} kept, ${sizeText(bytes)}.`
}

export interface Change {
  kind: 'restore' | 'forget'
  session: string
  title: string
  /** When the client will delete its files; absent where they are gone. */
  deletedOn?: string | null
}

/** What a change will do, in full: this stands above the button that does it. */
export function changeText({ kind, deletedOn }: Change): string[] {
  if (kind === 'restore') {
    return [
      'The files of this session are written back to where they were in the Claude home, byte for byte.',
      'A file that is there already stays as it is. The client counts the days until it deletes them anew from today.',
    ]
  }
  const erased =
    'All that is kept of this session is erased from the archive and from the index, and it is not kept again.'
  if (deletedOn === undefined)
    return [erased, 'The client has deleted its files: nothing will be left of it. This cannot be undone.']
  const until = deletedOn === null ? '' : ` until the client deletes them (${longWhen(deletedOn)})`
  return [erased, `The client’s own files are not touched: they stay${until}. This cannot be undone.`]
}

export function doneText({ kind, title }: Change, files: number): string {
  const what = `“${title}”`
  if (kind === 'forget') return `${what} is forgotten: ${countOf(files, 'kept file')} erased.`
  return files === 0
    ? `All files of ${what} were there already.`
    : `${what} is restored: ${countOf(files, 'file')} written.`
}

/** The word that has to be typed before something is lost for good. */
export const typedWord = 'forget'

export function isTyped(text: string): boolean {
  return text.trim().toLowerCase() === typedWord
}

// The texts of the Archive screen: figures, what a change will do, and its result. It changes nothing.

import { countOf, sizeText } from '../../src/base/format.ts'
import type { ArchiveAnswer } from '../../src/server/api/api.ts'
import { dueText, longWhen } from '../shell/format.ts'

/** Whether what Claude Code will delete is safe, in one sentence. */
export function safetyText(archive: ArchiveAnswer, now: number): { isSafe: boolean; text: string } {
  const { expiring, unarchivedBytes, unarchivedSessions, files } = archive
  const unsafe = expiring.filter(({ isArchived }) => !isArchived)
  const [next] = unsafe
  if (next !== undefined) {
    const verb = unarchivedSessions === 1 ? 'is' : 'are'
    const when = dueText(next.deletedOn, now)
    return {
      isSafe: false,
      text: `${countOf(unarchivedSessions, 'session')} ${verb} not archived. Claude Code deletes the next one ${when}.`,
    }
  }
  if (unarchivedBytes > 0)
    return { isSafe: false, text: `${sizeText(unarchivedBytes)} of new records are not archived.` }
  return { isSafe: true, text: files === 0 ? 'There is nothing to archive yet.' : 'Everything is archived.' }
}

/** What is stored, in one line. */
export function storedText({ files, bytes, storedBytes, hasArchive }: ArchiveAnswer): string {
  if (!hasArchive) return 'There is no archive yet.'
  const saved = savedText(bytes, storedBytes)
  const size = `${sizeText(bytes)} in ${sizeText(storedBytes)}`
  return `${countOf(files, 'file')}, ${size}${saved === undefined ? '' : ` (${saved})`}.`
}

export interface DueGroup {
  name: string
  rows: ArchiveAnswer['expiring']
  /** Soon enough to be worth a look. */
  isOpen: boolean
}

const day = 86_400_000

/** By when they are deleted, the soonest first. */
export function dueGroups(expiring: ArchiveAnswer['expiring'], now: number): DueGroup[] {
  const left = ({ deletedOn }: ArchiveAnswer['expiring'][number]) =>
    deletedOn === null ? Number.POSITIVE_INFINITY : Date.parse(deletedOn) - now
  const spans: [name: string, from: number, to: number][] = [
    ['Within a day', Number.NEGATIVE_INFINITY, day],
    ['Within a week', day, 7 * day],
    ['Within a month', 7 * day, 31 * day],
    ['Later', 31 * day, Number.MAX_VALUE],
    ['At a time that is not known', Number.POSITIVE_INFINITY, Number.NaN],
  ]
  return spans.flatMap(([name, from, to]) => {
    const rows = expiring.filter(one => (Number.isNaN(to) ? left(one) === from : left(one) > from && left(one) <= to))
    if (rows.length === 0) return []
    return [{ name, rows, isOpen: to <= 7 * day }]
  })
}

/** `70 sessions, all archived`. */
export function dueSummary(rows: ArchiveAnswer['expiring']): string {
  const unsafe = rows.filter(({ isArchived }) => !isArchived).length
  const safety = unsafe === 0 ? 'all archived' : unsafe === rows.length ? 'none archived' : `${unsafe} not archived`
  return `${countOf(rows.length, 'session')}, ${safety}`
}

/** Some are archived, and some are not. */
export function isMixed(rows: ArchiveAnswer['expiring']): boolean {
  return rows.some(({ isArchived }) => isArchived) && rows.some(({ isArchived }) => !isArchived)
}

/** What the button does. The first archive is the beginning of more, where nobody decided otherwise. */
export function nowText({ hasArchive, isModeChosen }: ArchiveAnswer): string {
  const more = hasArchive || isModeChosen ? 'Copies new sessions' : 'Copies all sessions, and from then on new ones,'
  return `${more} into Clew’s own folder. Claude Code’s files stay as they are.`
}

/** When sessions are archived. Where nobody chose, the first archive decides. */
export function modeText({ mode, isModeChosen }: Pick<ArchiveAnswer, 'mode' | 'isModeChosen'>): string {
  if (mode === 'auto') return 'Clew archives new sessions whenever it runs.'
  if (mode === 'off') return 'Archiving is switched off.'
  return isModeChosen ? 'Sessions are archived on request: here, or with `clew archive run`.' : unchosenText(mode)
}

/** What happens while nothing is chosen. */
export function unchosenText(mode: ArchiveAnswer['mode']): string {
  return mode === 'auto'
    ? 'Not chosen: new sessions are archived, since there is an archive.'
    : 'Not chosen: nothing is archived until you archive for the first time, and from then on new sessions.'
}

/** Why nothing can be changed here; undefined where it can. */
export function lockText(isReadOnly: boolean, isSample: boolean): string | undefined {
  if (isSample) return 'These are the bundled samples. Your own sessions are archived once there are some.'
  if (!isReadOnly) return undefined
  return 'This page is read-only. Use `clew archive` and `clew forget` in a terminal to make changes.'
}

/** How much smaller the copies are; undefined where there are none. */
export function savedText(bytes: number, storedBytes: number): string | undefined {
  if (bytes <= 0 || storedBytes <= 0 || storedBytes >= bytes) return undefined
  return `${Math.round((1 - storedBytes / bytes) * 100)}% smaller`
}

export function archivedText({ files, bytes }: { files: number; bytes: number }): string {
  if (files === 0) return 'Everything was archived already.'
  return `${countOf(files, 'file')} archived, ${sizeText(bytes)}.`
}

export interface Change {
  kind: 'restore' | 'forget'
  session: string
  title: string
  /** When Claude Code will delete its files; absent where they are gone. */
  deletedOn?: string | null
}

/** What a change will do, shown above its button. */
export function changeText({ kind, deletedOn }: Change): string[] {
  if (kind === 'restore') {
    return [
      'Clew writes the files of this session back to their place in the Claude home, byte for byte.',
      'Files that are there already stay as they are. Claude Code’s retention period starts again today.',
    ]
  }
  const deleted = 'Clew deletes this session from the archive and the index, and does not archive it again.'
  if (deletedOn === undefined)
    return [deleted, 'Claude Code has deleted its files: nothing will be left. This cannot be undone.']
  const until = deletedOn === null ? '' : ` until Claude Code deletes them (${longWhen(deletedOn)})`
  return [deleted, `Claude Code’s own files stay${until}. This cannot be undone.`]
}

export function doneText({ kind, title }: Change, files: number): string {
  const what = `“${title}”`
  if (kind === 'forget') return `Forgot ${what}: ${countOf(files, 'archived file')} deleted.`
  return files === 0
    ? `All files of ${what} were there already.`
    : `Restored ${what}: ${countOf(files, 'file')} written.`
}

/** The word to type before something is lost for good. */
export const typedWord = 'forget'

export function isTyped(text: string): boolean {
  return text.trim().toLowerCase() === typedWord
}

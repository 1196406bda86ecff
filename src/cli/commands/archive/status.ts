// `clew archive status`: what is archived and what it saves, what is not archived yet, and what Claude Code will delete when.

import pc from 'picocolors'
import { modeText } from '../../../answers/archive-mode.ts'
import {
  type ArchiveState,
  archiveState,
  type ExpiringSession,
  type PendingFile,
} from '../../../answers/care/archive.ts'
import { UserError } from '../../../answers/error.ts'
import { shortIds } from '../../../answers/sessions/names.ts'
import { clockFor } from '../../../answers/times.ts'
import { escapeForLine } from '../../../base/escape.ts'
import { leftText } from '../../../base/format.ts'
import { wrappedFact } from '../../../render/terminal/charts.ts'
import { outputWidth } from '../../../render/terminal/style.ts'
import type { ArchiveStatus } from '../../../schema/contract-shapes.ts'
import { countOf, sizeText } from '../../../view/words.ts'
import type { CommandDeclaration, CommandInput, ExitCode, GlobalOptions } from '../../command.ts'
import { findingLine, printJson, printLine, say } from '../../terminal/output.ts'

/** Sessions that go first are listed one by one. */
const listed = 8
const weekMs = 7 * 86_400_000

export async function run({ args, globals, commands }: CommandInput): Promise<ExitCode> {
  if (args.length > 0) throw new UserError(`too many words: "${args.join(' ')}"; --root PATH names what to look at`)
  const state = await archiveState(globals.clew)
  if (!globals.quiet) for (const finding of state.unread) say(findingLine(finding))
  if (globals.json) await printJson(state.status)
  else for (const line of statusLines(state, globals, commands)) await printLine(line)
  return 0
}

function* fact(name: string, text: string): Generator<string> {
  yield* wrappedFact(name, text, outputWidth())
}

function* statusLines(
  state: ArchiveState,
  globals: GlobalOptions,
  commands: readonly CommandDeclaration[],
): Generator<string> {
  const { status, isChosen } = state
  const { folder, exists, mode } = status
  yield* fact('archive', `${escapeForLine(folder)}${exists ? '' : ' (not there yet)'}`)
  if (exists) {
    yield* fact('archived', archivedText(status))
    yield* fact('stored', storedText(status))
    yield* fact('last run', status.lastRun === null ? 'never' : clockFor(globals.clew.timezone)(status.lastRun))
  }
  const hint = mode === 'manual' && !isChosen ? '; to archive whenever clew runs: clew config set archive auto' : ''
  yield* fact('mode', `${modeText(mode, commands)}${hint}`)
  yield* fact('schedule', scheduleText(state))
  yield* fact('pending', unarchivedText(state))
  if (status.leftOut > 0) yield* fact('left out', leftOutText(status))
  if (status.damage.length > 0 || status.brokenGenerations > 0) {
    for (const line of fact('damaged', damageText(status))) yield pc.red(line)
  }
  yield* expiringLines(status, globals)
}

function scheduleText({ status: { schedule, mode } }: ArchiveState): string {
  if (schedule.length === 0) return 'none; clew archive install runs clew archive run by itself'
  const end = mode === 'off' ? ', which archives nothing while the mode is off' : ''
  return `a hook in Claude Code's settings runs clew archive run${end}`
}

function archivedText(report: ArchiveStatus): string {
  const { sessions, goneSessions, files, bytes, earlierGenerations } = report
  const gone = goneSessions > 0 ? `; ${countOf(goneSessions, 'session')} no longer on disk` : ''
  const earlier = earlierGenerations > 0 ? `, ${countOf(earlierGenerations, 'earlier generation')}` : ''
  return `${countOf(sessions, 'session')}, ${countOf(files, 'file')}${earlier}, ${sizeText(bytes)}${gone}`
}

function storedText({ storedBytes, bytes, sharedBytes, packs }: ArchiveStatus): string {
  const part = storedBytes < bytes ? `, ${Math.round((100 * storedBytes) / bytes)} % of their size` : ''
  const shared = sharedBytes > 0 ? `; ${sizeText(sharedBytes)} that are the same are stored once` : ''
  return `${sizeText(storedBytes)} in ${countOf(packs, 'pack')}${part}${shared}`
}

function damageText({ damage, brokenGenerations }: ArchiveStatus): string {
  const parts: string[] = []
  if (damage.length > 0) parts.push(`${countOf(damage.length, 'segment')} of the manifest`)
  if (brokenGenerations > 0) parts.push(countOf(brokenGenerations, 'generation'))
  return `${parts.join(', ')}; see clew archive verify`
}

const reasonTexts: Readonly<Record<PendingFile['reason'], string>> = {
  new: 'new',
  grown: 'grown',
  changed: 'changed or touched',
  excluded: 'of excluded projects or files',
  forgotten: 'of forgotten sessions',
}

function isRule({ reason }: PendingFile): boolean {
  return reason === 'excluded' || reason === 'forgotten'
}

function reasonsText(files: readonly PendingFile[]): string {
  const counts = new Map<PendingFile['reason'], number>()
  for (const { reason } of files) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return [...counts].map(([reason, count]) => `${count} ${reasonTexts[reason]}`).join(', ')
}

function unarchivedText({ status, hasHome, unread }: ArchiveState): string {
  const due = status.notKept.filter(file => !isRule(file))
  if (!hasHome) return 'no Claude home was found; --root PATH names one'
  if (due.length === 0 && unread.length > 0) return 'unknown: not everything may be looked at'
  if (due.length === 0) return status.files > 0 ? 'nothing: all is archived' : 'nothing: no sessions'
  const them = due.length === 1 ? 'it' : 'them'
  const hint = status.mode === 'off' ? 'clew config set archive manual allows it' : `clew archive run archives ${them}`
  return `${countOf(due.length, 'file')}, ${sizeText(status.unarchivedBytes)}: ${reasonsText(due)}; ${hint}`
}

function leftOutText({ notKept }: ArchiveStatus): string {
  const files = notKept.filter(isRule)
  return `${countOf(files.length, 'file')}: ${reasonsText(files)}`
}

type Fate = 'archived' | 'not archived' | 'left out'

function* expiringLines({ expiring, notKept }: ArchiveStatus, globals: GlobalOptions): Generator<string> {
  const now = Date.now()
  const ruled = new Set(notKept.filter(isRule).map(({ session }) => session))
  const fateOf = ({ session, archived }: ExpiringSession): Fate =>
    archived ? 'archived' : ruled.has(session) ? 'left out' : 'not archived'
  const soon = expiring.filter(({ deletedOn }) => deletedOn !== null && Date.parse(deletedOn) < now + weekMs)
  if (soon.length === 0) {
    yield* fact('deletion', expiring.length === 0 ? 'none is due' : 'Claude Code deletes no session within a week')
    return
  }
  const risky = soon.filter(session => fateOf(session) === 'not archived')
  const isSafe = soon.every(session => fateOf(session) === 'archived')
  const archived =
    risky.length > 0 ? `${risky.length} not archived` : isSafe ? 'all archived' : 'all archived but what is left out'
  yield* fact('deletion', `Claude Code deletes ${countOf(soon.length, 'session')} within a week: ${archived}`)
  const shortId = shortIds(expiring.map(({ session }) => session))
  const clock = clockFor(globals.clew.timezone)
  const isNarrow = outputWidth() < 72
  // Those that would be lost come first.
  const order = [...risky, ...soon.filter(session => !risky.includes(session))].slice(0, listed)
  for (const row of order) {
    const when = isNarrow ? '' : `  ${clock(row.deletedOn)}`
    const id = pc.cyan(escapeForLine(shortId(row.session)))
    yield `${isNarrow ? '  ' : ' '.repeat(12)}${id}${when}  ${leftText(Date.parse(row.deletedOn ?? '') - now)}  ${painted(fateOf(row))}`
  }
  if (soon.length > order.length) yield `${isNarrow ? '  ' : ' '.repeat(12)}and ${soon.length - order.length} more`
}

function painted(fate: Fate): string {
  return fate === 'not archived' ? pc.red(fate) : pc.dim(fate)
}

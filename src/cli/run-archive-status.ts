// `clew archive status`: what is kept and what it saves, what is not kept yet, and what the client will delete when.

import pc from 'picocolors'
import { type ArchiveStatusReport, archiveStatus, type ExpiringSession } from '../archive/status.ts'
import type { UnkeptFile } from '../archive/unkept.ts'
import { escapeForLine } from '../base/escape.ts'
import { discover } from '../disk/discover.ts'
import { Retention } from '../disk/retention.ts'
import { diskTree } from '../disk/tree.ts'
import { countOf, durationText, sizeText } from '../view/words.ts'
import { archiveMode, archiveRoots, excludeRules, openArchive, telling } from './archive-open.ts'
import type { CommandInput, ExitCode, GlobalOptions } from './command.ts'
import { UserError } from './command.ts'
import { shortIds } from './list-text.ts'
import { clockFor } from './list-times.ts'
import { printJson, printLine } from './output.ts'
import { outputWidth } from './paint-style.ts'
import { wrappedFact } from './wrapped-fact.ts'

/** Sessions that go first are listed one by one. */
const listed = 8
const weekMs = 7 * 86_400_000

export async function run({ args, globals }: CommandInput): Promise<ExitCode> {
  if (args.length > 0) throw new UserError(`too many words: "${args.join(' ')}"`)
  const archive = openArchive(globals)
  const roots = archiveRoots(globals)
  const report = await telling(async () =>
    archiveStatus(archive, {
      roots,
      discoveries: await Promise.all(roots.map(root => discover(root, diskTree))),
      exclude: excludeRules(globals),
      retention: new Retention(),
    }),
  )
  const mode = archiveMode(globals) ?? 'auto'
  if (globals.json) await printJson({ folder: archive.layout.folder, exists: archive.exists, mode, ...report })
  else
    for (const line of statusLines(archive.layout.folder, archive.exists, mode, report, globals)) await printLine(line)
  return 0
}

function* statusLines(
  folder: string,
  exists: boolean,
  mode: string,
  report: ArchiveStatusReport,
  globals: GlobalOptions,
): Generator<string> {
  const fact = (name: string, text: string) => wrappedFact(name, text, outputWidth())
  yield* fact('archive', `${escapeForLine(folder)}${exists ? '' : ' (not there yet)'}`)
  if (exists) {
    yield* fact('kept', keptText(report))
    yield* fact('on disk', storedText(report))
    if (report.lastRun !== null) yield* fact('last kept', clockFor(globals.timezone)(report.lastRun))
  }
  yield* fact('mode', modeTexts[mode] ?? mode)
  yield* fact('not kept', notKeptText(report))
  if (report.leftOut > 0) yield* fact('left out', `${countOf(report.leftOut, 'file')} by your rules`)
  if (report.damage.length > 0 || report.brokenGenerations > 0) {
    const damage = `${countOf(report.damage.length, 'segment')} of the manifest; clew archive verify tells more`
    for (const line of fact('damaged', damage)) yield pc.red(line)
  }
  yield* expiringLines(report.expiring, globals)
}

const modeTexts: Readonly<Record<string, string>> = {
  auto: 'auto: once there is an archive, clew, ls, history and stats keep what is new',
  manual: 'manual: only clew archive run keeps',
  off: 'off: nothing is kept',
}

function keptText(report: ArchiveStatusReport): string {
  const { sessions, goneSessions, files, bytes, earlierGenerations } = report
  const gone = goneSessions > 0 ? `; ${goneSessions} of them no longer on disk` : ''
  const earlier = earlierGenerations > 0 ? `, ${countOf(earlierGenerations, 'earlier generation')}` : ''
  return `${countOf(sessions, 'session')}, ${countOf(files, 'file')}${earlier}, ${sizeText(bytes)}${gone}`
}

function storedText({ storedBytes, bytes, sharedBytes, packs }: ArchiveStatusReport): string {
  const part = bytes > 0 ? `, ${Math.round((100 * storedBytes) / bytes)} % of what is kept` : ''
  const shared = sharedBytes > 0 ? `; ${sizeText(sharedBytes)} were there already` : ''
  return `${sizeText(storedBytes)} in ${countOf(packs, 'pack')}${part}${shared}`
}

function notKeptText({ notKept, unarchivedBytes }: ArchiveStatusReport): string {
  const due = notKept.filter(file => file.reason !== 'excluded' && file.reason !== 'forgotten')
  if (due.length === 0) return 'nothing: all is kept'
  const counts = new Map<UnkeptFile['reason'], number>()
  for (const { reason } of due) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const parts = [...counts].map(([reason, count]) => `${count} ${reason}`)
  return `${countOf(due.length, 'file')}, ${sizeText(unarchivedBytes)}: ${parts.join(', ')}; clew archive run keeps them`
}

function* expiringLines(expiring: readonly ExpiringSession[], globals: GlobalOptions): Generator<string> {
  const now = Date.now()
  const soon = expiring.filter(({ deletedOn }) => deletedOn !== null && Date.parse(deletedOn) < now + weekMs)
  const risky = soon.filter(session => !session.archived)
  const fact = (text: string) => wrappedFact('deletion', text, outputWidth())
  if (soon.length === 0) {
    yield* fact(expiring.length === 0 ? 'none is due' : 'the client deletes no session within a week')
    return
  }
  const kept = risky.length === 0 ? 'all of them kept' : `${risky.length} of them not kept`
  yield* fact(`the client deletes ${countOf(soon.length, 'session')} within a week, ${kept}`)
  const shortId = shortIds(expiring.map(({ session }) => session))
  // Those that would be lost come first.
  const order = [...risky, ...soon.filter(session => session.archived)].slice(0, listed)
  for (const { session, deletedOn, archived } of order) {
    const left = Date.parse(deletedOn ?? '') - now
    const when = left <= 0 ? 'at its next start' : `in ${durationText(left)}`
    const mark = archived ? pc.dim('kept') : pc.red('not kept')
    yield `            ${pc.cyan(escapeForLine(shortId(session)))}  ${clockFor(globals.timezone)(deletedOn)}  ${when}  ${mark}`
  }
  if (soon.length > order.length) yield `            and ${soon.length - order.length} more`
}

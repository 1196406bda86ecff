// `clew forget`: erases a session from what Clew keeps, and says what remains where.

import pc from 'picocolors'
import type { Archive } from '../archive/archive.ts'
import { type ForgetPlan, forget, planForget, remember } from '../archive/forget.ts'
import { escapeForLine } from '../base/escape.ts'
import { mergeDiscoveries, resolveSession } from '../disk/resolve.ts'
import { diskTree } from '../disk/tree.ts'
import type { Discovery } from '../model/source.ts'
import { countOf, sizeText } from '../view/words.ts'
import { liveDiscoveries, openArchive, telling } from './archive-open.ts'
import { keptNamed } from './archive-sessions.ts'
import { canAsk, confirm } from './ask.ts'
import type { CommandInput, ExitCode, GlobalOptions } from './command.ts'
import { UserError } from './command.ts'
import { printJson, printLine, say } from './output.ts'

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  const archive = openArchive(globals)
  if (options['list'] === true) return list(archive, globals)
  const [text, ...more] = args
  if (text === undefined) throw new UserError('which session? Nothing is forgotten without a name')
  if (more.length > 0) throw new UserError('forget takes one session at a time')
  if (options['undo'] === true) return undo(archive, text, globals)
  const discoveries = await liveDiscoveries(archive, globals)
  const session = await telling(() => sessionNamed(archive, text, discoveries, globals))
  const plan = await telling(() => planForget(archive, session, { discoveries }))
  if (!globals.json) for (const line of planLines(plan)) await printLine(line)
  const isAgreed = options['dryRun'] !== true && (options['yes'] === true || (await agreed()))
  if (!isAgreed) {
    if (globals.json) await printJson({ ...plan, done: false })
    else await printLine('nothing was erased')
    return options['dryRun'] === true ? 0 : 1
  }
  const report = await telling(() => forget(archive, session, { discoveries }))
  if (globals.json) await printJson({ ...report, done: true })
  else await printLine(doneText(report))
  for (const pack of report.packsLeft)
    say(`clew: pack ${pack} is damaged and could not be written anew; it still holds erased bytes`)
  return report.packsLeft.length > 0 ? 2 : 0
}

async function agreed(): Promise<boolean> {
  if (canAsk()) return confirm('Erase it?')
  say('clew: nobody can be asked here; --yes erases it')
  return false
}

/** By id, prefix or title: of what is kept, else of what is on disk. */
async function sessionNamed(
  archive: Archive,
  text: string,
  discoveries: readonly Discovery[],
  globals: GlobalOptions,
): Promise<string> {
  const live = resolveSession(mergeDiscoveries(discoveries, diskTree.source), text)
  if (archive.exists) {
    try {
      const [kept] = await keptNamed(archive, text, globals)
      if (kept !== undefined) return kept.id
    } catch (error) {
      if (!(error instanceof UserError) || !('found' in live)) throw error
    }
  }
  if ('found' in live) return live.found.id
  throw new UserError(`no session "${text}" is kept or on disk`)
}

async function list(archive: Archive, globals: GlobalOptions): Promise<ExitCode> {
  const forgotten = archive.exists ? [...archive.manifest.catalog.forgotten].sort() : []
  if (globals.json) await printJson({ forgotten })
  else for (const session of forgotten) await printLine(escapeForLine(session))
  return forgotten.length > 0 ? 0 : 1
}

async function undo(archive: Archive, text: string, globals: GlobalOptions): Promise<ExitCode> {
  const all = archive.exists ? [...archive.manifest.catalog.forgotten] : []
  const fitting = all.includes(text) ? [text] : all.filter(session => session.startsWith(text))
  const [session, ...more] = fitting
  if (session === undefined) throw new UserError(`"${text}" is not forgotten; clew forget --list tells which are`)
  if (more.length > 0) throw new UserError(`"${text}" is not unique; it matches ${fitting.join(', ')}`)
  await telling(() => remember(archive, session))
  if (globals.json) await printJson({ session, forgotten: false })
  else await printLine(`${escapeForLine(session)} is kept again from the next run on`)
  return 0
}

function doneText(plan: ForgetPlan): string {
  const id = escapeForLine(plan.session)
  if (!plan.isKept) return `${id}: nothing of it was kept; it stays out from now on`
  return `${id} is erased: ${countOf(plan.generations, 'generation')}, ${sizeText(plan.bytes)}; it stays out from now on`
}

function* planLines(plan: ForgetPlan): Generator<string> {
  const { session, isKept, files, bytes, remains } = plan
  if (isKept)
    yield `${pc.cyan(escapeForLine(session))}: ${countOf(files.length, 'file')}, ${sizeText(bytes)}, to be erased from the archive`
  else yield `${pc.cyan(escapeForLine(session))}: nothing of it is kept; it would be kept out from now on`
  yield* remainLines(remains)
}

function* remainLines({ live, shared, sharedFiles, mentions }: ForgetPlan['remains']): Generator<string> {
  const lines: string[] = []
  for (const file of live) lines.push(`on disk, the client's own: ${file}`)
  if (shared.frames > 0) {
    const owners = [...shared.sessions, ...shared.files].slice(0, 5).join(', ')
    lines.push(`${countOf(shared.frames, 'frame')}, ${sizeText(shared.bytes)}, which others hold too: ${owners}`)
  }
  for (const { home, path, sessions } of sharedFiles)
    lines.push(`${home}/${path}, which ${sessions.join(', ')} owns too`)
  for (const mention of mentions) lines.push(mentionText(mention))
  if (lines.length === 0) yield 'nothing else of it remains that Clew knows of; tars that were exported may hold it'
  else yield 'what remains:'
  for (const line of lines) yield `  ${escapeForLine(line)}`
}

function mentionText({
  home,
  path,
  number,
  lines,
  linesWithoutSession,
  isUnreadable,
}: ForgetPlan['remains']['mentions'][number]): string {
  const file = `the kept ${home}/${path} (generation ${number})`
  if (isUnreadable === true) return `${file} is damaged: what it names cannot be told`
  const unsure = linesWithoutSession ? `, and ${countOf(linesWithoutSession, 'line')} that name no session` : ''
  return `${file} names it in ${countOf(lines, 'line')}${unsure}`
}

// `clew forget`: erases a session from archive and index, and reports what remains elsewhere.

import pc from 'picocolors'
import {
  carryOutForgetting,
  type ForgetPlan,
  forgottenIn,
  type Looked,
  type Mention,
  type NamedSession,
  planForgetting,
  refuseGuess,
  undoForgetting,
} from '../../answers/care/forget.ts'
import { leftInIndexText } from '../../answers/care/index-erase.ts'
import { UserError } from '../../answers/error.ts'
import { escapeForLine } from '../../base/escape.ts'
import { cutToColumns } from '../../base/width.ts'
import { outputWidth } from '../../render/terminal/style.ts'
import { countOf, sizeText } from '../../view/words.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { canAsk, confirm } from '../terminal/ask.ts'
import { flush, printJson, printLine, say } from '../terminal/output.ts'

/** Files are named one by one up to this many; `--json` names all. */
const listed = 20

export async function run(input: CommandInput): Promise<ExitCode> {
  const { args, options, globals } = input
  const [text] = args
  refuseMixed(text, options)
  if (options['list'] === true) return list(globals)
  if (!text) throw new UserError('which session? Nothing is forgotten without a name')
  return options['undo'] === true ? undo(text, globals) : erase(text, input)
}

function refuseMixed(text: string | undefined, options: CommandInput['options']): void {
  const flags = ['list', 'undo'].filter(name => options[name] === true)
  if (flags.length > 1) throw new UserError('--list and --undo do not go together')
  const [flag] = flags
  if (flag !== undefined && options['dryRun'] === true)
    throw new UserError(`--${flag} erases nothing; leave out --dry-run`)
  if (flag === 'list' && text !== undefined) throw new UserError('--list takes no session')
  if (flag === 'undo' && !text) throw new UserError('missing session; clew forget --list shows forgotten ones')
}

async function erase(text: string, { options, globals }: CommandInput): Promise<ExitCode> {
  const forgetting = await planForgetting(globals.clew, text)
  const { named, plan, isDone, isStopped } = forgetting
  if (options['yes'] === true) refuseGuess(text, named)
  if (!globals.json) for (const line of planLines(plan, named)) await printLine(line)
  if (isStopped && !globals.json) await printLine('to be erased: what a stopped command left in the archive')
  const isDry = options['dryRun'] === true
  const isAgreed = !isDry && (options['yes'] === true || (!isDone && (await agreed(globals))))
  if (!isAgreed) {
    if (globals.json) await printJson({ ...plan, done: false })
    else if (!isDone) await printLine('nothing was erased')
    return isDone || isDry ? 0 : 1
  }
  const evenIfDamaged = options['evenIfDamaged'] === true
  const { report, looked, left } = await carryOutForgetting(globals.clew, forgetting, { evenIfDamaged })
  if (globals.json) await printJson({ ...report, looked, done: true })
  else {
    if (!isDone) await printLine(isStopped ? 'erased' : doneText(report))
    for (const line of lookedLines(looked)) await printLine(line)
  }
  await flush()
  if (left !== undefined) say(`clew: ${leftInIndexText(left)}`)
  for (const pack of report.packsLeft)
    say(`clew: pack ${pack} is damaged and could not be rewritten; it still contains erased bytes`)
  if (report.packsLeft.length > 0 || left !== undefined) return 2
  return looked.found.length > 0 ? 1 : 0
}

/** What was looked at in the end, and where something is left. */
function* lookedLines({ files, bytes, texts, shared, found }: Looked): Generator<string> {
  const others = shared > 0 ? `; ${countOf(shared, 'text')} that others have too` : ''
  const what = `looked for ${countOf(texts, 'text')} of it in ${countOf(files, 'file')} of Clew, ${sizeText(bytes)}`
  yield `${what}: ${found.length === 0 ? 'nothing is left' : pc.red('something is left')}${others}`
  for (const { file, texts: count } of found) yield `  ${escapeForLine(file)}: ${countOf(count, 'text')}`
}

/** Without the plan on the screen no one can agree to it. */
async function agreed({ json }: GlobalOptions): Promise<boolean> {
  if (canAsk() && !json) return confirm('Erase it? [y/N]')
  await flush()
  say(`clew: not a terminal; pass --yes to confirm`)
  return false
}

async function list({ clew, json, quiet }: GlobalOptions): Promise<ExitCode> {
  const forgotten = forgottenIn(clew)
  if (json) await printJson({ forgotten })
  else for (const name of forgotten) await printLine(escapeForLine(name))
  if (forgotten.length > 0) return 0
  if (!quiet) say('clew: no session is forgotten')
  return 1
}

async function undo(text: string, { clew, json }: GlobalOptions): Promise<ExitCode> {
  const session = await undoForgetting(clew, text)
  if (json) await printJson({ session, forgotten: false })
  else await printLine(`${escapeForLine(session)} is archived again from the next run on`)
  return 0
}

function doneText(plan: ForgetPlan): string {
  const id = escapeForLine(plan.file ?? plan.session)
  const traces = tracesText(plan)
  if (!plan.isKept && traces !== '') return `erased of ${id}: ${traces}; it is excluded from now on`
  if (!plan.isKept) return `${id}: nothing of it was archived; it is excluded from now on`
  return `${id} is erased: ${countOf(plan.generations, 'generation')}, ${sizeText(plan.bytes)}; it stays out from now on`
}

/** What is not its own, and goes. */
function tracesText({ histories, own }: ForgetPlan): string {
  const lines = histories.reduce((sum, history) => sum + history.lines, 0)
  const parts = [
    ...(lines > 0 ? [`${countOf(lines, 'line')} of archived prompt histories`] : []),
    ...(own.length > 0 ? [`${countOf(own.length, 'file')} of the status line`] : []),
  ]
  return parts.join(', ')
}

function* planLines(plan: ForgetPlan, { title }: NamedSession): Generator<string> {
  const { session, file, isKept, wasForgotten, files, generations, bytes, remains } = plan
  yield pc.cyan(escapeForLine(session))
  if (file !== undefined) yield `only ${escapeForLine(file)}, one of several files with this id`
  if (title !== undefined) yield `  ${cutToColumns(escapeForLine(title), Math.max(20, outputWidth() - 2))}`
  if (isKept) {
    const each = generations > files.length ? `, ${countOf(generations, 'generation')}` : ''
    yield `to be erased from the archive: ${countOf(files.length, 'file')}${each}, ${sizeText(bytes)}`
  } else if (wasForgotten) yield 'forgotten already: nothing of it is archived'
  else yield 'nothing of it is archived; it would be excluded from now on'
  const traces = tracesText(plan)
  if (traces !== '') yield `to be erased as well: ${traces}`
  yield* remainLines(remains)
}

function* remainLines({ live, liveMentions, shared, sharedFiles, mentions }: ForgetPlan['remains']): Generator<string> {
  const lines: string[] = []
  if (live.length > 0) lines.push(`on disk, not touched: ${countOf(live.length, 'file')} of Claude Code`)
  for (const file of live.slice(0, listed)) lines.push(`  ${file}`)
  if (live.length > listed) lines.push(`  and ${live.length - listed} more, which --json names`)
  for (const { path, lines: count } of liveMentions)
    lines.push(`on disk, not touched: ${path} names it in ${countOf(count, 'line')}`)
  if (shared.frames > 0) {
    const owners = [...shared.sessions, ...shared.files].slice(0, 5).join(', ')
    lines.push(`${countOf(shared.frames, 'frame')}, ${sizeText(shared.bytes)}, which others contain too: ${owners}`)
  }
  for (const { home, path, sessions } of sharedFiles)
    lines.push(`${home}/${path}, which ${sessions.join(', ')} owns too`)
  for (const mention of mentions) lines.push(mentionText(mention))
  if (lines.length === 0)
    yield 'nothing else of it remains that Clew knows of; copies that were made of the archive may contain it'
  else yield 'what remains:'
  for (const line of lines) yield `  ${escapeForLine(line)}`
}

function mentionText({ home, path, number, lines, linesWithoutSession = 0, isUnreadable }: Mention): string {
  const file = `the archived ${home}/${path} (generation ${number})`
  if (isUnreadable === true) return `${file} is damaged: what it names is unknown`
  const parts: string[] = []
  if (lines > 0) parts.push(`names it in ${countOf(lines, 'line')}`)
  if (linesWithoutSession > 0)
    parts.push(`has ${countOf(linesWithoutSession, 'line')} that may be its, since they name no session`)
  return `${file} ${parts.join(', and ')}`
}

// `clew archive prune`: removes what a rule names from the archive. It says what would go; only `--apply` lets it go.

import { homedir } from 'node:os'
import { resolve } from 'node:path'
import pc from 'picocolors'
import { type PrunePlan, type PruneRule, planPrune, prune } from '../archive/prune.ts'
import { escapeForLine } from '../base/escape.ts'
import { expandTilde } from '../disk/homes.ts'
import { countOf, sizeText } from '../view/words.ts'
import { existingArchive, liveDiscoveries, telling } from './archive-open.ts'
import { canAsk, confirm } from './ask.ts'
import type { CommandInput, ExitCode, GlobalOptions } from './command.ts'
import { UserError } from './command.ts'
import { clockFor } from './list-times.ts'
import { printJson, printLine } from './output.ts'
import { wholeNumber } from './whole-number.ts'

const dayMs = 86_400_000
const listed = 20

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  if (args.length > 0)
    throw new UserError(`too many words: "${args.join(' ')}"; clew forget SESSION erases one session`)
  const archive = existingArchive(globals)
  const rule = ruleOf(options)
  const isApplied = options['apply'] === true
  const plan = await telling(async () => planPrune(archive, rule, await liveDiscoveries(archive, globals)))
  if (!globals.json) for (const line of planLines(plan, globals, isApplied)) await printLine(line)
  if (plan.generations.length === 0) {
    if (globals.json) await printJson({ plan, done: false })
    return 1
  }
  const isAgreed =
    isApplied && (options['yes'] === true || !canAsk() || (await confirm('Remove this from the archive?')))
  if (!isAgreed) {
    if (globals.json) await printJson({ plan, done: false })
    else await printLine(isApplied ? 'nothing was removed' : 'nothing was removed; --apply removes it')
    return 0
  }
  const report = await telling(() => prune(archive, plan))
  if (globals.json) await printJson({ plan, done: true, ...report })
  else {
    const freed = sizeText(Math.max(0, report.storedBefore - report.storedAfter))
    await printLine(`removed ${countOf(report.generations, 'generation')}; the archive is ${freed} smaller`)
  }
  return 0
}

function ruleOf(options: Readonly<Record<string, unknown>>): PruneRule {
  const days = wholeNumber(options['olderThan'], '--older-than', 0)
  const keepGenerations = wholeNumber(options['generations'], '--generations')
  const project = options['project']
  const rule: PruneRule = {
    ...(days !== undefined && { changedBeforeMs: Date.now() - days * dayMs }),
    ...(typeof project === 'string' && { projects: [projectText(project)] }),
    ...(options['gone'] === true && { goneOnly: true }),
    ...(keepGenerations !== undefined && { keepGenerations }),
  }
  if (Object.keys(rule).length > 0) return rule
  throw new UserError('prune needs a rule: --older-than DAYS, --project PATH, --gone or --generations N')
}

/** The name of a project folder stays as it is; anything else is a path. */
function projectText(text: string): string {
  return /^-?[A-Za-z0-9-]+$/.test(text) ? text : resolve(expandTilde(text, homedir()))
}

function* planLines(plan: PrunePlan, globals: GlobalOptions, isApplied: boolean): Generator<string> {
  if (plan.generations.length === 0) {
    yield 'nothing fits this rule'
    return
  }
  const clock = clockFor(globals.timezone)
  for (const { session, modifiedMs, generations, bytes, returns, cwd, slug } of plan.sessions.slice(0, listed)) {
    const place = escapeForLine(cwd ?? slug)
    const back = returns ? pc.yellow('  still on disk: the next run keeps it again') : ''
    const what = `${countOf(generations, 'generation')}, ${sizeText(bytes)}`
    yield `${pc.cyan(escapeForLine(session))}  ${clock(modifiedMs)}  ${place}  ${what}${back}`
  }
  if (plan.sessions.length > listed) yield `and ${plan.sessions.length - listed} more`
  const would = isApplied ? '' : 'would be '
  yield `${countOf(plan.sessions.length, 'session')}, ${countOf(plan.files, 'file')}, ${countOf(plan.generations.length, 'generation')}: ${sizeText(plan.bytes)}, ${sizeText(plan.freed.stored)} of the archive ${would}freed`
}

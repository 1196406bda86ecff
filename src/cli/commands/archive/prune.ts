// `clew archive prune`: removes what a rule names from the archive. It says what would go; only `--apply` lets it go.

import pc from 'picocolors'
import {
  carryOutPruning,
  type PrunedSession,
  type PrunePlan,
  type PruneRule,
  pruning,
} from '../../../answers/care/archive.ts'
import { leftInIndexText } from '../../../answers/care/index-erase.ts'
import { UserError } from '../../../answers/error.ts'
import { wholeNumber } from '../../../answers/sessions/filters.ts'
import { shortIds } from '../../../answers/sessions/names.ts'
import { clockFor } from '../../../answers/times.ts'
import { outputWidth } from '../../../render/terminal/style.ts'
import { type Column, tableLines } from '../../../render/terminal/table.ts'
import { countOf, sizeText } from '../../../view/words.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../../command.ts'
import { canAsk, confirm } from '../../terminal/ask.ts'
import { printJson, printLine, say } from '../../terminal/output.ts'

const dayMs = 86_400_000
const listed = 20

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  if (args.length > 0)
    throw new UserError(`too many words: "${args.join(' ')}"; clew forget SESSION erases one session`)
  const isApplied = options['apply'] === true
  if (isApplied && options['dryRun'] === true) throw new UserError('--apply and --dry-run do not go together')
  const rule = ruleOf(options)
  const plan = await pruning(globals.clew, rule)
  if (!globals.json) for (const line of planLines(plan, globals, isApplied)) await printLine(line)
  if (plan.generations.length === 0) {
    if (globals.json) await printJson({ plan, done: false })
    return 1
  }
  const isAsked = isApplied && options['yes'] !== true && !globals.json && canAsk()
  const isAgreed = isApplied && (!isAsked || (await confirm('Remove this from the archive? [y/N]')))
  if (!isAgreed) {
    if (globals.json) await printJson({ plan, done: false })
    else await printLine(isApplied ? 'nothing was removed' : 'nothing was removed; --apply removes it')
    return isApplied ? 1 : 0
  }
  const evenIfDamaged = options['evenIfDamaged'] === true
  const { value: report, left } = await carryOutPruning(globals.clew, plan, { evenIfDamaged })
  if (globals.json) await printJson({ plan, done: true, ...report })
  else {
    const freed = sizeText(Math.max(0, report.storedBefore - report.storedAfter))
    const stayed = report.skipped > 0 ? `; ${report.skipped} changed meanwhile and stay` : ''
    await printLine(`removed ${countOf(report.generations, 'generation')}${stayed}; the archive is ${freed} smaller`)
  }
  if (left !== undefined) say(`clew: ${leftInIndexText(left)}`)
  return left !== undefined ? 2 : 0
}

function ruleOf(options: Readonly<Record<string, unknown>>): PruneRule {
  const days = wholeNumber(options['olderThan'], 'older-than', 0)
  const keepGenerations = wholeNumber(options['generations'], 'generations')
  const project = options['project']
  if (project === '') throw new UserError('--project needs a path, or the name of a project folder')
  const rule: PruneRule = {
    ...(days !== undefined && { changedBeforeMs: Date.now() - days * dayMs }),
    ...(typeof project === 'string' && { projects: [project] }),
    ...(options['gone'] === true && { goneOnly: true }),
    ...(keepGenerations !== undefined && { keepGenerations }),
  }
  if (Object.keys(rule).length > 0) return rule
  throw new UserError('prune needs a rule: --older-than DAYS, --project PATH, --gone or --generations N')
}

function* planLines(plan: PrunePlan, globals: GlobalOptions, isApplied: boolean): Generator<string> {
  if (plan.generations.length === 0) {
    yield 'nothing fits this rule'
    return
  }
  const { sessions } = plan
  const shown = sessions.slice(0, listed)
  if (shown.length > 0) yield* tableLines(shown, columnsFor(sessions, globals), outputWidth(), pc.dim)
  if (sessions.length > listed) yield `and ${sessions.length - listed} more`
  const back = sessions.filter(session => session.returns).length
  const parts = [
    sessions.length > 0 ? countOf(sessions.length, 'session') : 'files of no session',
    countOf(plan.files, 'file'),
    countOf(plan.generations.length, 'generation'),
    sizeText(plan.bytes),
  ]
  yield `${parts.join(', ')}: frees ${isApplied ? '' : 'about '}${sizeText(plan.freed.stored)} of the archive`
  if (back > 0) {
    const whose = back === 1 ? '1 session is' : `${back} sessions are`
    yield pc.yellow(`${whose} still on disk: the next run archives ${back === 1 ? 'it' : 'them'} again`)
  }
}

function columnsFor(sessions: readonly PrunedSession[], globals: GlobalOptions): Column<PrunedSession>[] {
  const shortId = shortIds(sessions.map(({ session }) => session))
  const clock = clockFor(globals.clew.timezone)
  return [
    { name: 'session', cell: ({ session }) => shortId(session), paint: pc.cyan },
    { name: 'changed', cell: ({ modifiedMs }) => clock(modifiedMs), least: 10, cutsClean: true },
    { name: 'project', cell: ({ cwd, slug }) => cwd ?? slug, least: 8, keep: 1 },
    { name: 'generations', cell: ({ generations }) => String(generations), align: 'right', keep: 2 },
    { name: 'size', cell: ({ bytes }) => sizeText(bytes), align: 'right' },
    { name: 'returns', cell: ({ returns }) => (returns ? 'yes' : 'no'), keep: 3 },
  ]
}

// `clew watch`: prints what sessions write, as they write it, and keeps archive and index up to date.

import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { UserError } from '../../answers/error.ts'
import { allProjects } from '../../answers/sessions/all-sessions.ts'
import { sessionOf } from '../../answers/sessions/find.ts'
import { wholeProject } from '../../answers/sessions/names.ts'
import { homesOf } from '../../answers/settings.ts'
import { readKinds } from '../../answers/texts/kinds.ts'
import { readTime } from '../../answers/times.ts'
import { escapeForLine } from '../../base/escape.ts'
import { asString } from '../../base/json.ts'
import { expandTilde } from '../../disk/discover/homes.ts'
import { type FileChange, type Watch, watchFiles } from '../../disk/watch/watch.ts'
import { leastWidth, outputWidth, paintFor } from '../../render/terminal/style.ts'
import type { Projects } from '../../session/projects.ts'
import { countOf } from '../../view/words.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { timeText } from '../session/event-text.ts'
import { findingLine, isOutputClosed, say } from '../terminal/output.ts'
import { Follower } from '../watch/follow.ts'
import { JsonPrinter, TextPrinter, type WatchFilter, WatchPainter } from '../watch/print.ts'
import type { WatchRefresh } from '../watch/refresh.ts'
import type { FileFacts } from '../watch/session.ts'

/** Which sessions are followed, and where. */
interface Scope {
  roots: string[]
  wants(facts: FileFacts): boolean
  /** What is followed, for people. */
  what: string
  isOne: boolean
}

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  if (args.length > 1) throw new UserError(`too many arguments; quote a title with spaces`)
  const filter = filterOf(options)
  const since = asString(options['since'])
  const context = { now: Date.now(), timezone: globals.clew.timezone }
  const sinceMs = since === undefined ? undefined : readTime(since, 'since', context)
  const scope = await scopeOf(args[0], options['wait'] === true, globals)
  const follower = new Follower({
    sink: globals.json ? new JsonPrinter(filter, globals.quiet) : textPrinter(filter, scope, options, globals),
    wants: scope.wants,
    numbersLines: globals.json,
  })
  const refresh = globals.clew.usesIndex === false ? null : await openRefresh(globals)
  const ending = untilEnded(refresh)
  const onChange = (changes: FileChange[]) => {
    follower.take(changes)
    refresh?.touch()
    follower.idle().then(() => isOutputClosed() && ending.end(), ending.fail)
  }
  const watch = watchFiles({
    roots: scope.roots,
    isPolling: options['poll'] === true,
    onChange,
    onProblem: finding => {
      if (!globals.quiet) say(findingLine(finding))
    },
  })
  await watch.ready
  if (!globals.quiet) say(`clew: ${escapeForLine(beginText(scope, watch))}`)
  if (sinceMs !== undefined) follower.begin(watch.writtenSince(sinceMs), sinceMs).catch(ending.fail)
  try {
    await ending.ended
  } finally {
    await watch.close()
  }
  await follower.idle()
  await refresh?.end()
  ending.release()
  return 0
}

/** Loads the index only where it is used. */
async function openRefresh(globals: GlobalOptions): Promise<WatchRefresh> {
  const { WatchRefresh } = await import('../watch/refresh.ts')
  return new WatchRefresh(globals)
}

function beginText({ what, roots }: Scope, watch: Watch): string {
  const { files, mode } = watch.stats()
  if (files === 0) return `waiting for ${what} in ${roots.join(', ')}; press Ctrl-C to stop`
  const how = mode === 'polling' ? ', polling' : ''
  return `watching ${what} (${countOf(files, 'file')}${how}); press Ctrl-C to stop`
}

function textPrinter(
  filter: WatchFilter,
  { isOne }: Scope,
  options: Record<string, unknown>,
  globals: GlobalOptions,
): TextPrinter {
  const { timezone } = globals.clew
  // The ends of files name them: refreshing the index first may take longer than what is being written.
  let known: Promise<Projects> | undefined
  const projects = () => (known ??= allProjects({ ...globals.clew, usesIndex: false }))
  const paint = paintFor(at => timeText(at, timezone), { isFull: options['full'] === true })
  return new TextPrinter(filter, new WatchPainter(paint, () => Math.max(leastWidth, outputWidth())), isOne, projects)
}

function filterOf(options: Record<string, unknown>): WatchFilter {
  const filter: WatchFilter = { kinds: new Set(readKinds(options['kind'])), isAll: options['all'] === true }
  for (const name of ['tool', 'project'] as const) {
    const text = asString(options[name])
    if (text === '') throw new UserError(`--${name} cannot be empty`)
    if (text !== undefined) filter[name] = name === 'project' ? wholeProject(text) : text
  }
  return filter
}

async function scopeOf(text: string | undefined, mayWait: boolean, globals: GlobalOptions): Promise<Scope> {
  const roots = rootsOf(globals)
  if (text === undefined) {
    if (mayWait) throw new UserError('--wait needs a session')
    return { roots, wants: () => true, what: 'all sessions', isOne: false }
  }
  const path = expandTilde(text, homedir())
  try {
    const session = await sessionOf(text, globals.clew)
    const isHere = session.logs.some(log => log.isArchiveOnly !== true)
    if (!isHere && !mayWait) throw new UserError(`${session.id} is no longer on disk`)
    return {
      roots: existsSync(path) ? [resolve(path)] : roots,
      wants: facts => facts.session === session.id,
      what: `session ${session.id}`,
      isOne: true,
    }
  } catch (error) {
    if (!mayWait || !(error instanceof UserError) || /[\\/]/.test(text)) throw error
    // Two sessions that begin alike are both followed: it is not known yet which is meant.
    const prefix = text.toLowerCase()
    const wants = ({ session }: FileFacts) => session.toLowerCase().startsWith(prefix)
    return { roots, wants, what: `a session ${text}`, isOne: false }
  }
}

/** As everywhere, but a home that is not there yet may come: the sample history is nothing to watch. */
function rootsOf(globals: GlobalOptions): string[] {
  const roots = homesOf(globals.clew)
  return (roots.length > 0 ? roots : [`${homedir()}/.claude`]).map(root => resolve(root))
}

interface Ending {
  ended: Promise<void>
  end(): void
  fail(error: unknown): void
  release(): void
}

/** Ctrl-C ends the watch; pressed again, it leaves what is not archived and indexed yet to the next run. */
function untilEnded(refresh: WatchRefresh | null): Ending {
  let end = () => {}
  let fail = (_error: unknown) => {}
  const ended = new Promise<void>((resolve, reject) => {
    end = resolve
    fail = reject
  })
  let count = 0
  const stop = () => {
    count++
    if (count > 1) refresh?.hurry()
    end()
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, stop)
  return {
    ended,
    end,
    fail,
    release: () => {
      for (const signal of signals) process.off(signal, stop)
    },
  }
}

// `clew watch`: prints what sessions write, as they write it, and keeps archive and index up to date.

import { UserError } from '../../answers/error.ts'
import { type Following, followLogs, type WatchScope, watchScope } from '../../answers/live/watch.ts'
import type { WatchRefresh } from '../../answers/live/watch-refresh.ts'
import { allProjects } from '../../answers/sessions/all-sessions.ts'
import { wholeProject } from '../../answers/sessions/names.ts'
import { readKinds } from '../../answers/texts/kinds.ts'
import { readTime } from '../../answers/times.ts'
import { escapeForLine } from '../../base/escape.ts'
import { asString } from '../../base/json.ts'
import { leastWidth, outputWidth, paintFor } from '../../render/terminal/style.ts'
import type { Projects } from '../../session/projects.ts'
import { countOf } from '../../view/words.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { timeText } from '../session/event-text.ts'
import { findingLine, isOutputClosed, say } from '../terminal/output.ts'
import { JsonPrinter, TextPrinter, type WatchFilter, WatchPainter } from '../watch/print.ts'

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  if (args.length > 1) throw new UserError(`too many arguments; quote a title with spaces`)
  // The ends of files name them: refreshing the index first may take longer than what is being written.
  let known: Promise<Projects> | undefined
  const projects = () => (known ??= allProjects({ ...globals.clew, usesIndex: false }))
  const filter = await filterOf(options, projects)
  const since = asString(options['since'])
  const context = { now: Date.now(), timezone: globals.clew.timezone }
  const sinceMs = since === undefined ? undefined : readTime(since, 'since', context)
  const scope = await watchScope(globals.clew, args[0], options['wait'] === true)
  const refresh = globals.clew.usesIndex === false ? null : await openRefresh(globals)
  const ending = untilEnded(refresh)
  const watch = followLogs(scope, {
    sink: globals.json
      ? new JsonPrinter(filter, globals.quiet)
      : textPrinter(filter, scope, { options, globals, projects }),
    numbersLines: globals.json,
    isPolling: options['poll'] === true,
    onChange: printed => {
      refresh?.touch()
      printed.then(() => isOutputClosed() && ending.end(), ending.fail)
    },
    onProblem: finding => {
      if (!globals.quiet) say(findingLine(finding))
    },
  })
  await watch.ready
  if (!globals.quiet) say(`clew: ${escapeForLine(beginText(scope, watch.stats()))}`)
  if (sinceMs !== undefined) watch.begin(sinceMs).catch(ending.fail)
  try {
    await ending.ended
  } finally {
    await watch.end()
  }
  await refresh?.end()
  ending.release()
  return 0
}

/** Loads the index only where it is used. */
async function openRefresh(globals: GlobalOptions): Promise<WatchRefresh> {
  const { WatchRefresh } = await import('../../answers/live/watch-refresh.ts')
  return new WatchRefresh(globals.clew)
}

function beginText({ what, roots }: WatchScope, { files, mode }: ReturnType<Following['stats']>): string {
  if (files === 0) return `waiting for ${what} in ${roots.join(', ')}; press Ctrl-C to stop`
  const how = mode === 'polling' ? ', polling' : ''
  return `watching ${what} (${countOf(files, 'file')}${how}); press Ctrl-C to stop`
}

function textPrinter(
  filter: WatchFilter,
  { isOne }: WatchScope,
  { options, globals, projects }: { options: Options; globals: GlobalOptions; projects: () => Promise<Projects> },
): TextPrinter {
  const { timezone } = globals.clew
  const paint = paintFor(at => timeText(at, timezone), { isFull: options['full'] === true })
  return new TextPrinter(filter, new WatchPainter(paint, () => Math.max(leastWidth, outputWidth())), isOne, projects)
}

type Options = Readonly<Record<string, unknown>>

async function filterOf(options: Options, projects: () => Promise<Projects>): Promise<WatchFilter> {
  const filter: WatchFilter = { kinds: new Set(readKinds(options['kind'])), isAll: options['all'] === true }
  for (const name of ['tool', 'project'] as const) {
    const text = asString(options[name])
    if (text === '') throw new UserError(`--${name} cannot be empty`)
    if (text !== undefined && name === 'tool') filter.tool = text
    if (text === undefined || name === 'tool') continue
    const all = await projects()
    filter.isMeant = session => all.isMeant(session, wholeProject(text))
  }
  return filter
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

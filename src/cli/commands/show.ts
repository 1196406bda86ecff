// `clew show`: a session to read, in a pager, as a document, or as JSON. How items are painted is in src/render.

import { UserError } from '../../answers/error.ts'
import { indexFor } from '../../answers/knows/index-use.ts'
import type { DocumentQuery } from '../../answers/session/document.ts'
import { markText } from '../../answers/session/selection.ts'
import { FileVerdict } from '../../answers/session/verdict.ts'
import { loadOptionsFor } from '../../answers/sessions/copied.ts'
import { sessionOf } from '../../answers/sessions/find.ts'
import { inOrder, listSessions } from '../../answers/sessions/list.ts'
import { placeOf, whenOf } from '../../answers/sessions/rows.ts'
import { clockFor } from '../../answers/times.ts'
import { bytesOf, type SessionFiles } from '../../model/source.ts'
import { paintFor } from '../../render/terminal/style.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { timeText } from '../session/event-text.ts'
import { type ShowOptions, showOptions } from '../session/show-options.ts'
import { showText } from '../session/show-text.ts'
import { orFault } from '../session/stream.ts'
import { findingLine, isOutputClosed, printLine, say } from '../terminal/output.ts'
import { openSink } from '../terminal/pager.ts'
import { startProgress } from '../terminal/progress.ts'

export async function run(input: CommandInput): Promise<ExitCode> {
  const { args, globals } = input
  const options = showOptions(input)
  // A wrong time zone is an error before anything is printed.
  clockFor(globals.clew.timezone)
  const session = args[0] === undefined ? await chooseSession(globals, options) : await sessionOf(args[0], globals.clew)
  if (session === null) return 1
  const { format } = options
  return format === 'text'
    ? showTerminal(session, options, globals)
    : orFault(() => showDocument(session, { ...options, format }, globals))
}

/** Lets people choose on a terminal. */
async function chooseSession(globals: GlobalOptions, options: ShowOptions): Promise<SessionFiles | null> {
  const { canPick, pick } = await import('../terminal/picker.ts')
  if (options.format !== 'text' || !canPick()) {
    throw new UserError('missing session; for the newest: clew show last; to list them: clew ls')
  }
  const listing = await listSessions(globals.clew, { options: {}, isFull: false })
  const rows = inOrder(listing)
  if (rows.length === 0) throw new UserError('no sessions found; pass a Claude home with --root PATH')
  const clock = clockFor(globals.clew.timezone)
  const { projects } = listing
  const chosen = await pick(
    rows.map(row => ({
      id: row.session.id,
      title: row.title,
      place: projects.of(placeOf(row)).name,
      when: clock(whenOf(row)).slice(2),
    })),
    { what: 'session' },
  )
  return rows.find(row => row.session.id === chosen?.id)?.session ?? null
}

async function showTerminal(session: SessionFiles, options: ShowOptions, globals: GlobalOptions): Promise<ExitCode> {
  const verdict = new FileVerdict(session.logs[0])
  const { isFull, showsThinking, showsTimes } = options
  const paint = paintFor(at => timeText(at, globals.clew.timezone), { isFull, showsThinking, showsTimes })
  const isTerminal = process.stdout.isTTY === true
  // What it has to say is said before the pager has the screen.
  if (isTerminal) await indexFor(globals.clew)
  const mark = options.event === undefined ? undefined : markText
  const sink = await openSink({ isEnabled: options.usesPager, env: process.env, isTerminal, mark })
  const progress = startProgress({ what: 'reading', total: bytesOf(session), isQuiet: globals.quiet || isTerminal })
  let isShown = false
  try {
    const { timezone } = globals.clew
    const load = await loadOptionsFor(session, globals.clew)
    const show = { session, places: globals.clew, options, paint, sink, timezone, progress, load }
    isShown = await showText(show, verdict)
  } finally {
    await sink.end()
  }
  if (!isShown && verdict.fault !== undefined) say(findingLine(verdict.fault))
  return isShown ? 0 : 1
}

async function showDocument(session: SessionFiles, query: DocumentQuery, globals: GlobalOptions): Promise<ExitCode> {
  const { documentOf } = await import('../../answers/session/document.ts')
  await printText(await documentOf(globals.clew, session, query))
  return 0
}

/** Chunks of a document; its last line end is ours. */
async function printText(chunks: Iterable<string>): Promise<void> {
  let rest = ''
  for (const chunk of chunks) {
    const text = rest + chunk
    const end = text.lastIndexOf('\n')
    rest = text.slice(end + 1)
    if (end >= 0) await printLine(text.slice(0, end))
    if (isOutputClosed()) return
  }
  if (rest !== '') await printLine(rest)
}

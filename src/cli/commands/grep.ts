// `clew grep`: every line of text that an expression matches, the latest session first, printed while it is found.

import pc from 'picocolors'
import { GrepHands, type SessionBatches } from '../../grep/hands.ts'
import { type Narrowed, narrow } from '../../grep/narrow.ts'
import { Told } from '../../grep/told.ts'
import { leastWidth, outputWidth } from '../../render/terminal/style.ts'
import type { CommandDeclaration, CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { type Asked, readAsked } from '../grep/asked.ts'
import type { GrepPaint } from '../grep/paint.ts'
import { JsonPrinter, type Printer, TextPrinter } from '../grep/print.ts'
import { bytesOf, type ListRow } from '../list/list-row.ts'
import { counted, shortIds } from '../list/list-text.ts'
import { clockFor } from '../list/list-times.ts'
import { findingLine, flush, isOutputClosed, say } from '../terminal/output.ts'
import { type Progress, startProgress } from '../terminal/progress.ts'

export const declaration: CommandDeclaration = {
  argument: { name: '<regex...>', description: 'what to look for; after it, if wanted, the one session to search' },
  description:
    'Searches all text of all sessions as it was said, not as JSON writes it, the latest session first: also spilled output, and what only the archive has (57bae280@1 is an earlier generation). Needs no index and finds what an index leaves out.',
  options: [
    { flags: '-i, --ignore-case', description: 'capital and small letters are the same' },
    { flags: '-F, --fixed-strings', description: 'the text as it is, not an expression' },
    { flags: '-A, --after <n>', description: 'so many lines after each match' },
    { flags: '-B, --before <n>', description: 'so many lines before each match' },
    { flags: '-C, --context <n>', description: 'so many lines before and after' },
    { flags: '-l, --sessions', description: 'only the sessions that have a match' },
    { flags: '-c, --count', description: 'only how many matching lines each session has' },
    { flags: '--kind <kind>', description: 'in events of this kind, such as prompt or answer', isRepeatable: true },
    { flags: '--tool <name>', description: 'in input and output of this tool' },
    { flags: '--project <text>', description: 'working directory holds this; `.` is this one' },
    { flags: '--since <time>', description: 'said since: 2026-02-17, 7d, 24h, yesterday' },
    { flags: '--until <time>', description: 'said until; a day counts to its end' },
    { flags: '--limit <n>', description: 'stop after so many lines, or sessions with -l and -c' },
  ],
  examples: [
    ['clew grep croissant', 'every line with this word, the latest session first'],
    ['clew grep -i "fail(s|ed)?" -C 1 --limit 3', 'with the lines around it'],
    ['clew grep -F "npm test" --tool Bash', 'what was run, and what it printed'],
    ['clew grep -i -l "fog of war|croissants?"', 'only which sessions have it'],
  ],
  archivesAfterwards: true,
}

export async function run(input: CommandInput): Promise<ExitCode> {
  const started = performance.now()
  const { globals } = input
  const asked = readAsked(input)
  const hands = new GrepHands(asked.options, globals)
  try {
    const narrowed = await narrow(asked, globals, hands)
    const printer = globals.json ? new JsonPrinter(asked, started) : new TextPrinter(asked, paintFor(narrowed, globals))
    const found = await search(narrowed, { asked, printer, hands, globals })
    await printer.end()
    if (found.sessions === 0) return tellNone(narrowed, globals)
    if (!globals.json && !globals.quiet) say(pc.dim(foundText(found, asked)))
    return 0
  } finally {
    await hands.close()
  }
}

function paintFor({ all }: Narrowed, { timezone }: GlobalOptions): GrepPaint {
  return {
    width: Math.max(leastWidth, outputWidth()),
    clock: clockFor(timezone),
    shortId: shortIds(all.map(session => session.id)),
  }
}

function foundText({ count, sessions, isCut }: Found, { mode }: Asked): string {
  const where = counted(sessions, 'session')
  const text = mode === 'sessions' ? where : `${counted(count, 'matching line')} in ${where}`
  return isCut ? `${text}; stopped at --limit` : text
}

function tellNone({ all, looked }: Narrowed, { quiet }: GlobalOptions): ExitCode {
  const where = looked === undefined ? '' : ` in ${counted(looked, 'session')}`
  if (!quiet)
    say(all.length === 0 ? 'clew: no sessions found; --root PATH names a Claude home' : `clew: no line matches${where}`)
  return 1
}

interface Found {
  count: number
  sessions: number
  /** The limit was reached. */
  isCut: boolean
}

interface Searching {
  asked: Asked
  printer: Printer
  hands: GrepHands
  globals: GlobalOptions
}

async function search({ rows, pieces }: Narrowed, searching: Searching): Promise<Found> {
  const { asked, printer, hands, globals } = searching
  const total = rows.reduce((sum, row) => sum + row.bytes, 0)
  const progress = startProgress({ what: 'searching', total, isQuiet: globals.quiet })
  const found: Found = { count: 0, sessions: 0, isCut: false }
  try {
    let at = 0
    for await (const batches of hands.searchAll(pieces)) {
      const hasCopies = pieces[at]?.[0]?.hasCopies === true
      const row = rows[at++] as ListRow
      const told = new Told(hasCopies)
      await printSession(batches, row, { asked, printer, progress, found, told, isQuiet: globals.quiet })
      progress.add(bytesOf(row.session))
      if (found.isCut || isOutputClosed()) break
    }
  } finally {
    progress.end()
  }
  return found
}

interface Printing {
  asked: Asked
  printer: Printer
  progress: Progress
  found: Found
  told: Told
  isQuiet: boolean
}

async function printSession(batches: SessionBatches, row: ListRow, printing: Printing): Promise<void> {
  const { asked, printer, progress, found, told } = printing
  const isLines = asked.mode === 'lines'
  let count = 0
  for await (const batch of batches) {
    progress.end()
    if (!printing.isQuiet) for (const finding of batch.findings) say(findingLine(finding))
    const fresh = batch.hits.filter(hit => told.isNew(hit))
    const hits = isLines ? fresh.slice(0, asked.limit - found.count) : []
    const once = batch.keys.reduce((sum, key) => sum + (told.isNewKey(key) ? 1 : 0), 0)
    const added = isLines ? hits.length : batch.count + once + fresh.length
    if (added === 0) continue
    if (count === 0) {
      found.sessions++
      await printer.session(row)
    }
    count += added
    found.count += added
    await printer.hits(row, hits)
    // What is found is seen at once.
    await flush()
    if (isOutputClosed() || (isLines && found.count >= asked.limit) || count >= asked.options.most) break
  }
  if (count > 0 && !isLines) {
    await printer.total(row, count)
    await flush()
  }
  if ((isLines ? found.count : found.sessions) >= asked.limit) found.isCut = true
}

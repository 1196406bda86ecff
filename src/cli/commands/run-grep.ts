// `clew grep`: every line of text that an expression matches, the latest session first, printed while it is found.

import pc from 'picocolors'
import { GrepHands, type SessionBatches } from '../../grep/hands.ts'
import { type Narrowed, narrow } from '../../grep/narrow.ts'
import { Told } from '../../grep/told.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { type Asked, readAsked } from '../grep/asked.ts'
import type { GrepPaint } from '../grep/paint.ts'
import { JsonPrinter, type Printer, TextPrinter } from '../grep/print.ts'
import { bytesOf, type ListRow } from '../list/list-row.ts'
import { counted, shortIds } from '../list/list-text.ts'
import { clockFor } from '../list/list-times.ts'
import { findingLine, flush, isOutputClosed, say } from '../terminal/output.ts'
import { leastWidth, outputWidth } from '../terminal/paint-style.ts'
import { type Progress, startProgress } from '../terminal/progress.ts'

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

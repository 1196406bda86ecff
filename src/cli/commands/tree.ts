// `clew tree`: a session's shape, drawn with lines. What there is to draw is decided in analyze.

import pc from 'picocolors'
import { escapeForLine } from '../../base/escape.ts'
import { cutToColumns } from '../../base/width.ts'
import { digestSession, linkSessions } from '../../graph/graph.ts'
import { titleOf } from '../../graph/lineage/title.ts'
import type { SessionDigest, SessionGraph } from '../../model/session.ts'
import type { SessionFiles } from '../../model/source.ts'
import { loadSession } from '../../session/load.ts'
import { type Folded, foldShape, type Kin, shapeOf } from '../../session/shape.ts'
import type { CommandDeclaration, CommandInput, ExitCode } from '../command.ts'
import { sessionOf } from '../input.ts'
import { siblingsOf, unreadText } from '../session/siblings.ts'
import { treeLines } from '../session/tree-text.ts'
import { FileVerdict } from '../session/verdict.ts'
import { count } from '../terminal/charts.ts'
import { isOutputClosed, printJson, printLine, say } from '../terminal/output.ts'
import { outputWidth } from '../terminal/paint-style.ts'
import { startProgress } from '../terminal/progress.ts'

export const declaration: CommandDeclaration = {
  argument: { name: '[session]', description: 'full id, beginning of one, title, file path, or `last`' },
  description:
    'Draws turns with what ran in them, branches that were left, subagents inside the call that started them, compactions as borders, and the sessions it comes from or goes on in. A long session is folded to about 200 lines.',
  options: [{ flags: '--full', description: 'fold nothing' }],
  examples: [
    ['clew tree last', 'the newest session at a glance'],
    ['clew tree last --full', 'every run of calls, every subagent inside out'],
  ],
}

/** A tree of more lines than this is folded. */
const mostRows = 195

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  const session = await sessionOf(args[0], globals)
  const verdict = new FileVerdict(session.logs[0])
  const progress = startProgress({ what: 'reading', total: sizeOf(session), isQuiet: globals.quiet })
  const graph = await loadSession(globals.source, session, {}, (_file, record) => {
    verdict.see(record)
    progress.add(record.bytes)
  }).finally(() => progress.end())
  if (verdict.isHopeless) return verdict.report(0)
  const { digests, summaries, unreadBytes } = await siblingsOf(graph, session, globals)
  if (unreadBytes !== undefined && !globals.quiet) say(`clew: ${unreadText(unreadBytes)}`)
  const { title } = titleOf(graph, summaries)
  const rows = shapeOf(graph, kinOf(graph, digests))
  const most = options['full'] === true ? Number.POSITIVE_INFINITY : mostRows
  const shape = foldShape(rows, most)
  if (globals.json) {
    await printJson({ session: graph.session, title, ...shape })
    return 0
  }
  const columns = outputWidth()
  await printLine(pc.bold(cutToColumns(escapeForLine(title.replace(/\s+/g, ' ')), columns)))
  await printLine(pc.dim(cutToColumns(escapeForLine(graph.session), columns)))
  for (const line of treeLines(shape.rows, columns)) {
    if (isOutputClosed()) break
    await printLine(line)
  }
  const note = foldedNote(shape.folded)
  if (note !== '') await printLine(pc.dim(cutToColumns(note, columns)))
  return 0
}

function sizeOf(session: SessionFiles): number {
  return session.logs.reduce((sum, log) => sum + log.size, 0)
}

function kinOf(graph: SessionGraph, others: readonly SessionDigest[]): Kin {
  const linked = linkSessions([digestSession(graph), ...others])
  const descendants: Kin['descendants'] = [...linked].flatMap(([session, links]) =>
    links
      .filter(link => link.session === graph.session && session !== graph.session)
      .map(link => ({ ...link, session })),
  )
  return { links: linked.get(graph.session) ?? [], descendants }
}

function foldedNote({ subagents, calls, turns, rows }: Folded): string {
  if (rows === 0) return ''
  const parts = [
    turns > 0 ? `${count(turns)} turns` : '',
    calls > 0 ? `the inside of ${count(calls)} turns` : '',
    subagents > 0 ? `of ${count(subagents)} subagents` : '',
  ]
  return `--full draws all; folded: ${parts.filter(part => part !== '').join(', ') || `${count(rows)} lines`}`
}

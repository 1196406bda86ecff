// `clew stats`: numbers of one session or of all. The text shows what people ask for first; the JSON has all.

import pc from 'picocolors'
import { statsOf } from '../../answers/session/stats.ts'
import { escapeForLine } from '../../base/escape.ts'
import { countText, percent, shortCount } from '../../base/format.ts'
import { columnsOf, cutToColumns } from '../../base/width.ts'
import { withoutColours } from '../../render/safe-text.ts'
import { type Chart, chartLines, wrappedFact } from '../../render/terminal/charts.ts'
import { outputWidth } from '../../render/terminal/style.ts'
import type { Stats } from '../../schema/contract-shapes.ts'
import type { Share, Spread } from '../../session/stats.ts'
import { certaintyMarks, certaintyOf, countOf, durationText, sizeText } from '../../view/words.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { timeText } from '../session/event-text.ts'
import { findingLine, isOutputClosed, printJson, printLine, say } from '../terminal/output.ts'

export async function run({ args, globals }: CommandInput): Promise<ExitCode> {
  const { stats, findings, unread } = await statsOf(globals.clew, args[0], isOutputClosed)
  for (const finding of [...findings, ...unread])
    if (!globals.quiet || finding.severity === 'error') say(findingLine(finding))
  if (globals.json) await printJson(stats)
  if (stats.events === 0) {
    if (findings.length + unread.length === 0) say(nothingText(args[0]))
    return unread.length > 0 ? 2 : 1
  }
  if (!globals.json) for (const line of statsLines(stats, globals.clew.timezone)) await printLine(line)
  return unread.length > 0 ? 1 : 0
}

function nothingText(named: string | undefined): string {
  if (named === undefined) return 'clew: no sessions found; pass a Claude home with --root PATH'
  return `clew: nothing to count: the file of "${escapeForLine(named)}" has no records`
}

const mostRows = 12

function* statsLines(stats: Stats, timezone: string | undefined): Generator<string> {
  const columns = outputWidth()
  const day = (at: string | null) => timeText(at, timezone).slice(0, 10)
  yield* wrapped(
    [
      pc.bold(countOf(stats.sessions, 'session')),
      sizeText(stats.bytes),
      countOf(stats.events, 'event'),
      countOf(stats.turns.count, 'turn'),
      ...daysText(day(stats.startedAt), day(stats.endedAt)),
    ],
    columns,
  )
  yield ''
  yield* spreadTable(stats, columns)
  for (const chart of charts(stats)) {
    if (chart.rows.length === 0) continue
    yield ''
    yield* chartLines({ most: mostRows, ...chart }, columns)
  }
  yield ''
  yield* shapeLines(stats, columns)
}

/** `2026-04-08 to 2026-05-02`, or the one day that it was; nothing where no record has a time. */
function daysText(first: string, last: string): string[] {
  if (first === '-') return []
  return [first === last ? first : `${first} to ${last}`]
}

/** Parts with dots between, broken into lines where they do not fit. */
function* wrapped(parts: readonly string[], columns: number): Generator<string> {
  let line = ''
  for (const part of parts) {
    const longer = line === '' ? part : `${line} · ${part}`
    if (line !== '' && columnsOf(withoutColours(longer)) > columns) {
      yield line
      line = part
    } else line = longer
  }
  if (line !== '') yield line
}

function* spreadTable(stats: Stats, columns: number): Generator<string> {
  const rows: [label: string, spread: Spread, show: (value: number) => string][] = [
    ['size', stats.sessionBytes, sizeText],
    ['events', stats.sessionEvents, countText],
    ['messages', stats.sessionMessages, countText],
    ['duration', stats.sessionMs, durationText],
    ['turns', stats.turns.perSession, countText],
    ['longest parent chain', stats.chain.depth, countText],
    ['compactions', stats.compactions.perSession, oneDecimal],
    ['compactions (long sessions)', stats.compactions.perLongSession, oneDecimal],
    ['time per turn', stats.turns.durationMs, durationText],
    ['calls per turn', stats.turns.calls, countText],
    ['messages per subagent run', stats.delegations.exchanges, countText],
    ['calls per subagent run', stats.delegations.calls, countText],
  ]
  const present = rows.filter(([, spread]) => spread.count > 0)
  const isOne = stats.sessions === 1
  const heads = isOne ? ['median', 'max'] : ['min', 'median', 'p90', 'max', 'mean']
  const cellsOf = ({ min, p50, p90, max, mean }: Spread) => (isOne ? [p50, max] : [min, p50, p90, max, mean])
  const widthOf = (i: number) =>
    Math.max((heads[i] ?? '').length, ...present.map(([, spread, show]) => show(cellsOf(spread)[i] ?? 0).length))
  const label = Math.min(27, Math.floor(columns * 0.45))
  const widths = heads.map((_, i) => widthOf(i))
  const order = isOne ? [1, 0] : [1, 3, 4, 2, 0]
  const fitting = order.filter((_, i) => {
    const used = order.slice(0, i + 1).reduce((sum, at) => sum + (widths[at] ?? 0) + 2, label)
    return used <= columns
  })
  const shown = fitting.sort((a, b) => a - b)
  const line = (text: string, cells: readonly string[]) =>
    cutToColumns(text, label).padEnd(label) + shown.map(i => `  ${(cells[i] ?? '').padStart(widths[i] ?? 0)}`).join('')
  yield pc.dim(line(isOne ? 'this session' : 'per session', heads))
  for (const [name, spread, show] of present) {
    const cells = cellsOf(spread).map(show)
    yield line(name, isOne && spread.count === 1 ? ['', cells[1] ?? ''] : cells)
  }
}

function oneDecimal(value: number): string {
  return Number.isInteger(value) ? countText(value) : value.toFixed(2)
}

function charts(stats: Stats): Chart[] {
  return [
    {
      title: 'Tools',
      heads: ['calls', 'failed', 'median', 'total', 'output'],
      rows: stats.tools.map(tool => ({
        label: escapeForLine(tool.name),
        value: tool.calls,
        cells: [
          countText(tool.calls),
          tool.failed === 0 ? '' : countText(tool.failed),
          tool.durationMs.count === 0 ? '' : durationText(tool.durationMs.p50),
          tool.durationMs.count === 0 ? '' : durationText(tool.durationMs.sum),
          sizeText(tool.resultBytes),
        ],
      })),
    },
    {
      title: 'MCP servers',
      heads: ['calls', 'failed', 'tools', 'output'],
      rows: stats.servers.map(({ server, calls, failed, tools, resultBytes }) => ({
        label: escapeForLine(server),
        value: calls,
        cells: [countText(calls), failed === 0 ? '' : countText(failed), countText(tools), sizeText(resultBytes)],
      })),
    },
    {
      title: 'Files',
      heads: ['edits', 'writes', 'reads'],
      rows: stats.files.map(({ path, reads, writes, edits }) => ({
        label: shortPath(path),
        value: reads + writes + edits,
        cells: [edits, writes, reads].map(times => (times === 0 ? '' : countText(times))),
      })),
    },
    ...tokenCharts(stats),
    {
      title: 'Record types',
      heads: ['records', 'share'],
      rows: Object.entries(stats.types).map(([type, records]) => ({
        label: escapeForLine(type),
        value: records,
        cells: [countText(records), percent(records / stats.events)],
      })),
    },
    {
      title: 'Event kinds',
      heads: ['events'],
      rows: Object.entries(stats.kinds).map(([kind, events]) => ({
        label: kind,
        value: events,
        cells: [countText(events)],
      })),
    },
  ]
}

function tokenCharts(stats: Stats): Chart[] {
  return [
    {
      title: 'Models',
      heads: ['answers', 'input', 'output', 'cache write', 'cache read'],
      rows: stats.models.map(({ model, messages, usage }) => ({
        label: escapeForLine(model),
        value: messages,
        cells: [
          countText(messages),
          shortCount(usage.inputTokens),
          `${certaintyMarks[certaintyOf({ isPartial: !usage.outputFinal }).output]}${shortCount(usage.outputTokens)}`,
          shortCount(usage.cacheCreationTokens),
          shortCount(usage.cacheReadTokens),
        ],
      })),
    },
    {
      title: 'Claude Code versions',
      heads: ['records', 'sessions', 'most frequent'],
      rows: stats.versions.map(({ version, sessions, records, types }) => ({
        label: escapeForLine(version),
        value: records,
        cells: [countText(records), countText(sessions), frequentTypes(types)],
      })),
    },
  ]
}

function frequentTypes(types: Record<string, number>): string {
  const most = Object.entries(types).slice(0, 3)
  return cutToColumns(most.map(([type, records]) => `${escapeForLine(type)} ${records}`).join(', '), 44)
}

/** The end of a path says most. */
function shortPath(path: string): string {
  const parts = path.split(/[\\/]/).filter(part => part !== '')
  const text = escapeForLine(parts.slice(-3).join('/'))
  return parts.length > 3 ? `…/${text}` : escapeForLine(path)
}

/** What the parent chain is like, a line each. */
function* shapeLines(stats: Stats, columns: number): Generator<string> {
  const { orphans, order, results, tokens } = stats
  const rows: [label: string, text: string][] = [
    ['orphans', `${shareText(orphans.all)} records refer to a missing parent`],
  ]
  if (orphans.inCompacted.sessions > 0)
    rows.push([
      '  compacted',
      `${shareText(orphans.inCompacted)}, in ${countOf(orphans.inCompacted.sessions, 'session')}`,
    ])
  if (orphans.all.count > 0) {
    rows.push(['  of them', `${shareText(orphans.withLogicalParent)} have a logical parent`])
    rows.push(['', `${shareText(orphans.afterCompaction)} directly follow a compaction`])
    rows.push(['', `${shareText(orphans.inSubagents)} are in subagents`])
  }
  rows.push(['parent', `is the previous record in ${shareText(order.parentIsPrevious)}`])
  rows.push(['time', `goes backward between ${shareText(order.backwardTimestamps)} records`])
  rows.push(['results', `${countText(results.text)} as text, ${countText(results.blocks)} as blocks`])
  rows.push([
    'tokens',
    `${countText(tokens.inputTokens)} in, ${countText(tokens.outputTokens)} out, ${countText(tokens.cacheCreationTokens)} cache write, ${countText(tokens.cacheReadTokens)} cache read, in ${countOf(tokens.messages, 'answer')}`,
  ])
  if (tokens.messagesWithPartialOutput > 0)
    rows.push([
      '',
      `output is a lower bound: ${countOf(tokens.messagesWithPartialOutput, 'answer')} have only a placeholder in the log`,
    ])
  const label = Math.max(...rows.map(([name]) => name.length)) + 2
  for (const [name, text] of rows) yield* wrappedFact(name, text, columns, label)
}

function shareText({ count: some, of, share }: Share): string {
  return `${countText(some)} of ${countText(of)} (${percent(share)})`
}

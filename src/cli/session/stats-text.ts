// The text of `clew stats`: spreads as a table, the rest as bar charts. Which numbers there are is decided in analyze.

import pc from 'picocolors'
import { escapeForLine } from '../../base/escape.ts'
import { columnsOf, cutToColumns } from '../../base/width.ts'
import type { Share, Spread, Stats } from '../../session/stats.ts'
import { durationText, sizeText } from '../../view/words.ts'
import { type Chart, chartLines, count, percent, shortCount, wrapWords } from '../terminal/charts.ts'
import { outputWidth } from '../terminal/paint-style.ts'
import { timeText } from './event-text.ts'

const mostRows = 12

export function* statsLines(stats: Stats, timezone: string | undefined): Generator<string> {
  const columns = outputWidth()
  const day = (at: string | null) => timeText(at, timezone).slice(0, 10)
  yield* wrapped(
    [
      pc.bold(plural(stats.sessions, 'session')),
      sizeText(stats.bytes),
      plural(stats.events, 'event'),
      plural(stats.turns.count, 'turn'),
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

function plural(value: number, word: string): string {
  return `${count(value)} ${word}${value === 1 ? '' : 's'}`
}

/** Parts with dots between, broken into lines where they do not fit. */
function* wrapped(parts: readonly string[], columns: number): Generator<string> {
  let line = ''
  for (const part of parts) {
    const longer = line === '' ? part : `${line} · ${part}`
    if (line !== '' && visible(longer) > columns) {
      yield line
      line = part
    } else line = longer
  }
  if (line !== '') yield line
}

/** Columns without the colours that are in the text. */
function visible(text: string): number {
  return columnsOf(text.replace(/\u001b\[\d+m/g, ''))
}

function* spreadTable(stats: Stats, columns: number): Generator<string> {
  const rows: [label: string, spread: Spread, show: (value: number) => string][] = [
    ['size of a session', stats.sessionBytes, sizeText],
    ['events', stats.sessionEvents, count],
    ['messages', stats.sessionMessages, count],
    ['from first to last', stats.sessionMs, durationText],
    ['turns', stats.turns.perSession, count],
    ['longest parent chain', stats.chain.depth, count],
    ['compactions', stats.compactions.perSession, oneDecimal],
    ['compactions, long ones', stats.compactions.perLongSession, oneDecimal],
    ['time of a turn', stats.turns.durationMs, durationText],
    ['calls of a turn', stats.turns.calls, count],
    ['exchanges of a delegation', stats.delegations.exchanges, count],
    ['calls of a delegation', stats.delegations.calls, count],
  ]
  const present = rows.filter(([, spread]) => spread.count > 0)
  const isOne = stats.sessions === 1
  const heads = isOne ? ['middle', 'most'] : ['least', 'middle', '90 %', 'most', 'mean']
  const cellsOf = ({ min, p50, p90, max, mean }: Spread) => (isOne ? [p50, max] : [min, p50, p90, max, mean])
  const widthOf = (i: number) =>
    Math.max((heads[i] ?? '').length, ...present.map(([, spread, show]) => show(cellsOf(spread)[i] ?? 0).length))
  const label = Math.min(26, Math.floor(columns * 0.45))
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
  return Number.isInteger(value) ? count(value) : value.toFixed(2)
}

function charts(stats: Stats): Chart[] {
  return [
    {
      title: 'Tools',
      heads: ['calls', 'failed', 'middle', 'in all', 'output'],
      rows: stats.tools.map(tool => ({
        label: escapeForLine(tool.name),
        value: tool.calls,
        cells: [
          count(tool.calls),
          tool.failed === 0 ? '' : count(tool.failed),
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
        cells: [count(calls), failed === 0 ? '' : count(failed), count(tools), sizeText(resultBytes)],
      })),
    },
    {
      title: 'Files',
      heads: ['edits', 'writes', 'reads'],
      rows: stats.files.map(({ path, reads, writes, edits }) => ({
        label: shortPath(path),
        value: reads + writes + edits,
        cells: [edits, writes, reads].map(times => (times === 0 ? '' : count(times))),
      })),
    },
    ...tokenCharts(stats),
    {
      title: 'Record types',
      heads: ['records', 'share'],
      rows: Object.entries(stats.types).map(([type, records]) => ({
        label: escapeForLine(type),
        value: records,
        cells: [count(records), percent(records / stats.events)],
      })),
    },
    {
      title: 'Event kinds',
      heads: ['events'],
      rows: Object.entries(stats.kinds).map(([kind, events]) => ({
        label: kind,
        value: events,
        cells: [count(events)],
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
          count(messages),
          shortCount(usage.inputTokens),
          `${usage.outputFinal ? '' : '≥ '}${shortCount(usage.outputTokens)}`,
          shortCount(usage.cacheCreationTokens),
          shortCount(usage.cacheReadTokens),
        ],
      })),
    },
    {
      title: 'Client versions',
      heads: ['records', 'sessions', 'most frequent'],
      rows: stats.versions.map(({ version, sessions, records, types }) => ({
        label: escapeForLine(version),
        value: records,
        cells: [count(records), count(sessions), frequentTypes(types)],
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
    ['orphans', `${shareText(orphans.all)} records name a parent that is not there`],
  ]
  if (orphans.inCompacted.sessions > 0)
    rows.push([
      '  if compacted',
      `${shareText(orphans.inCompacted)}, in ${plural(orphans.inCompacted.sessions, 'session')}`,
    ])
  if (orphans.all.count > 0) {
    rows.push(['  of them', `${shareText(orphans.withLogicalParent)} keep a logical parent`])
    rows.push(['', `${shareText(orphans.afterCompaction)} directly follow a compaction`])
    rows.push(['', `${shareText(orphans.inSubagents)} are in subagents`])
  }
  rows.push(['parent', `is the record before in ${shareText(order.parentIsPrevious)}`])
  rows.push(['time', `runs backward at ${shareText(order.backwardTimestamps)} steps of the file`])
  rows.push(['results', `${count(results.text)} as text, ${count(results.blocks)} as blocks`])
  rows.push([
    'tokens',
    `${count(tokens.inputTokens)} in, ${count(tokens.outputTokens)} out, ${count(tokens.cacheCreationTokens)} cache write, ${count(tokens.cacheReadTokens)} cache read, each of ${plural(tokens.messages, 'answer')} once`,
  ])
  if (tokens.messagesWithPartialOutput > 0)
    rows.push([
      '',
      `output is a lower bound: ${plural(tokens.messagesWithPartialOutput, 'answer')} logged a placeholder only`,
    ])
  const label = Math.max(...rows.map(([name]) => name.length)) + 2
  for (const [name, text] of rows) {
    const lines = wrapWords(text, columns - label)
    for (const [i, line] of lines.entries()) yield `${(i === 0 ? name : '').padEnd(label)}${line}`
  }
}

function shareText({ count: some, of, share }: Share): string {
  return `${count(some)} of ${count(of)} (${percent(share)})`
}

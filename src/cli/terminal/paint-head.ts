// What stands above and below a session's items: what it is, and what there is to know once all of it was read.

import { type Clock, periodText, tokensText } from '../../render/words.ts'
import type { SessionDetail } from '../../schema/contract-shapes.ts'
import { countOf } from '../../view/words.ts'
import type { ListRow } from '../list/list-row.ts'
import { lineageNotSearched } from '../session/show-detail.ts'
import type { Paint } from './paint-style.ts'
import { cutLine, type Line, own, render, type SafeText, safeLine, wrapLine } from './paint-text.ts'

/** Facts from the ends of the session's files: what can be said before anything else is read. */
export interface HeadFacts {
  row: ListRow
  versions: string[]
  /** Set where only a part is shown: `turn 3`. */
  part?: string
  /** Where its bytes are, if not simply on disk. */
  notes: string[]
}

export function headLines({ row, versions, part, notes }: HeadFacts, clock: Clock, paint: Paint): string[] {
  const { colors } = paint
  const when = periodText(row.startedAt, row.endedAt, clock)
  const facts: Line = joined(
    [
      own(plainDash(when, paint)),
      safeLine(row.cwd ?? row.session.slug),
      row.gitBranch === undefined ? own('') : own(`branch ${safeLine(row.gitBranch)}`),
      versions.length === 0 ? own('') : own(`client ${safeLine(versions.join(', '))}`),
    ],
    paint,
  )
  const title: Line = [{ text: safeLine(row.title.trim()), style: colors.bold }]
  if (part !== undefined) title.push({ text: own(` ${paint.glyphs.dot} ${safeLine(part)}`), style: colors.yellow })
  const lines = [
    ...wrapLine(title, paint.width),
    ...wrapLine([{ text: safeLine(row.session.id), style: colors.dim }], paint.width),
    ...wrapLine(facts, paint.width),
    ...notes.flatMap(note => wrapLine([{ text: safeLine(note), style: colors.yellow }], paint.width)),
    [],
  ]
  return lines.map(line => rendered(line, paint))
}

/** Sums, models, kin and findings; a title that only the middle of the file knows. */
export function footLines(detail: SessionDetail, headTitle: string, paint: Paint): string[] {
  const { colors, glyphs } = paint
  const rows: [string, string][] = [['holds', holdsText(detail)]]
  if (detail.title !== headTitle) rows.push(['title', detail.title])
  if (detail.models.length > 0) rows.push(['models', detail.models.join(', ')])
  if (detail.versions.length > 1) rows.push(['client', detail.versions.join(', ')])
  rows.push(['tokens', tokensText(detail.usage)])
  for (const { relation, session, how } of detail.lineage) rows.push(['lineage', `${relation} ${session} (${how})`])
  const unsearched = detail.diagnostics.find(finding => finding.code === lineageNotSearched)
  if (unsearched) rows.push(['lineage', unsearched.message])
  const findings = detail.diagnostics.length - (unsearched ? 1 : 0)
  if (findings > 0) rows.push(['noticed', `${countOf(findings, 'thing')}; clew check lists them`])
  const names = Math.max(...rows.map(([name]) => name.length))
  const lines: Line[] = [[], [{ text: own(glyphs.line.repeat(Math.min(24, paint.width))), style: colors.dim }]]
  for (const [name, value] of rows) {
    wrapLine([{ text: safeLine(plainDash(value, paint)) }], paint.width - names - 2).forEach((line, index) => {
      lines.push([{ text: own((index === 0 ? name : '').padEnd(names + 2)), style: colors.dim }, ...line])
    })
  }
  return lines.map(line => rendered(line, paint))
}

function holdsText(detail: SessionDetail): string {
  const failed = detail.toolCalls.filter(call => call.status === 'failed').length
  const subagents = detail.threads.filter(thread => thread.kind === 'subagent').length
  const parts = [
    countOf(detail.turns.length, 'turn'),
    `${countOf(detail.toolCalls.length, 'call')}${failed > 0 ? ` (${failed} failed)` : ''}`,
  ]
  if (subagents > 0) parts.push(countOf(subagents, 'subagent'))
  if (detail.compactions.length > 0) parts.push(countOf(detail.compactions.length, 'compaction'))
  if (detail.branches.length > 1) parts.push(countOf(detail.branches.length, 'branch', 'branches'))
  return parts.join(', ')
}

function joined(texts: readonly SafeText[], { glyphs, colors }: Paint): Line {
  const known = texts.filter(text => text !== '')
  return known.flatMap((text, index) => {
    const dot = { text: own(` ${glyphs.dot} `), style: colors.dim }
    return index === 0 ? [{ text }] : [dot, { text }]
  })
}

/** Dashes and signs of our own words, where the terminal has only ASCII. */
function plainDash(text: string, { glyphs }: Paint): string {
  return glyphs.dash === '-' ? text.replaceAll('–', '-').replaceAll('≥', '>=') : text
}

function rendered(line: Line, paint: Paint): string {
  return render(cutLine(line, paint.width, paint.glyphs.ellipsis))
}

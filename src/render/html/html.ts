// A session as one HTML file that opens anywhere: head, index of turns, items. No script, nothing loaded from elsewhere.

import type { ViewItem } from '../../view/view.ts'
import { countOf } from '../../view/words.ts'
import { joinPieces, type Piece } from '../pieces.ts'
import {
  clockFor,
  countItems,
  gistOf,
  hueOf,
  isFailure,
  periodText,
  type Section,
  type SessionHead,
  sectionsOf,
  spentText,
  withInheritedText,
} from '../words.ts'
import { Anchors, escapeHtml, escapeHtmlLine } from './escape.ts'
import { type HtmlOptions, itemsPieces, type Page } from './items.ts'
import { styleSheet } from './style.ts'

export type { HtmlOptions } from './items.ts'

const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

const logo =
  '<svg width="22" height="22" viewBox="0 0 20 20" aria-hidden="true"><circle cx="9" cy="9" r="6.5"></circle><path d="M3.500 7c4-3 8-2.500 11 1M3 10.500c4-3 8.500-2 11.500 1M5 13.500c2.500-1.800 5.500-1.800 8 0M13.800 13.600c1.600 1.600 2.800 2.400 4.700 3.400"></path></svg>'

/** The chunks of an HTML document. */
export function sessionToHtml(
  items: readonly ViewItem[],
  head: SessionHead,
  options: HtmlOptions = {},
): Iterable<string> {
  const page: Page = { options, clock: clockFor(options.timezone), anchors: new Anchors(), hues: new Map() }
  return joinPieces(documentPieces(items, head, page))
}

function* documentPieces(items: readonly ViewItem[], head: SessionHead, page: Page): Generator<Piece> {
  const sections = sectionsOf(items)
  const title = escapeHtmlLine(head.title) || 'Session'
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="clew">
<title>${title}</title>
<style>${styleSheet}</style>
</head>
<body>
<a class="skip" href="#session">Skip the index</a>
<header class="top"><span class="logo">${logo}Clew</span><span class="crumb">${crumbHtml(head)}<b dir="auto">${title}</b></span></header>
<div class="page">
`
  yield indexPieces(sections, page)
  yield '<main id="session">\n'
  yield headHtml(items, head, sections, page)
  for (const section of sections) yield sectionPieces(section, sections[section.number - 2], page)
  if (items.length === 0) yield '<p class="cut">This session has nothing to show.</p>\n'
  yield '<p class="end-of-thread">end of the log</p>\n</main>\n</div>\n</body>\n</html>\n'
}

function crumbHtml({ projectName }: SessionHead): string {
  return projectName === undefined ? '' : `${escapeHtmlLine(projectName)} / `
}

function headHtml(items: readonly ViewItem[], head: SessionHead, sections: readonly Section[], page: Page): string {
  const counts = countItems(items, sections)
  const holds = [countOf(counts.calls, 'call')]
  if (counts.turns > 0) holds.unshift(countOf(counts.turns, 'turn'))
  if (counts.subagents > 0) holds.push(countOf(counts.subagents, 'subagent'))
  if (counts.compactions > 0) holds.push(countOf(counts.compactions, 'compaction'))
  const failed = counts.failed === 0 ? '' : ` · <span class="tone-bad">✗ ${counts.failed} failed</span>`
  const facts: [name: string, values: string[]][] = [
    ['When', [periodText(head.startedAt, head.endedAt, page.clock)]],
    ['Project', [head.project ?? '']],
    ['Models', head.models],
    [
      'Tokens',
      [
        head.tokens === undefined ? '' : spentText(head.tokens),
        head.withInherited === undefined ? '' : withInheritedText(head.withInherited),
      ],
    ],
    ['Version', head.versions],
    ['Session', [head.id]],
    [head.files.length === 1 ? 'File' : 'Files', head.files],
  ]
  const rows = facts
    .map(([name, values]): [string, string[]] => [name, values.filter(value => value !== '')])
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => `<div><dt>${name}</dt><dd dir="auto">${valuesHtml(values)}</dd></div>`)
  const notes = (head.notes ?? []).map(note => `<p class="headnote" dir="auto">${escapeHtml(note)}</p>`)
  return `<div class="title"><h1 dir="auto">${escapeHtmlLine(head.title) || 'Session'}</h1>
<p class="holds">${holds.join(' · ')}${failed}</p>
<details class="about"><summary>About this session</summary><dl class="facts">${rows.join('')}</dl></details>
${notes.join('')}</div>
`
}

function valuesHtml(values: readonly string[]): string {
  return values.map(value => `<span class="value">${escapeHtmlLine(value)}</span>`).join('<br>')
}

function* sectionPieces(section: Section, before: Section | undefined, page: Page): Generator<Piece> {
  const at = page.clock.read(section.items[0]?.at ?? null)
  const last = page.clock.read(before?.items[0]?.at ?? null)
  if (at !== null && at.date !== last?.date) {
    yield `<p class="daymark"><time datetime="${at.date}">${at.date}</time></p>\n`
  }
  const name = section.turn === undefined ? 'Before the first prompt' : `Turn ${section.turn}`
  yield `<section class="turn${section.turn === undefined ? ' before' : ''}" id="t-${section.number}" aria-label="${name}">\n`
  yield itemsPieces(section.items, page, 0)
  yield '</section>\n'
}

const mostTicks = 36
const gistLength = 140

function* indexPieces(sections: readonly Section[], page: Page): Generator<Piece> {
  const turns = sections.filter(section => section.turn !== undefined).length
  yield `<nav class="index" aria-label="Turns"><details open><summary>${turns === 0 ? 'Index' : countOf(turns, 'turn')}</summary><ol>\n`
  let day = ''
  for (const section of sections) {
    const at = page.clock.read(section.items[0]?.at ?? null)
    if (at !== null && at.date !== day) {
      day = at.date
      yield `<li class="day">${escapeHtmlLine(day)}</li>\n`
    }
    const time = at === null ? '' : `<time datetime="${at.iso}">${at.time}</time>`
    yield `<li${section.turn === undefined ? ' class="before"' : ''}><a href="#t-${section.number}"><span class="w" dir="auto">${gistHtml(section)}</span>${time}${ticksHtml(section.items)}</a></li>\n`
  }
  yield '</ol></details></nav>\n'
}

function gistHtml(section: Section): string {
  if (section.prompt === undefined)
    return section.turn === undefined ? 'Before the first prompt' : `Turn ${section.turn}`
  const gist = [...gistOf(section.prompt).slice(0, 2 * gistLength)].slice(0, gistLength).join('')
  return escapeHtmlLine(gist) || `Turn ${section.turn ?? ''}`
}

function ticksHtml(items: readonly ViewItem[]): string {
  const marks: string[] = []
  for (const item of items) {
    if (item.kind === 'compaction') marks.push('<i class="cutmark"></i>')
    else if (item.body.some(part => part.type === 'thread')) marks.push('<i class="loop k-agent"></i>')
    else if (item.kind === 'call' || item.kind === 'error') {
      marks.push(`<i class="k-${hueOf(item)}${isFailure(item) ? ' failed' : ''}"></i>`)
    }
  }
  if (marks.length === 0) return ''
  const more = marks.length > mostTicks ? `<span class="more">+${marks.length - mostTicks}</span>` : ''
  return `<span class="ticks" aria-hidden="true">${marks.slice(0, mostTicks).join('')}${more}</span>`
}

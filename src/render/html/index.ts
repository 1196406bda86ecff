// The index beside a page: a line per turn with a tick per call, so that the shape of a session is seen at a glance.

import type { ViewItem } from '../../view/view.ts'
import { countOf } from '../../view/words.ts'
import type { Piece } from '../pieces.ts'
import { gistOf, type Section } from '../sections.ts'
import { hueOf, isFailure } from '../words.ts'
import { escapeHtmlLine } from './escape.ts'
import type { Page } from './items.ts'

const mostTicks = 36
const gistLength = 140

export function* indexPieces(sections: readonly Section[], page: Page): Generator<Piece> {
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

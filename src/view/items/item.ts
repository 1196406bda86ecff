// The beginnings of every item: who, when, where, and the marks that any event may carry.

import { hasFlag, type SessionEvent } from '../../model/event.ts'
import { badge } from '../parts.ts'
import type { Tone, ViewItem, ViewKind } from '../view.ts'

export function newItem(event: SessionEvent, kind: ViewKind, headline: string): ViewItem {
  return {
    id: event.id,
    kind,
    actor: event.actor,
    thread: event.thread,
    at: event.at,
    headline,
    badges: [],
    body: [],
    isQuiet: false,
  }
}

export function quietItem(event: SessionEvent, kind: ViewKind, headline: string): ViewItem {
  return { ...newItem(event, kind, headline), isQuiet: true }
}

/** Kinds that say themselves how they ended. */
const ownWords: ReadonlySet<ViewKind> = new Set<ViewKind>(['call', 'result', 'error', 'hook'])

/** Marks what was softly deleted, aborted or stated to be an error, once. */
export function withMarks(item: ViewItem, event: SessionEvent): ViewItem {
  if (hasFlag(event, 'error') && !ownWords.has(item.kind) && event.kind !== 'tool-results')
    addBadge(item, 'error', 'bad')
  if (hasFlag(event, 'deleted')) {
    item.isRemoved = true
    addBadge(item, 'removed')
  }
  if (hasFlag(event, 'aborted')) {
    item.isAborted = true
    if (item.status !== 'interrupted') addBadge(item, 'aborted')
  }
  return item
}

function addBadge(item: ViewItem, text: string, tone: Tone = 'warn'): void {
  if (!item.badges.some(known => known.text === text)) item.badges.push(badge(text, tone))
}

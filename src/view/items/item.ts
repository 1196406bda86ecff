// The beginnings of every item: who, when, where, and the marks that any event may carry.

import { hasFlag, type SessionEvent } from '../../model/event.ts'
import { badge } from '../parts.ts'
import type { ViewItem, ViewKind } from '../view.ts'

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

/** Marks what was softly deleted or aborted, once. */
export function withMarks(item: ViewItem, event: SessionEvent): ViewItem {
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

function addBadge(item: ViewItem, text: string): void {
  if (!item.badges.some(known => known.text === text)) item.badges.push(badge(text, 'warn'))
}

// Compactions: the border between two context windows, the summary that replaced what was before it, and what was kept.

import { detailFields } from '../../model/detail.ts'
import type { EventOf, SessionEvent } from '../../model/event.ts'
import type { Compaction } from '../../model/session.ts'
import { badge, factsPart, fieldParts, markdownParts, partsAfterText, textOf } from '../parts.ts'
import { foldedFacts } from '../record-facts.ts'
import type { ViewItem } from '../view.ts'
import { countOf, countText, wordsOf } from '../words.ts'
import { newItem, quietItem } from './item.ts'

/** `window`: number of the window that begins here, counted from 1. */
export function viewCompaction(event: SessionEvent, compaction: Compaction, window: number | undefined): ViewItem {
  const item = newItem(event, 'compaction', `Compaction  ${sizes(compaction)}`.trimEnd())
  item.actor = 'client'
  if (window !== undefined) item.badges.push(badge(`window ${window}`))
  const kept = compaction.preservedMessages ?? compaction.preservedEvents?.length
  item.body = factsPart([
    ['kept', kept === undefined ? undefined : countOf(kept, 'message')],
    ['of', compaction.totalMessages === undefined ? undefined : countOf(compaction.totalMessages, 'message')],
  ])
  const rest = Object.entries(detailFields(event)).filter(([name]) => !shownOfCompaction.has(name))
  item.body.push(...foldedFacts(rest.map(([name, value]) => [wordsOf(name), value])))
  return item
}

const shownOfCompaction: ReadonlySet<string> = new Set(
  'trigger preTokens postTokens preservedMessages totalMessages phase subtype preserved'.split(' '),
)

/** `auto, 167,710 tokens → 21,000`. */
function sizes({ trigger, preTokens, postTokens }: Compaction): string {
  const before = preTokens === undefined ? '' : `${countText(preTokens)} tokens`
  const after = postTokens === undefined ? '' : ` → ${countText(postTokens)}`
  return [trigger ?? '', `${before}${after}`].filter(word => word !== '').join(', ')
}

/** Steps that are not a border: the beginning, the end of a restore, and old tool output cleared away. */
export function viewCompactionStep(event: EventOf<'compaction'>): ViewItem {
  const { phase = '' } = event.detail ?? {}
  if (phase === 'micro') return microcompaction(event)
  const titles: Readonly<Record<string, string>> = { start: 'Compaction begins', restored: 'Conversation restored' }
  const title = (Object.hasOwn(titles, phase) ? titles[phase] : undefined) ?? 'Compaction'
  const item = quietItem(event, 'notice', title)
  item.body = fieldParts(detailFields(event), ['phase', 'preserved'])
  return item
}

function microcompaction(event: EventOf<'compaction'>): ViewItem {
  const saved = event.detail?.tokensSaved
  const words = saved === undefined ? '' : `${countText(saved)} tokens saved`
  const item = quietItem(event, 'notice', `Old tool output cleared  ${words}`.trimEnd())
  item.body = fieldParts(detailFields(event), ['phase', 'tokensSaved', 'compactedToolIds', 'clearedAttachmentUUIDs'])
  return item
}

/** The summary, or what a compaction carries over: 000 writes that as records of their own. */
export function viewSummary(event: SessionEvent): ViewItem {
  const title = event.kind === 'preserved' ? 'Preserved by the compaction' : 'Summary of what came before'
  const item = quietItem(event, 'summary', title)
  item.body = [...markdownParts(textOf(event.blocks)), ...partsAfterText(event.blocks)]
  return item
}

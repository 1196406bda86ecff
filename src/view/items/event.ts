// Which item an event becomes, for all kinds that are alone. Answers, results, commands, links and progress depend
// on their neighbours and are put together by `thread.ts`.

import type { EventOf, SessionEvent } from '../../model/event.ts'
import { badge, factsPart, textOf } from '../parts.ts'
import type { ViewPlan } from '../plan.ts'
import type { ViewItem } from '../view.ts'
import { viewApiError, viewHook, viewInterruption, viewMeta, viewNotice, viewNotification } from './client.ts'
import { viewCompactionStep, viewSummary } from './compaction.ts'
import { quietItem } from './item.ts'
import { viewCommandOutput, viewDelegation, viewPrompt } from './message.ts'
import { viewAttachment, viewDamage, viewSnapshot, viewUnknown } from './side.ts'

/** `prompt`: what the call that started the thread says; a delegation that repeats it does not say it again. */
export function viewEvent(event: SessionEvent, plan: ViewPlan, prompt: string | undefined): ViewItem[] {
  if (event.kind === 'delegation') return [delegation(event, prompt)]
  return event.kind === 'queue' ? queued(event, plan) : viewAlone(event)
}

/** The items of an event of which nothing else is known. */
export function viewAlone(event: SessionEvent): ViewItem[] {
  switch (event.kind) {
    case 'prompt':
    case 'history':
      return [viewPrompt(event)]
    case 'delegation':
      return [viewDelegation(event)]
    case 'command-output':
      return [viewCommandOutput(event)]
    case 'notification':
      return [viewNotification(event)]
    case 'interruption':
      return [viewInterruption(event)]
    case 'api-error':
      return [viewApiError(event)]
    case 'compaction':
      return [viewCompactionStep(event)]
    case 'compact-summary':
    case 'preserved':
      return [viewSummary(event)]
    case 'hook':
      return [viewHook(event)]
    case 'notice':
      return [viewNotice(event)]
    case 'meta':
      return [viewMeta(event)]
    case 'attachment':
      return [viewAttachment(event)]
    case 'snapshot':
      return viewSnapshot(event)
    case 'malformed':
      return [viewDamage(event)]
    case 'title':
    case 'state':
      // Last-wins lines are written again and again: they say how things are, not that something happened.
      return []
    default:
      return [viewUnknown(event)]
  }
}

function delegation(event: SessionEvent, prompt: string | undefined): ViewItem {
  if (prompt === undefined || textOf(event.blocks).trim() !== prompt.trim()) return viewDelegation(event)
  return { ...quietItem(event, 'delegation', 'Prompt to the subagent'), badges: [badge('as in the call')] }
}

/** What was queued and never written as a record of its own: a prompt, a notification, a task in the background. */
function queued(event: EventOf<'queue'>, plan: ViewPlan): ViewItem[] {
  const { operation, task, notification } = event.detail ?? {}
  const text = textOf(event.blocks)
  // What began a turn is shown, even where the same words were also said another time.
  const isElsewhere = !plan.turnOf.has(event.id) && plan.isSaid(text)
  if (operation !== 'enqueue' || text === '' || isElsewhere) return []
  if (task) {
    const item = quietItem(event, 'notification', `Task queued  ${task.description ?? ''}`.trimEnd())
    item.body = factsPart([
      ['task', task.id],
      ['type', task.type],
    ])
    return [item]
  }
  if (notification !== undefined) return [viewNotification(event)]
  return [{ ...viewPrompt(event), actor: 'human' }]
}

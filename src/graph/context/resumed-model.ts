// The model that continues the session, and whose thinking it gets. Which models there are is in reference.ts.

import { asObject } from '../../base/json.ts'
import { dropEmptyAnswers } from './broken-off.ts'
import type { Chain } from './links.ts'
import type { Part } from './part.ts'
import { isSameModel, resumedModel } from './reference.ts'

/** The model of the last answer that says something, if it is still offered. */
export function modelThatContinues(parts: readonly Part[]): string {
  const answers = dropEmptyAnswers(parts).filter(({ slot, event, isError }) => slot === 'answer' && event && !isError)
  return resumedModel(answers.at(-1)?.event?.message?.model)
}

/** A model gets no thinking of another one; a line of nothing else is dropped. */
export function dropForeignThinking(parts: readonly Part[], model: string): Part[] {
  return parts.flatMap(part => {
    if (part.slot !== 'answer' || isSameModel(part.event?.message?.model, model)) return [part]
    const blocks = part.blocks.filter(({ type }) => type !== 'thinking')
    return part.blocks.length > 0 && blocks.length === 0 ? [] : [{ ...part, blocks }]
  })
}

/**
 * Whether reminders of the user become a part of the result before them. A session that says that they do not (2.1.325 on) is
 * taken at its word; those of the system do for models that take no messages of the system.
 */
export function foldsReminders({ links }: Chain): boolean {
  const snapshots = links.map(({ event }) => asObject(event.record.value?.['attachment']))
  const last = snapshots.findLast(attachment => attachment?.['type'] === 'prompt_snapshot')
  return last?.['reminderFold'] !== false
}

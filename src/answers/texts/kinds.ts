// `--kind`, for every command that takes it: what texts are called, in hits and in events. What the names mean is in
// src/session/text-kinds.ts.

import { nearestOf } from '../../base/edit-steps.ts'
import type { SessionEvent } from '../../model/event.ts'
import { fieldOfBlock } from '../../session/event-texts.ts'
import { type TextKind, textKindNamed, textKindOf, textKinds } from '../../session/text-kinds.ts'
import { UserError } from '../error.ts'

/** The kinds that were named, each once; several may be in one word, with commas. Empty where none was. */
export function readKinds(value: unknown): TextKind[] {
  const given = Array.isArray(value) ? value : value === undefined ? [] : [value]
  const words = given.flatMap(word => String(word).split(',')).map(word => word.trim())
  return [...new Set(words.map(kindOf))]
}

function kindOf(word: string): TextKind {
  const kind = textKindNamed(word)
  if (kind !== undefined) return kind
  const meant = nearestOf(word, textKinds)
  const near = meant === undefined ? '' : `did you mean ${meant}? `
  throw new UserError(`--kind ${word}: there is no kind "${word}"; ${near}it is one of ${textKinds.join(', ')}`)
}

/** What the parts of an event are called; an event without any as it would be with a text. */
export function kindsOfEvent(event: Pick<SessionEvent, 'kind' | 'blocks'>): Set<TextKind> {
  const kinds = event.blocks.map(block => textKindOf(event.kind, fieldOfBlock(block, event)))
  return new Set(kinds.length === 0 ? [textKindOf(event.kind, 'text')] : kinds)
}

// What a text is called wherever one is found: in hits of `search`, `grep` and the web app, and in `kind:` and `--kind`. The one
// table of these names. What an event as a whole is called is in the model (`eventKinds`).

import { nearestOf } from '../base/edit-steps.ts'
import { type EventKind, eventKinds } from '../model/event.ts'

/** What a text is to a reader; the index keeps its place in this list. `status`: what Claude Code writes again and again. */
export const textFields = ['text', 'thinking', 'input', 'output', 'title', 'other', 'status'] as const
/** What a text is to a reader. */
export type TextField = (typeof textFields)[number]

/** Texts that have a name of their own, whatever event they are in. */
const namedFields = { thinking: 'thinking', input: 'call', output: 'result' } as const

/** What a text is called: the kind of its event, but for thinking, calls of tools and their results. */
export type TextKind = Exclude<EventKind, 'tool-results'> | (typeof namedFields)[keyof typeof namedFields]

/** All names, the most frequent first. Snapshots and lines that are not JSON have no text. */
export const textKinds: readonly TextKind[] = [
  'prompt',
  'answer',
  'thinking',
  'call',
  'result',
  ...eventKinds.flatMap(kind => (isListed(kind) ? [kind] : [])),
]

function isListed(kind: EventKind): kind is Exclude<EventKind, 'tool-results'> {
  return !['prompt', 'answer', 'tool-results', 'snapshot', 'malformed'].includes(kind)
}

/** What a text of an event of this kind is called. */
export function textKindOf(kind: EventKind, field: TextField): TextKind {
  if (field === 'thinking' || field === 'input' || field === 'output') return namedFields[field]
  return kind === 'tool-results' ? 'result' : kind
}

/** The texts that a name means, as rows of the index know them. */
export interface TextsMeant {
  /** Texts of this field, whatever event they are in. */
  field?: TextField
  /** Texts of events of this kind that have no name of their own. */
  kind?: EventKind
}

/** Which texts are called so; the opposite of `textKindOf`. */
export function textsCalled(name: TextKind): TextsMeant {
  if (name === 'thinking') return { field: 'thinking' }
  if (name === 'call') return { field: 'input' }
  if (name === 'result') return { field: 'output', kind: 'tool-results' }
  return { kind: name }
}

/** Fields whose texts are not called by the kind of their event. */
export const ownFields = Object.keys(namedFields) as (keyof typeof namedFields)[]

/** Other words for some: of the model, of older versions, of people. */
const otherNames: Readonly<Record<string, TextKind>> = {
  'tool-result': 'result',
  'tool-call': 'call',
  'tool-use': 'call',
  output: 'result',
  input: 'call',
  summary: 'compact-summary',
  error: 'api-error',
}

/** The kind that was typed, in any case, with or without the s of the plural; undefined where there is none. */
export function textKindNamed(written: string): TextKind | undefined {
  const word = singular(written)
  return textKinds.find(kind => singular(kind) === word) ?? otherNames[word]
}

function singular(word: string): string {
  return word.trim().toLowerCase().replace(/s$/, '')
}

const mostNamed = 40

/** What to write instead of a word that is not known: the one that was probably meant, else what there is. */
export function otherWords(word: string, known: readonly string[], prefix = ''): { hint: string; meant?: string } {
  const meant = nearestOf(word, known)
  if (meant !== undefined) return { hint: `did you mean ${prefix}${meant}?`, meant }
  const more = known.length > mostNamed ? ` and ${known.length - mostNamed} more` : ''
  return { hint: known.length === 0 ? 'there are none' : `it is one of ${known.slice(0, mostNamed).join(', ')}${more}` }
}

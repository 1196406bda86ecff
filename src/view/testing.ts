// Small invented sessions for tests of what is shown. Not part of the library.

import { Sketch, type Wire } from '../graph/testing.ts'
import type { SessionGraph } from '../model/session.ts'
import { viewSession } from './thread.ts'
import type { ViewItem, ViewPart } from './view.ts'

/** A result's record besides its content: `toolUseResult`, `is_error`. */
export interface Outcome {
  content?: unknown
  structured?: unknown
  isError?: boolean
}

/** A session with one prompt and one call; without an outcome the call has no result. */
export function callSketch(name: string, input: unknown, outcome?: Outcome): Sketch {
  const sketch = new Sketch().user('u1', null, 'Go').call('a1', 'u1', 'c1', name, input as Wire)
  if (outcome === undefined) return sketch
  const { content = 'ok', structured, isError } = outcome
  return sketch.result('r1', 'a1', 'c1', content, {
    ...(structured === undefined ? {} : { toolUseResult: structured }),
    ...(isError === undefined ? {} : { is_error: isError }),
  })
}

export function viewCallOf(name: string, input: unknown, outcome?: Outcome): ViewItem {
  const item = viewSession(callSketch(name, input, outcome).graph()).find(found => found.kind === 'call')
  if (item === undefined) throw new Error(`no call ${name}`)
  return item
}

export function itemsOf(graph: SessionGraph, kind?: ViewItem['kind']): ViewItem[] {
  return viewSession(graph).filter(item => kind === undefined || item.kind === kind)
}

export function badgeTexts(item: ViewItem | undefined): string[] {
  return (item?.badges ?? []).map(badge => badge.text)
}

/** Parts of one type. */
export function partsOf<Type extends ViewPart['type']>(
  item: ViewItem | undefined,
  type: Type,
): Extract<ViewPart, { type: Type }>[] {
  return (item?.body ?? []).filter((part): part is Extract<ViewPart, { type: Type }> => part.type === type)
}

/** Every text of an item's body, one per line: for looking what is there at all, and how often. */
export function allText(item: ViewItem | undefined): string {
  return (item?.body ?? []).map(partText).join('\n')
}

function partText(part: ViewPart): string {
  switch (part.type) {
    case 'facts':
      return part.facts.map(({ name, value }) => `${name}: ${value}`).join('\n')
    case 'checklist':
      return part.items.map(({ text, state }) => `${state} ${text}`).join('\n')
    case 'diff':
      return part.hunks.flatMap(hunk => hunk.lines.map(({ sign, text }) => `${sign}${text}`)).join('\n')
    case 'media':
      return `${part.media} ${part.mediaType} ${part.bytes}`
    case 'thread':
    case 'branch':
      return part.items.map(item => `${item.headline}\n${allText(item)}`).join('\n')
    default:
      return part.text
  }
}

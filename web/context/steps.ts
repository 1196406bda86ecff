// The answers of a session as steps, and what fills the context at one of them.

import { countText } from '../../src/base/format.ts'
import type { ContextAt, Outline, SessionHead } from '../../src/view/reading.ts'

export interface Step {
  slot: number
  event: string
  tokens: number
  turn: number
  at: number | null
  /** The context was made smaller between the answer before and this one. */
  isAfterCompaction: boolean
}

/** Answers of the current path; those of an abandoned one had another window. */
export function stepsOf(outline: Outline, compactions: SessionHead['compactions']): Step[] {
  const cut = new Set(compactions.filter(({ thread }) => thread === outline.thread).map(({ event }) => event))
  const steps: Step[] = []
  let isCut = false
  outline.ids.forEach((event, slot) => {
    isCut ||= cut.has(event)
    const tokens = outline.context[slot]
    if (tokens === undefined || outline.branches[slot] !== undefined) return
    const { [slot]: turn = -1 } = outline.turns
    steps.push({ slot, event, tokens, turn, at: outline.at[slot] ?? null, isAfterCompaction: isCut })
    isCut = false
  })
  return steps
}

/** The last step that is not after a slot; the first one where all are. */
export function stepAtSlot(steps: readonly Step[], slot: number): number {
  let from = 0
  let to = steps.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((steps[middle] as Step).slot <= slot) from = middle + 1
    else to = middle
  }
  return Math.max(0, from - 1)
}

/** The first step of the turn after or before that of step `at`. */
export function stepOfTurn(steps: readonly Step[], at: number, direction: 1 | -1): number {
  const turn = steps[at]?.turn
  if (direction > 0) {
    const next = steps.findIndex((step, place) => place > at && step.turn !== turn)
    return next < 0 ? steps.length - 1 : next
  }
  const isFirst = at === 0 || steps[at - 1]?.turn !== turn
  const wanted = isFirst ? steps[at - 1]?.turn : turn
  const found = steps.findIndex(step => step.turn === wanted)
  return Math.max(0, found)
}

/** The prompt that a step answers. */
export function promptOf(outline: Outline, step: Step): string | undefined {
  for (let slot = step.slot; slot >= 0; slot--) {
    const prompt = outline.prompts[slot]
    if (prompt !== undefined) return prompt
  }
  return undefined
}

/** What a turn did to the context. */
export interface TurnContext {
  prompt: string
  /** Its first and last step. */
  first: number
  last: number
  /** Tokens at its end, and how many more than at the end of the turn before. */
  tokens: number
  added: number
  isCompacted: boolean
}

export function turnsOf(outline: Outline, steps: readonly Step[]): TurnContext[] {
  const turns: TurnContext[] = []
  for (const [at, step] of steps.entries()) {
    const turn = turns.at(-1)
    if (turn !== undefined && steps[at - 1]?.turn === step.turn) {
      turn.last = at
      turn.added += step.tokens - turn.tokens
      turn.tokens = step.tokens
      turn.isCompacted ||= step.isAfterCompaction
      continue
    }
    const added = step.tokens - (turn?.tokens ?? 0)
    const prompt = promptOf(outline, step) ?? ''
    turns.push({ prompt, first: at, last: at, tokens: step.tokens, added, isCompacted: step.isAfterCompaction })
  }
  return turns
}

export interface Sort {
  kind: string
  name: string
  tokens: number
  blocks: number
  isEstimated: boolean
  /** By tool, the largest first; empty where there is but one. */
  tools: { name: string; tokens: number; blocks: number; isEstimated: boolean }[]
}

export interface MakeUpShown {
  sorts: Sort[]
  /** All that is in the window; the sorts add up to it. */
  used: number
  isEstimated: boolean
  /** Absent where the model's window is not known. */
  window?: number
  /** Of it, what is left. */
  free?: number
}

/** Lighter where the full colour is that of a tool's output in the inspector. */
const kinds: { [kind: string]: [name: string, colour: string] } = {
  prompts: ['Prompts', 'var(--prompt)'],
  answers: ['Answers', 'var(--answer)'],
  thinking: ['Thinking', 'var(--agent-4)'],
  calls: ['Tool calls', 'color-mix(in oklch, var(--file) 55%, var(--paper))'],
  output: ['Tool output', 'var(--file)'],
  summaries: ['Summary', 'var(--seam)'],
  attachments: ['Attachments', 'color-mix(in oklch, var(--web) 55%, var(--paper))'],
  commands: ['Commands', 'color-mix(in oklch, var(--shell) 55%, var(--paper))'],
  notifications: ['Notifications', 'color-mix(in oklch, var(--agent) 55%, var(--paper))'],
  media: ['Images and documents', 'var(--agent-2)'],
  client: ['Notes of Claude Code', 'var(--agent-8)'],
  system: ['System prompt, tools', 'var(--hair-2)'],
  'not-itemised': ['Not itemised', 'repeating-linear-gradient(45deg, var(--hair) 0 2px, var(--paper) 2px 5px)'],
}

export function colourOf(kind: string): string {
  return Object.hasOwn(kinds, kind) ? (kinds[kind]?.[1] ?? '') : 'var(--system)'
}

export function makeUpShown({ parts, tokens, isEstimated, window }: ContextAt): MakeUpShown {
  const sorts = sortsOf(parts).sort((one, other) => other.tokens - one.tokens)
  const shown: MakeUpShown = { sorts, used: tokens, isEstimated }
  return window === undefined ? shown : { ...shown, window, free: Math.max(0, window - tokens) }
}

/** At the end a resume is what counts: it may send more than the last answer had. */
export function endNote({ event, counted, tokens }: Pick<ContextAt, 'event' | 'counted' | 'tokens'>): string {
  if (event !== null || counted === undefined || counted === tokens) return ''
  return `As a resume would send them now; the API counted ${countText(counted)} of them at the last answer.`
}

export function nameOf(kind: string): string {
  return Object.hasOwn(kinds, kind) ? (kinds[kind]?.[0] ?? kind) : kind
}

function sortsOf(parts: ContextAt['parts']): Sort[] {
  const sorts = new Map<string, Sort>()
  for (const { kind, tool, tokens, blocks, isEstimated } of parts) {
    const sort = sorts.get(kind) ?? { kind, name: nameOf(kind), tokens: 0, blocks: 0, isEstimated: false, tools: [] }
    sorts.set(kind, sort)
    sort.tokens += tokens
    sort.blocks += blocks
    sort.isEstimated ||= isEstimated
    if (tool !== undefined) sort.tools.push({ name: tool, tokens, blocks, isEstimated })
  }
  for (const sort of sorts.values()) sort.tools.sort((one, other) => other.tokens - one.tokens)
  return [...sorts.values()]
}

/** `34%`, `< 1%`, `–` where there is no whole. */
export function shareText(part: number, whole: number): string {
  if (whole <= 0) return '–'
  const share = (part / whole) * 100
  if (share > 0 && share < 1) return '< 1%'
  return `${Math.round(share)}%`
}

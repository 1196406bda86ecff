// What fills the window, as the Context screen shows it: sorts of content with their tools, and what the log does not hold.
// The numbers come from the reader.

import type { ContextAt } from '../../src/view/reading.ts'

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
  /** All that is in the window: what the API counted, or what the log adds up to where it counted nothing. */
  used: number
  /** What shares are parts of. Guesses may add up to more than the API counted. */
  whole: number
  isEstimated: boolean
  /** Absent where the model's window is not known. */
  window?: number
  /** Of it, what is left. */
  free?: number
}

/** System prompt and definitions of tools: counted by the API, written down nowhere. */
export const unlogged = 'unlogged'

const names: { [kind: string]: string } = {
  prompts: 'Prompts',
  answers: 'Answers',
  thinking: 'Thinking',
  calls: 'Tool calls',
  output: 'Tool output',
  summaries: 'Summary',
  attachments: 'Attachments',
  commands: 'Commands',
  notifications: 'Notifications',
  media: 'Images and documents',
  client: 'Notes of the client',
  [unlogged]: 'System prompt and tools',
}

/** `atAnswer`: what the API counted with the very answer that is looked at, where that is known. */
export function makeUpShown(context: ContextAt, atAnswer?: number): MakeUpShown {
  const sorts = sortsOf(context.parts)
  const logged = context.parts.reduce((sum, { tokens }) => sum + tokens, 0)
  const counted = atAnswer ?? context.counted ?? 0
  const rest = counted - logged
  if (rest > 0) {
    sorts.push({ kind: unlogged, name: nameOf(unlogged), tokens: rest, blocks: 0, isEstimated: true, tools: [] })
  }
  const used = counted > 0 ? counted : logged
  const shown: MakeUpShown = {
    sorts: sorts.sort((one, other) => other.tokens - one.tokens),
    used,
    whole: Math.max(used, logged),
    isEstimated: counted === 0 && context.isEstimated,
  }
  if (context.window !== undefined) {
    shown.window = context.window
    shown.free = Math.max(0, context.window - used)
  }
  return shown
}

function nameOf(kind: string): string {
  return Object.hasOwn(names, kind) ? (names[kind] ?? kind) : kind
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

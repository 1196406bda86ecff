// What changed from record to record next to the conversation: working directory, permission mode, thinking, to-do list. It is
// shown once, where it changed, to those who want everything.

import { asArray, asObject, asString, jsonText } from '../base/json.ts'
import type { SessionEvent } from '../model/event.ts'
import { recordFacts } from '../model/record-facts.ts'
import { factsPart, valueText } from './parts.ts'
import type { FactsPart } from './view.ts'
import { durationText, wordsOf } from './words.ts'

/** Kinds whose items may not be shown, or not where they are. */
const passedOver: ReadonlySet<string> = new Set(['tool-results', 'title', 'state', 'progress', 'queue', 'snapshot'])

/** Follows one thread. */
export class FactChanges {
  private readonly last = new Map<string, string>()

  /** What is new with this event, named for people. */
  of(event: SessionEvent): [name: string, value: unknown][] {
    if (passedOver.has(event.kind)) return []
    const changes: [string, unknown][] = []
    const { cwd } = event
    // Where it began is said at the top.
    const hasCwd = this.last.has('cwd')
    if (cwd !== undefined && this.isNew('cwd', cwd) && hasCwd) changes.push(['working directory', cwd])
    for (const [field, value] of Object.entries(recordFacts(event))) {
      const text = field === 'todos' ? todosText(value) : valueText(value)
      if (this.isNew(field, text ?? '') && text !== undefined) changes.push([wordsOf(field), text])
    }
    return changes
  }

  private isNew(field: string, text: string): boolean {
    if (this.last.get(field) === text) return false
    this.last.set(field, text)
    return true
  }
}

function todosText(value: unknown): string | undefined {
  const lines = asArray(value).map(item => {
    const { content, status, priority } = asObject(item) ?? {}
    const words = [asString(status), asString(priority)].filter(word => word !== undefined)
    return `${asString(content) ?? jsonText(item)}${words.length === 0 ? '' : ` (${words.join(', ')})`}`
  })
  return lines.length === 0 ? undefined : lines.join('\n')
}

/** How long the answer took and what it cost, as old versions wrote it on every line. */
export function answerFacts({ message }: SessionEvent): FactsPart[] {
  const { durationMs, costUSD } = message ?? {}
  return foldedFacts([
    ['answered in', durationMs === undefined ? undefined : durationText(durationMs)],
    ['cost', costUSD === undefined ? undefined : `$${costUSD}`],
  ])
}

/** Facts for those who want everything. */
export function foldedFacts(facts: readonly (readonly [name: string, value: unknown])[]): FactsPart[] {
  return factsPart(facts).map(part => ({ ...part, isFolded: true }))
}

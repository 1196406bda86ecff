// Tokens of a stream of events, every API message once: its records each repeat the whole usage. It keeps
// one small entry a message, not the events.

import { hasFlag, type MessageFacts, type SessionEvent, type Usage } from '../model/event.ts'
import { addUsage, largerUsage, noUsage } from '../model/usage.ts'

interface Entry {
  requestId?: string
  usage?: Usage
}

export class StreamUsage {
  /** The first message with an id. */
  private readonly byId = new Map<string, Entry>()
  /** Later messages that share an id under another request. */
  private readonly others = new Map<string, Entry>()
  /** Written by Claude Code in the model's name: each counts alone, whatever its id. */
  private readonly synthetic: Entry[] = []

  /** `event`: not a copy. */
  see(event: SessionEvent): void {
    const facts = event.message
    if (facts === undefined) return
    if (!hasFlag(event, 'synthetic')) {
      addFacts(this.entryOf(facts), facts)
    } else if (facts.usage !== undefined) {
      const entry: Entry = {}
      addFacts(entry, facts)
      this.synthetic.push(entry)
    }
  }

  /** A record without request id belongs to the first message of its id; another request is another message. */
  private entryOf(facts: MessageFacts): Entry {
    const first = this.byId.get(facts.id)
    if (first === undefined) return this.begin(this.byId, facts.id, facts)
    const isFirst = facts.requestId === undefined || first.requestId === undefined
    if (isFirst || first.requestId === facts.requestId) {
      if (facts.requestId !== undefined) first.requestId ??= facts.requestId
      return first
    }
    const key = `${facts.id} ${facts.requestId}`
    return this.others.get(key) ?? this.begin(this.others, key, facts)
  }

  private begin(entries: Map<string, Entry>, key: string, facts: MessageFacts): Entry {
    const entry: Entry = facts.requestId === undefined ? {} : { requestId: facts.requestId }
    entries.set(key, entry)
    return entry
  }

  total(): Usage {
    const sum = noUsage()
    for (const entries of [this.byId.values(), this.others.values(), this.synthetic]) {
      for (const { usage } of entries) if (usage) addUsage(sum, usage)
    }
    return sum
  }
}

function addFacts(entry: Entry, facts: MessageFacts): void {
  if (facts.usage) entry.usage = entry.usage ? largerUsage(entry.usage, facts.usage) : facts.usage
}

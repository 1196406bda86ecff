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

  /** `event`: not a copy. What Claude Code wrote in the model's name was not sent. */
  see(event: SessionEvent): void {
    const facts = event.message
    if (facts === undefined || hasFlag(event, 'synthetic') || event.kind === 'api-error') return
    addFacts(this.entryOf(facts), facts)
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
    for (const entries of [this.byId.values(), this.others.values()]) {
      for (const { usage } of entries) if (usage) addUsage(sum, usage)
    }
    return sum
  }
}

function addFacts(entry: Entry, facts: MessageFacts): void {
  if (facts.usage) entry.usage = entry.usage ? largerUsage(entry.usage, facts.usage) : facts.usage
}

// Where the records of a session come from: copied from the session it was forked from, or written in its own time; typed by
// a person, or sent by a program. It does not compare sessions: `graph/lineage` does.

import { type Instant, toMillis } from '../base/instant.ts'
import type { SessionEvent } from './event.ts'
import type { CopiedFrom, Stated } from './stated.ts'

/** Undefined for a record of the session's own: what the record states, else what comparing sessions showed. */
export function copiedFrom(event: SessionEvent): CopiedFrom | undefined {
  const { inheritedFrom, stated } = event
  return stated.forkedFrom ?? (inheritedFrom === undefined ? undefined : { session: inheritedFrom })
}

/** Whether the session has the event from another one, which it counts for. */
export function isInherited(event: SessionEvent | undefined): boolean {
  return event !== undefined && copiedFrom(event) !== undefined
}

/** What states that a program runs Claude Code: `-p` and the agent SDKs (`sdk-cli`, `sdk-ts`, `sdk-py`), actions, servers. */
const programs = /^(sdk(-|$)|mcp$|claude-code-github-action$)/

/** Prompts and commands, whether a person typed them or a program sent them. */
export function isSent({ kind, actor }: SessionEvent): boolean {
  return (kind === 'prompt' || kind === 'command') && actor === 'human'
}

/**
 * Who runs the session, as far as this record shows it. What begins a chain states a program too: a prompt may have been
 * blocked by a hook. Without a statement a prompt was typed.
 */
export function senderOf(event: SessionEvent): 'program' | 'person' | undefined {
  if (!isSent(event) && event.parent !== null) return undefined
  if (isFromProgram(event.stated)) return 'program'
  return isSent(event) ? 'person' : undefined
}

/** The desktop app writes `promptSource: "sdk"` for what a person types: it counts only where no `entrypoint` is stated. */
function isFromProgram({ entrypoint, promptSource }: Stated): boolean {
  return entrypoint === undefined ? promptSource === 'sdk' : programs.test(entrypoint)
}

/** The first and the last time of a session, of its own records: those of copied ones count where no other has a time. */
export class SessionSpan {
  private readonly own = new Span()
  private readonly copied = new Span()

  see(event: SessionEvent): void {
    if (event.at === null) return
    if (copiedFrom(event) === undefined) this.own.add(event.at)
    else this.copied.add(event.at)
  }

  get startedAt(): Instant {
    return this.counting.from
  }

  get endedAt(): Instant {
    return this.counting.to
  }

  get durationMs(): number | undefined {
    const from = toMillis(this.startedAt)
    const to = toMillis(this.endedAt)
    return from === null || to === null ? undefined : to - from
  }

  private get counting(): Span {
    return this.own.from === null ? this.copied : this.own
  }
}

class Span {
  from: Instant = null
  to: Instant = null

  add(at: string): void {
    if (this.from === null || at < this.from) this.from = at
    if (this.to === null || at > this.to) this.to = at
  }
}

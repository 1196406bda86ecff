// Lines of subagents that progress records carry, in view of all files of the session: those that the subagent's own log has too
// are one with the line there. What a line is was decided in decode.

import { hasFlag, type SessionEvent } from '../../model/event.ts'
import type { EventId } from '../../model/ids.ts'
import type { GraphFile } from '../../model/session.ts'

/** The same files, each message once. A line that only a progress record has goes where the subagent's log has its time. */
export function withoutRepeatedLines(files: readonly GraphFile[]): readonly GraphFile[] {
  if (!files.some(({ events }) => events.some(isEmbedded))) return files
  const logs = new Map<string, GraphFile>()
  const logged = new Set<EventId>()
  for (const file of files) {
    if (file.role !== 'agent') continue
    if (file.agent !== undefined) logs.set(file.agent, file)
    for (const event of file.events) if (!isEmbedded(event)) logged.add(event.id)
  }
  const moved = new Map<GraphFile, SessionEvent[]>()
  const isAtItsPlace = (event: SessionEvent): boolean => {
    if (!isEmbedded(event)) return true
    if (logged.has(event.id)) return false
    const log = logs.get(event.thread)
    if (log === undefined) return true
    moved.set(log, [...(moved.get(log) ?? []), event])
    return false
  }
  const placed = files.map(file => ({ file, events: file.events.filter(isAtItsPlace) }))
  return placed.map(({ file, events }) => ({ ...file, events: inTime(events, moved.get(file) ?? []) }))
}

function isEmbedded(event: SessionEvent): boolean {
  return hasFlag(event, 'embedded')
}

function inTime(events: SessionEvent[], added: readonly SessionEvent[]): SessionEvent[] {
  for (const event of added) {
    const { at } = event
    const place = at === null ? -1 : events.findIndex(other => other.at !== null && other.at > at)
    events.splice(place < 0 ? events.length : place, 0, event)
  }
  return events
}

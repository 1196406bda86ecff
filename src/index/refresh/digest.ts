// By which related sessions are found: a few of a session's ids, parents that it names but does not have, and sessions that
// it names. How sessions are linked is decided from their graphs.

import type { Skeleton } from '../../graph/build/skeleton.ts'
import { continuedIn } from '../../graph/lineage/lineage.ts'
import { hasFlag, type SessionEvent } from '../../model/event.ts'
import { recordedId } from '../../model/ids.ts'
import type { BranchSummary } from '../../model/session.ts'

/** Copies begin where their originals do: the first ids are enough to meet. */
const idsKept = 4
const missingKept = 200

/** Kinds of a digest's rows. */
export type DigestKind = 'uuid' | 'message' | 'missing' | 'leaf' | 'other' | 'forked' | 'continued'

export type DigestRow = [what: DigestKind, value: string]

export function digestRows(
  skeleton: Skeleton,
  events: readonly SessionEvent[],
  summaries: readonly BranchSummary[],
): DigestRow[] {
  const rows = new Rows()
  const recorded = recordedId(skeleton.session)
  let uuids = 0
  let messages = 0
  for (const event of events) {
    const isMain = event.thread === skeleton.main
    if (isMain && uuids < idsKept && event.kind !== 'meta' && !hasFlag(event, 'copy')) {
      uuids += Number(rows.add('uuid', event.stated.uuid))
    }
    if (messages < idsKept && isOfApi(event)) messages += Number(rows.add('message', event.message?.id))
    addStated(rows, event, isMain, recorded)
  }
  for (let node = 0; node < skeleton.events.length && rows.count('missing') < missingKept; node++) {
    const event = skeleton.events[node] as SessionEvent
    const named = skeleton.link[node] === 'orphan' ? event.parent : event.logicalParent
    if (named && !skeleton.index.has(named)) rows.add('missing', named)
  }
  for (const { leaf } of summaries) rows.add('leaf', leaf)
  return rows.list
}

/** Ids that the API gave: placeholders of Claude Code or of ours say nothing about other sessions. */
function isOfApi(event: SessionEvent): boolean {
  const { message } = event
  return message !== undefined && message.model !== '<synthetic>' && message.id !== event.id && !hasFlag(event, 'copy')
}

/** Sessions that the record names: see `digestSession`. */
function addStated(rows: Rows, event: SessionEvent, isMain: boolean, own: string): void {
  const { uuid, session, forkedFrom, parentSession } = event.stated
  if (isMain && uuid !== undefined) rows.addOther('other', session, own)
  rows.addOther('forked', forkedFrom?.session, own)
  rows.addOther('forked', parentSession, own)
  for (const next of continuedIn(event)) rows.addOther('continued', next, own)
}

class Rows {
  readonly list: DigestRow[] = []
  private readonly seen = new Map<DigestKind, Set<string>>()

  count(what: DigestKind): number {
    return this.seen.get(what)?.size ?? 0
  }

  addOther(what: DigestKind, value: string | undefined, own: string): void {
    if (value !== own) this.add(what, value)
  }

  /** True where it is new. */
  add(what: DigestKind, value: string | undefined): boolean {
    if (!value) return false
    const seen = this.seen.get(what)
    if (seen?.has(value)) return false
    if (seen) seen.add(value)
    else this.seen.set(what, new Set([value]))
    this.list.push([what, value])
    return true
  }
}

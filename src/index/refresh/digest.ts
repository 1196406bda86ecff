// By which related sessions are found: a few of a session's ids, parents that it names but does not have, and sessions that
// it names. How sessions are linked is decided from their graphs.

import { asObject, asString } from '../../base/json.ts'
import type { Skeleton } from '../../graph/build/skeleton.ts'
import { hasFlag, type SessionEvent, uuidOf } from '../../model/event.ts'
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
  let uuids = 0
  let messages = 0
  for (const event of events) {
    const isMain = event.thread === skeleton.main
    if (isMain && uuids < idsKept && event.kind !== 'meta' && !hasFlag(event, 'copy')) {
      uuids += Number(rows.add('uuid', uuidOf(event)))
    }
    if (messages < idsKept && isOfApi(event)) messages += Number(rows.add('message', event.message?.id))
    addStated(rows, event, isMain, skeleton.session)
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
  const { value } = event.record
  if (value === undefined) return
  const session = value['sessionId']
  if (session !== own && isMain && uuidOf(event) !== undefined) rows.add('other', asString(session))
  rows.addOther('forked', asString(asObject(value['forkedFrom'])?.['sessionId']), own)
  rows.addOther('forked', asString(value['parentSessionId']), own)
  rows.addOther('continued', asString(value['continuedInSessionId']), own)
  if (event.wireType !== 'continued-in') return
  rows.addOther('continued', asString(value['continuedIn'] ?? value['nextSessionId']), own)
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

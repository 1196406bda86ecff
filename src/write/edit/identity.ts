// What every record of the conversation must have by itself before records can be linked: a type and role, a uuid of its own, a
// time, a session. Records that were there already are left out, halves of surrogate pairs replaced.

import { textToBytes } from '../../base/bytes.ts'
import { toInstant, toMillis } from '../../base/instant.ts'
import { asObject, asString, type JsonObject, jsonText } from '../../base/json.ts'
import { blocksOf, callsIn, isChainValue, isMainValue, resultsIn } from './nodes.ts'
import type { Entry, RepairDraft } from './repair-draft.ts'
import { setAsideText, setAsideType } from './set-aside.ts'

export interface IdentityOptions {
  newId(): string
  now(): number
  session?: string
  own?: string
}

export function repairIdentity(draft: RepairDraft, options: IdentityOptions): void {
  mendRoles(draft)
  setAsideEmpty(draft)
  clearSidechains(draft)
  mendSurrogates(draft)
  leaveOutCopies(draft)
  leaveOutTornCopies(draft)
  giveUuids(draft, options)
  partUuids(draft, options)
  fillTorn(draft)
  giveMessageIds(draft)
  giveTimes(draft, options)
  giveSessions(draft, options)
  deleteForeign(draft)
}

const speakers: ReadonlySet<unknown> = new Set(['user', 'assistant'])

function mendRoles(draft: RepairDraft): void {
  for (const entry of draft.entries) {
    const { type, message } = entry.value
    const role = asObject(message)?.['role']
    if (asObject(message) === undefined || role === type) continue
    if (type === undefined && speakers.has(role))
      draft.change(entry, 'role', 'The record did not say its type', [['type', role]])
    else if (speakers.has(type) && isMainValue(entry.value))
      draft.change(entry, 'role', 'The role was not that of the record', [['message.role', type]])
  }
}

/** Older versions of Claude Code stop at a message without content. */
function setAsideEmpty(draft: RepairDraft): void {
  for (const entry of draft.entries) {
    const { type, message } = entry.value
    const content = asObject(message)?.['content']
    if (!speakers.has(type) || typeof content === 'string' || Array.isArray(content)) continue
    const aside = setAsideText(textToBytes(entry.text), entry.text, entry.line)
    draft.rewrite(entry, 'set-aside', 'A message without content; kept, softly deleted', aside)
    draft.setAside++
  }
}

/** Where everything is said to be a subagent's and no agent is named, the mark is wrong. */
function clearSidechains(draft: RepairDraft): void {
  const messages = draft.entries.filter(({ value }) => speakers.has(value['type']) && value['isDeleted'] !== true)
  if (messages.some(({ value }) => value['isSidechain'] !== true || value['agentId'] !== undefined)) return
  for (const entry of draft.entries)
    if (isChainValue(entry.value) && entry.value['isSidechain'] === true)
      draft.change(entry, 'sidechain', 'Every message was marked as a subagent’s, and no agent is named', [
        ['isSidechain', false],
      ])
}

const halfPair = /\\u[dD][89a-fA-F]/

function mendSurrogates(draft: RepairDraft): void {
  for (const entry of draft.entries) {
    if (!isChainValue(entry.value) || !halfPair.test(entry.text)) continue
    const text = withoutHalves(entry.text)
    if (text !== entry.text) draft.rewrite(entry, 'text', 'Half of a surrogate pair, which UTF-8 cannot encode', text)
  }
}

function withoutHalves(text: string): string {
  const pair = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\./g
  return text.replace(pair, found => (found.length === 6 ? '\\ufffd' : found))
}

/** The same record again, whatever session and time it names. */
function leaveOutCopies(draft: RepairDraft): void {
  const seen = new Map<string, Entry[]>()
  for (const entry of draft.entries) {
    const uuid = asString(entry.value['uuid'])
    if (uuid === undefined || !isChainValue(entry.value)) continue
    const before = seen.get(uuid) ?? []
    if (before.some(one => one.text === entry.text || contentOf(one) === contentOf(entry)))
      draft.leaveOut(entry, 'copy', `The same record is on line ${before[0]?.line}`)
    else seen.set(uuid, [...before, entry])
  }
  draft.sweep()
}

/** A record that was torn and then written again, or before. */
function leaveOutTornCopies(draft: RepairDraft): void {
  for (const torn of draft.entries) {
    if (torn.isTorn !== true) continue
    const copy = draft.entries.find(other => other.isTorn !== true && isOneOf(torn.value, other.value))
    if (copy !== undefined) draft.leaveOut(torn, 'copy', `What is left of it is on line ${copy.line}`)
  }
  draft.sweep()
}

/** Whether all that a torn record says is in another one that has its id, its place or its message. */
function isOneOf(torn: JsonObject, other: JsonObject): boolean {
  const message = asObject(other['message'])
  const tornMessage = asObject(torn['message'])
  if (message === undefined || torn['type'] !== other['type']) return false
  const pairs = [
    [torn['uuid'], other['uuid']],
    [torn['parentUuid'], other['parentUuid']],
    [tornMessage?.['id'], message['id']],
  ]
  if (!pairs.some(([one, same]) => asString(one) !== undefined && one === same)) return false
  const said = [message['content']].flat()
  return [tornMessage?.['content']].flat().every(part => said.some(whole => isBeginning(part, whole)))
}

/** Of a text, of what a block says, or of the input of a call. */
function isBeginning(part: unknown, whole: unknown): boolean {
  if (typeof part === 'string' && typeof whole === 'string') return whole.startsWith(part)
  const [one, other] = [asObject(part), asObject(whole)]
  if (one === undefined || other === undefined || one['type'] !== other['type']) return false
  if (one['type'] === 'text') return isBeginning(one['text'], other['text'])
  return one['type'] === 'tool_use' ? one['id'] === other['id'] : one['tool_use_id'] === other['tool_use_id']
}

function contentOf({ value }: Entry): string {
  const { timestamp: _time, sessionId: _session, parentUuid: _parent, ...rest } = value
  return jsonText(rest)
}

/** Records without a uuid get the one that the records behind them name and that nothing has, or a new one. */
function giveUuids(draft: RepairDraft, { newId }: IdentityOptions): void {
  const main = draft.entries.filter(({ value }) => isMainValue(value))
  const nameless = new Set(main.filter(({ value }) => !asString(value['uuid'])))
  if (nameless.size === 0) return
  const names = new Names(draft.entries, main)
  for (const [place, entry] of main.entries()) {
    if (!nameless.has(entry)) continue
    const uuid = names.freeFor(entry, main[place + 1]) ?? newId()
    names.take(uuid)
    draft.change(entry, 'uuid', 'The record had no uuid', [['uuid', uuid]])
  }
}

/** What others call a record: results the one with their call, the next record its parent, a compaction its summary. */
class Names {
  private readonly places: Map<Entry, number>
  private readonly byUuid: Map<unknown, Entry>
  private readonly answers: Map<string, JsonObject>
  private readonly entries: readonly Entry[]

  constructor(entries: readonly Entry[], main: readonly Entry[]) {
    this.entries = entries
    this.places = new Map(entries.map((entry, place) => [entry, place]))
    this.byUuid = new Map(entries.map(entry => [entry.value['uuid'], entry]))
    this.answers = new Map(main.flatMap(({ value }) => resultsIn(blocksOf(value)).map(call => [call, value] as const)))
  }

  freeFor(entry: Entry, next: Entry | undefined): string | undefined {
    const isFree = (uuid: unknown): uuid is string =>
      !!asString(uuid) && !this.taken.has(uuid) && !this.byUuid.has(uuid)
    return this.given(entry, next).find(isFree)
  }

  take(uuid: string): void {
    this.taken.add(uuid)
  }

  private readonly taken = new Set<unknown>()

  private given(entry: Entry, next: Entry | undefined): unknown[] {
    const asked = callsIn(blocksOf(entry.value)).flatMap(call => {
      const result = this.answers.get(call)
      return [result?.['sourceToolAssistantUUID'], result?.['parentUuid']]
    })
    const metadata = asObject(this.byUuid.get(entry.value['parentUuid'])?.value['compactMetadata'])
    const anchor = asObject(metadata?.['preservedMessages']) ?? asObject(metadata?.['preservedSegment'])
    const named = [...asked, anchor?.['anchorUuid'], next?.value['parentUuid']]
    if (next !== undefined) return named
    const place = this.places.get(entry) ?? 0
    const leaf = this.entries.slice(place, place + 8).find(({ value }) => value['type'] === 'last-prompt')
    return [...named, leaf?.value['leafUuid']]
  }
}

/** What a torn record does not say of its setting is as in the record before it. */
function fillTorn(draft: RepairDraft): void {
  let setting: JsonObject = {}
  for (const entry of draft.entries) {
    if (!entry.isTorn) {
      if (isMainValue(entry.value)) setting = entry.value
      continue
    }
    const missing = settingFields.filter(name => entry.value[name] === undefined && setting[name] !== undefined)
    draft.set(
      entry,
      missing.map(name => [name, setting[name]] as const),
    )
  }
}

/** Lines of one answer have one id: that of the request, or of the line that they hang on. */
function giveMessageIds(draft: RepairDraft): void {
  const answers = draft.entries.filter(({ value }) => value['type'] === 'assistant' && asObject(value['message']))
  const idOf = ({ value }: Entry): string | undefined => asString(asObject(value['message'])?.['id'])
  const ids = new Map<unknown, string>()
  for (const answer of answers) {
    const id = idOf(answer)
    if (id !== undefined) for (const name of namesOf(answer)) ids.set(name, id)
  }
  for (const answer of answers) {
    if (idOf(answer) !== undefined) continue
    const { value } = answer
    const known = [...namesOf(answer), value['parentUuid']].map(name => ids.get(name)).find(id => id !== undefined)
    const id = known ?? `msg_${String(value['uuid']).replaceAll('-', '')}`
    draft.change(answer, 'role', 'The answer had no id', [['message.id', id]])
    for (const name of namesOf(answer)) ids.set(name, id)
  }
}

function namesOf({ value: { requestId, uuid } }: Entry): unknown[] {
  return [requestId, uuid].filter(name => asString(name) !== undefined)
}

const settingFields: readonly string[] = ['userType', 'entrypoint', 'cwd', 'version', 'gitBranch']

/** Different records of one uuid: the first one keeps it. What hangs on it hangs on the one before itself. */
function partUuids(draft: RepairDraft, { newId }: IdentityOptions): void {
  const holders = new Map<string, Entry[]>()
  for (const entry of draft.entries.filter(({ value }) => isChainValue(value))) {
    const uuid = asString(entry.value['uuid'])
    if (uuid !== undefined) holders.set(uuid, [...(holders.get(uuid) ?? []), entry])
  }
  const shared = new Map([...holders].filter(([, entries]) => entries.length > 1))
  if (shared.size === 0) return
  const order = draft.entries.filter(({ value }) => isChainValue(value))
  const places = new Map(order.map((entry, place) => [entry, place]))
  const place = (entry: Entry): number => places.get(entry) ?? 0
  for (const [uuid, entries] of shared) {
    const children = order.filter(({ value }) => value['parentUuid'] === uuid)
    for (const entry of entries.slice(1))
      draft.change(entry, 'uuid', `Another record, on line ${entries[0]?.line}, has the same uuid`, [['uuid', newId()]])
    for (const child of children) {
      const wanted = resultsIn(blocksOf(child.value))
      const caller = entries.find(one => callsIn(blocksOf(one.value)).some(call => wanted.includes(call)))
      const parent = caller ?? entries.findLast(one => place(one) < place(child)) ?? (entries[0] as Entry)
      if (parent === entries[0] || parent === child) continue
      draft.change(child, 'parent', 'Two records had the uuid that it named', [['parentUuid', parent.value['uuid']]])
    }
  }
}

function giveTimes(draft: RepairDraft, { now }: IdentityOptions): void {
  const chain = draft.entries.filter(({ value }) => isChainValue(value))
  const first = chain.map(({ value }) => toMillis(value['timestamp'])).find(time => time !== null)
  let last: number | null = null
  for (const entry of chain) {
    const written = entry.value['timestamp']
    const time = toMillis(written)
    if (time === null || typeof written !== 'string') {
      const guess: number = time ?? (last === null ? (first ?? now()) : last + 1)
      draft.change(entry, 'time', 'The record did not say when it was written', [['timestamp', toInstant(guess)]])
      last = guess
    } else last = time
  }
}

/** The session that the file is named after, where records are of it; else that of the last message, unless few are of it. */
function ownSession({ entries }: RepairDraft, named: string | undefined): string | undefined {
  const counts = new Map<string, number>()
  let last: string | undefined
  for (const { value } of entries) {
    const session = asString(value['sessionId'])
    if (!session || !speakers.has(value['type']) || !isMainValue(value)) continue
    counts.set(session, (counts.get(session) ?? 0) + 1)
    last = session
  }
  if (named !== undefined && (counts.has(named) || last === undefined)) return named
  const [most] = [...counts].sort((one, other) => other[1] - one[1])
  const ofLast = counts.get(last ?? '') ?? 0
  return most !== undefined && ofLast * 4 < most[1] ? most[0] : last
}

/** Sessions of one conversation: a copy keeps the old name on some records. They are linked, or written in between. */
function kinOf(entries: readonly Entry[], own: string | undefined): Set<string> {
  const spans = new Map<string, { from: number; to: number }>()
  const sessions = new Map<unknown, string>()
  const links: [string, string][] = []
  for (const [place, { value }] of entries.entries()) {
    const session = asString(value['sessionId'])
    if (!session || !isMainValue(value)) continue
    sessions.set(value['uuid'], session)
    spans.set(session, { from: spans.get(session)?.from ?? place, to: place })
  }
  for (const { value } of entries) {
    const [session, parent] = [sessions.get(value['uuid']), sessions.get(value['parentUuid'])]
    if (session !== undefined && parent !== undefined && session !== parent) links.push([session, parent])
  }
  for (const [one, a] of spans)
    for (const [other, b] of spans) if (one !== other && a.from < b.to && b.from < a.to) links.push([one, other])
  const kin = new Set(own === undefined ? [] : [own])
  for (const one of kin)
    for (const [a, b] of links) {
      if (a === one) kin.add(b)
      if (b === one) kin.add(a)
    }
  return kin
}

function giveSessions(draft: RepairDraft, { session, own: named }: IdentityOptions): void {
  const own = ownSession(draft, named)
  const id = session ?? own
  draft.session = id
  if (id === undefined) return
  draft.kin = kinOf(draft.entries, own).add(id)
  let [given, renamed] = [0, 0]
  for (const entry of draft.entries) {
    const written = entry.value['sessionId']
    if (!asString(written)) {
      const isSetAside = entry.value['type'] === setAsideType
      if (!isChainValue(entry.value) && !isSetAside) continue
      draft.set(entry, [['sessionId', id]])
      if (!isSetAside) given++
    } else if (written === own && id !== own) {
      draft.set(entry, [['sessionId', id]])
      renamed++
    }
  }
  if (given > 0)
    draft.note({
      line: 0,
      kind: 'session',
      what: `${given} ${given === 1 ? 'record' : 'records'} did not name their session`,
      after: id,
    })
  if (renamed > 0)
    draft.note({
      line: 0,
      kind: 'session',
      what: `${renamed} records belong to the new session`,
      before: own ?? '',
      after: id,
    })
}

/** Another conversation in the file: older versions would continue it where it is the newer one. */
function deleteForeign(draft: RepairDraft): void {
  const foreign = draft.entries.filter(
    ({ value }) => isMainValue(value) && draft.isForeign(asString(value['sessionId'])),
  )
  const [first] = foreign
  if (first === undefined) return
  for (const entry of foreign)
    draft.set(entry, [
      ['isSidechain', true],
      ['isDeleted', true],
    ])
  draft.setAside += foreign.length
  const what = `${foreign.length} records of another conversation; kept off the main thread, softly deleted`
  draft.note({ line: first.line, kind: 'session', what, before: asString(first.value['sessionId']) ?? '' })
}

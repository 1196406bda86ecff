// What every record of the conversation must have by itself before records can be linked: a type and role, a uuid of its own, a
// time, a session. Where it hangs is not decided here. From the second and third of these lines
//
//     {"type":"user","uuid":"u1","sessionId":"s","timestamp":"…00Z","message":{"role":"user",…}}
//     {"type":"user","uuid":"u1","sessionId":"s","timestamp":"…00Z","message":{"role":"user",…}}       the same again: left out
//     {"uuid":"u1","parentUuid":"u1","message":{"role":"assistant",…}}         ↓ type, an own uuid, message id, time, session
//     {"uuid":"NEW","parentUuid":"u1","message":{"role":"assistant",…,"id":"msg_NEW"},"type":"assistant","timestamp":"…00.001Z","sessionId":"s"}

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

type Rule = (draft: RepairDraft, options: IdentityOptions) => void

/** In this order, since each rule relies on those above it. */
const rules: readonly Rule[] = [
  // Every other rule asks for the type of a record.
  nameRoles,
  // What is set aside is no part of the conversation: no rule below gives it anything.
  setAsideEmpty,
  // Only now it is known which records are of the main thread.
  clearSidechains,
  // Copies are compared by what they say: of two, one may have lost half a character.
  replaceHalfPairs,
  // Before uuids are told apart: the same record twice is not two records of one uuid.
  leaveOutCopies,
  // While a torn record says no more than its bytes: what is guessed below would make it differ from the whole one.
  leaveOutTornCopies,
  // First those that have none, by what others call them; then those that share one. A message id is made of the uuid.
  giveUuids,
  separateUuids,
  fillSettings,
  giveMessageIds,
  // The time of the record before it, which no longer changes.
  giveTimes,
  // Which sessions belong together is seen by who hangs on whom: uuids are unique by now.
  giveSessions,
  // Whatever belongs to none of them.
  deleteForeign,
]

export function repairIdentity(draft: RepairDraft, options: IdentityOptions): void {
  for (const apply of rules) apply(draft, options)
}

const speakers: ReadonlySet<unknown> = new Set(['user', 'assistant'])

/** Type of the record and role of its message are the same word: the one that is missing or wrong follows the other. */
function nameRoles(draft: RepairDraft): void {
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

/** Half of a pair cannot be encoded in UTF-8: the API would refuse it. */
function replaceHalfPairs(draft: RepairDraft): void {
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
  const seen = new Map<string, { first: Entry; contents?: Set<string> }>()
  for (const entry of draft.entries) {
    const uuid = asString(entry.value['uuid'])
    if (uuid === undefined || !isChainValue(entry.value)) continue
    const known = seen.get(uuid)
    if (known === undefined) {
      seen.set(uuid, { first: entry })
      continue
    }
    const content = contentOf(entry)
    known.contents ??= new Set([contentOf(known.first)])
    if (known.contents.has(content)) draft.leaveOut(entry, 'copy', `The same record is on line ${known.first.line}`)
    else known.contents.add(content)
  }
  draft.sweep()
}

/** A record that was torn and then written again, or before. */
function leaveOutTornCopies(draft: RepairDraft): void {
  const torn = draft.entries.filter(entry => entry.isTorn === true)
  if (torn.length === 0) return
  const byName = new Map<string, number[]>()
  for (const [place, { value, isTorn }] of draft.entries.entries()) {
    if (isTorn === true) continue
    for (const name of identityOf(value)) {
      const places = byName.get(name)
      if (places === undefined) byName.set(name, [place])
      else places.push(place)
    }
  }
  for (const entry of torn) {
    const places = identityOf(entry.value).flatMap(name => byName.get(name) ?? [])
    const candidates = [...new Set(places)].sort((one, other) => one - other)
    const copy = candidates.find(place => saysAllOf(entry.value, draft.entries[place]?.value ?? {}))
    if (copy !== undefined) draft.leaveOut(entry, 'copy', `What is left of it is on line ${draft.entries[copy]?.line}`)
  }
  draft.sweep()
}

/** What two records must have one of in common to be the same: id, place, or message. */
function identityOf({ uuid, parentUuid, message }: JsonObject): string[] {
  const names = { uuid, parentUuid, message: asObject(message)?.['id'] }
  return Object.entries(names).flatMap(([kind, name]) => (asString(name) === undefined ? [] : [`${kind} ${name}`]))
}

/** Whether all that a torn record says is in another one. */
function saysAllOf(torn: JsonObject, other: JsonObject): boolean {
  const message = asObject(other['message'])
  if (message === undefined || torn['type'] !== other['type']) return false
  const said = [message['content']].flat()
  const left = [asObject(torn['message'])?.['content']].flat()
  return left.every(part => said.some(whole => isBeginning(part, whole)))
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
function fillSettings(draft: RepairDraft): void {
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
function separateUuids(draft: RepairDraft, { newId }: IdentityOptions): void {
  const order = draft.entries.filter(({ value }) => isChainValue(value))
  const places = new Map(order.map((entry, place) => [entry, place]))
  const placeOf = (entry: Entry): number => places.get(entry) ?? 0
  const holders = groupedBy(order, ({ value }) => asString(value['uuid']))
  const children = groupedBy(order, ({ value }) => asString(value['parentUuid']))
  for (const [uuid, entries] of holders) {
    const [first, ...others] = entries
    if (first === undefined || others.length === 0) continue
    for (const entry of others)
      draft.change(entry, 'uuid', `Another record, on line ${first.line}, has the same uuid`, [['uuid', newId()]])
    const callers = new Map<string, number>()
    for (const [at, entry] of entries.entries())
      for (const call of callsIn(blocksOf(entry.value))) if (!callers.has(call)) callers.set(call, at)
    let last = 0
    // Both are in the order of the file.
    for (const child of children.get(uuid) ?? []) {
      const wanted = resultsIn(blocksOf(child.value)).map(call => callers.get(call) ?? entries.length)
      while (placeOf(entries[last + 1] ?? child) < placeOf(child)) last++
      const parent = entries[Math.min(...wanted)] ?? entries[last]
      if (parent === undefined || parent === first || parent === child) continue
      draft.change(child, 'parent', 'Two records had the uuid that it named', [['parentUuid', parent.value['uuid']]])
    }
  }
}

function groupedBy(entries: readonly Entry[], nameOf: (entry: Entry) => string | undefined): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>()
  for (const entry of entries) {
    const name = nameOf(entry)
    if (name === undefined) continue
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [entry])
    else group.push(entry)
  }
  return groups
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
  for (const [place, { value }] of entries.entries()) {
    const session = asString(value['sessionId'])
    if (!session || !isMainValue(value)) continue
    sessions.set(value['uuid'], session)
    spans.set(session, { from: spans.get(session)?.from ?? place, to: place })
  }
  const linked = new Map<string, Set<string>>()
  const link = (one: string, other: string): void => {
    linked.set(one, (linked.get(one) ?? new Set()).add(other))
    linked.set(other, (linked.get(other) ?? new Set()).add(one))
  }
  for (const { value } of entries) {
    const [session, parent] = [sessions.get(value['uuid']), sessions.get(value['parentUuid'])]
    if (session !== undefined && parent !== undefined && session !== parent) link(session, parent)
  }
  // In the order of their beginnings, a session is written in between where it begins before the last one so far ends.
  let latest: { session: string; to: number } | undefined
  for (const [session, { to }] of [...spans].sort(([, one], [, other]) => one.from - other.from)) {
    if (latest !== undefined && (spans.get(session)?.from ?? 0) < latest.to) link(session, latest.session)
    if (latest === undefined || to > latest.to) latest = { session, to }
  }
  const kin = new Set(own === undefined ? [] : [own])
  for (const one of kin) for (const other of linked.get(one) ?? []) kin.add(other)
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

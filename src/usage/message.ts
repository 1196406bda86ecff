// Statements about API messages, joined so that each message counts once. The join knows no order: whatever is added first,
// and whatever was joined before elsewhere, the same messages come out. Sums and prices are made elsewhere.

import { echoRanks, type MessageUsage, toolOf, type UsageFile, type UsageStatement } from '../model/usage.ts'

/** What one record shows, which is summed within a file. */
interface Shown {
  file: number
  offset: number
  visibleTokens: number
  tools: readonly string[]
}

/** A statement without what its record shows. */
type Stated = Omit<UsageStatement, 'visibleTokens' | 'tools'>

/** Where a message would be, as far as time decides; file paths decide between several. */
type Place = Pick<Stated, 'file' | 'offset' | 'thread' | 'model'>

/** All statements with one key and one request. */
interface Entry extends Stated {
  /** Places in other files with the same echo and time. */
  ties: Place[] | null
  shown: Shown[] | null
  /** Another request with the same key. */
  next: Entry | null
}

const noTools: readonly string[] = []
/** Farther than any record: a statement that only adds what its file shows. */
const shownOnly = 16

/** Marks a statement that its session took from another one. `until`: the time of the last that it took, in milliseconds. */
export function markInherited(statement: UsageStatement, until: number): void {
  if (statement.at !== null && statement.at <= until) statement.echo |= echoRanks.inherited
}

/** Two files that state the same message; `isOpen`: neither record, or both, say that it is a copy. */
export interface FilePair {
  files: readonly [number, number]
  isOpen: boolean
}

export class UsageMerge {
  private readonly byKey = new Map<number, Entry>()
  private readonly pairs = new Map<string, FilePair>()

  /**
   * Takes one record's statement, or one of `parts`. A statement may come twice. The object itself is not stored, so that a
   * reader may use it again.
   */
  add(occurrence: UsageStatement): void {
    const head = this.byKey.get(occurrence.key)
    if (head === undefined) this.byKey.set(occurrence.key, entryOf(occurrence))
    else join(head, occurrence, (one, other, isOpen) => this.addPair({ files: [one, other], isOpen }))
  }

  addPair(pair: FilePair): void {
    const key = pair.files.join(' ')
    const known = this.pairs.get(key)
    if (known === undefined) this.pairs.set(key, pair)
    else known.isOpen ||= pair.isOpen
  }

  /** Files that have messages in common: enough of them to see which belong together. */
  filePairs(): FilePair[] {
    return [...this.pairs.values()]
  }

  /** Every message once, in no particular order. `files`: what the statements' file numbers represent. */
  messages(files: readonly UsageFile[]): MessageUsage[] {
    return [...this.eachMessage(files)]
  }

  /** The same one by one, for those who only add them up. */
  *eachMessage(files: readonly UsageFile[]): Generator<MessageUsage> {
    for (const head of this.byKey.values()) yield* messagesOfHead(head, files)
  }

  /** The same by key and request. */
  *inOrder(files: readonly UsageFile[]): Generator<MessageUsage> {
    for (const key of Float64Array.from(this.byKey.keys()).sort()) {
      const head = this.byKey.get(key)
      if (head !== undefined) yield* byRequest(messagesOfHead(head, files))
    }
  }

  /**
   * What was added, joined as far as it goes without knowing other files, to be added to another merge: workers send
   * these. What a merge of the parts gives equals what a merge of everything gives.
   */
  parts(files: readonly UsageFile[]): UsageStatement[] {
    const parts: UsageStatement[] = []
    for (const head of this.byKey.values()) {
      for (let entry: Entry | null = head; entry !== null; entry = entry.next) {
        choosePlace(entry, files)
        const part = partOf(entry)
        parts.push(part)
        if (entry.shown !== null) spreadShown(part, entry.shown, parts)
      }
    }
    return parts
  }
}

/**
 * What a merge of these would give. Most statements that were joined before share their message with no other: they are the
 * message themselves, and are not copied.
 */
export function messagesOf(statements: readonly UsageStatement[], files: readonly UsageFile[]): MessageUsage[] {
  const seen = new Set<number>()
  const shared = new Set<number>()
  for (const { key } of statements) (seen.has(key) ? shared : seen).add(key)
  const merge = new UsageMerge()
  const messages: MessageUsage[] = []
  for (const statement of statements) {
    const isAlone = !shared.has(statement.key) && statement.tools === undefined && statement.visibleTokens === 0
    if (!isAlone) merge.add(statement)
    else messages.push(aloneMessage(statement, files))
  }
  return [...messages, ...merge.messages(files)]
}

function aloneMessage(statement: UsageStatement, files: readonly UsageFile[]): MessageUsage {
  const cacheCreation1hTokens = Math.min(statement.cacheCreation1hTokens, statement.cacheCreationTokens)
  return Object.assign(statement, { session: files[statement.file]?.session ?? '', cacheCreation1hTokens })
}

function byRequest(messages: MessageUsage[]): MessageUsage[] {
  return messages.sort((one, other) => one.request - other.request)
}

type PairVisitor = (one: number, other: number, isOpen: boolean) => void

/** Adds a statement to those of its key. */
function join(head: Entry, occurrence: UsageStatement, seePair: PairVisitor): void {
  let entry: Entry | null = head
  while (entry !== null && entry.request !== occurrence.request) entry = entry.next
  if (entry === null) {
    const added = entryOf(occurrence)
    added.next = head.next
    head.next = added
  } else {
    if (entry.file !== occurrence.file && occurrence.echo < shownOnly) {
      seePair(entry.file, occurrence.file, ((entry.echo ^ occurrence.echo) & echoRanks.copied) === 0)
    }
    enlarge(entry, occurrence)
    movePlace(entry, occurrence)
    addShown(entry, occurrence)
  }
}

function entryOf(from: UsageStatement): Entry {
  const entry: Entry = {
    key: from.key,
    request: from.request,
    echo: from.echo,
    at: from.at,
    file: from.file,
    offset: from.offset,
    thread: from.thread,
    model: from.model,
    ties: null,
    inputTokens: from.inputTokens,
    outputTokens: from.outputTokens,
    cacheCreationTokens: from.cacheCreationTokens,
    cacheCreation1hTokens: from.cacheCreation1hTokens,
    cacheReadTokens: from.cacheReadTokens,
    webSearches: from.webSearches,
    isFast: from.isFast,
    isUs: from.isUs,
    isFinal: from.isFinal,
    isSynthetic: from.isSynthetic,
    isError: from.isError,
    statedNanos: from.statedNanos,
    shown: null,
    next: null,
  }
  addShown(entry, from)
  return entry
}

/** Field by field the larger value: a record written before the message ended has less, never more. */
function enlarge(entry: Entry, from: Stated): void {
  if (from.inputTokens > entry.inputTokens) entry.inputTokens = from.inputTokens
  if (from.outputTokens > entry.outputTokens) entry.outputTokens = from.outputTokens
  if (from.cacheCreationTokens > entry.cacheCreationTokens) entry.cacheCreationTokens = from.cacheCreationTokens
  if (from.cacheCreation1hTokens > entry.cacheCreation1hTokens) entry.cacheCreation1hTokens = from.cacheCreation1hTokens
  if (from.cacheReadTokens > entry.cacheReadTokens) entry.cacheReadTokens = from.cacheReadTokens
  if (from.webSearches > entry.webSearches) entry.webSearches = from.webSearches
  entry.isFast ||= from.isFast
  entry.isUs ||= from.isUs
  entry.isFinal ||= from.isFinal
  entry.isSynthetic ||= from.isSynthetic
  entry.isError ||= from.isError
  const { statedNanos } = from
  if (statedNanos !== null && statedNanos > (entry.statedNanos ?? -1)) entry.statedNanos = statedNanos
}

/** Below 0 where `one` is nearer to the original: by what the records state, their times, and what comparing sessions showed. */
function compareTimes(one: Stated, other: Stated): number {
  const [echo, otherEcho] = [one.echo & ~echoRanks.inherited, other.echo & ~echoRanks.inherited]
  if (echo !== otherEcho) return echo - otherEcho
  if (one.at === other.at) return one.echo - other.echo
  if (one.at === null) return 1
  return other.at === null ? -1 : one.at - other.at
}

function movePlace(entry: Entry, from: UsageStatement): void {
  const order = compareTimes(from, entry)
  if (order > 0) return
  if (order === 0 && (from.file !== entry.file || entry.ties !== null)) {
    entry.ties ??= []
    entry.ties.push({ file: from.file, offset: from.offset, thread: from.thread, model: from.model })
  } else if (order < 0 || from.offset < entry.offset) {
    entry.echo = from.echo
    entry.at = from.at
    setPlace(entry, from)
    entry.ties = null
  }
}

function setPlace(entry: Place, place: Place): void {
  entry.file = place.file
  entry.offset = place.offset
  entry.thread = place.thread
  entry.model = place.model
}

function addShown(entry: Entry, from: UsageStatement): void {
  const tools = from.tools ?? noTools
  if (from.visibleTokens === 0 && tools.length === 0) return
  entry.shown ??= []
  entry.shown.push({ file: from.file, offset: from.offset, visibleTokens: from.visibleTokens, tools })
}

/**
 * Files of sessions before those that belong to none, then by path, which content of the path, and offset: what stays equal
 * however files are numbered.
 */
function comparePlaces(one: Place, other: Place, files: readonly UsageFile[]): number {
  const [a, b] = [files[one.file], files[other.file]]
  if (one.file !== other.file && a !== undefined && b !== undefined) {
    const isOfNone = Number(a.session === '') - Number(b.session === '')
    if (isOfNone !== 0) return isOfNone
    if (a.path !== b.path) return a.path < b.path ? -1 : 1
    if (a.number !== b.number) return a.number - b.number
  }
  return one.offset - other.offset
}

function choosePlace(entry: Entry, files: readonly UsageFile[]): void {
  if (entry.ties === null) return
  for (const tie of entry.ties) {
    if (comparePlaces(tie, entry, files) < 0) setPlace(entry, tie)
  }
  entry.ties = null
}

function compareEntries(one: Entry, other: Entry, files: readonly UsageFile[]): number {
  return compareTimes(one, other) || comparePlaces(one, other, files)
}

/** Of one key. */
function messagesOfHead(head: Entry, files: readonly UsageFile[]): MessageUsage[] {
  for (let entry: Entry | null = head; entry !== null; entry = entry.next) choosePlace(entry, files)
  const loose = head.next === null ? null : looseOf(head)
  const owner = loose === null ? null : firstWithRequest(head, files)
  const messages: MessageUsage[] = []
  for (let entry: Entry | null = head; entry !== null; entry = entry.next) {
    if (loose === null || owner === null) messages.push(messageOf(entry, files))
    else if (entry === owner) messages.push(messageOf(joined(entry, loose, files), files))
    else if (entry !== loose) messages.push(messageOf(entry, files))
  }
  return messages
}

/** The statements without a request, which belong to a message with one. */
function looseOf(head: Entry): Entry | null {
  let entry: Entry | null = head
  while (entry !== null && entry.request !== 0) entry = entry.next
  return entry
}

function firstWithRequest(head: Entry, files: readonly UsageFile[]): Entry | null {
  let first: Entry | null = null
  for (let entry: Entry | null = head; entry !== null; entry = entry.next) {
    if (entry.request === 0) continue
    if (first === null || compareEntries(entry, first, files) < 0) first = entry
  }
  return first
}

function joined(owner: Entry, loose: Entry, files: readonly UsageFile[]): Entry {
  const entry = { ...owner, shown: [...(owner.shown ?? []), ...(loose.shown ?? [])] }
  enlarge(entry, loose)
  if (compareEntries(loose, entry, files) < 0) {
    entry.at = loose.at
    setPlace(entry, loose)
  }
  return entry
}

function messageOf(entry: Entry, files: readonly UsageFile[]): MessageUsage {
  const message: MessageUsage = {
    key: entry.key,
    request: entry.request,
    session: files[entry.file]?.session ?? '',
    at: entry.at,
    file: entry.file,
    offset: entry.offset,
    thread: entry.thread,
    model: entry.model,
    inputTokens: entry.inputTokens,
    outputTokens: entry.outputTokens,
    cacheCreationTokens: entry.cacheCreationTokens,
    cacheCreation1hTokens: Math.min(entry.cacheCreation1hTokens, entry.cacheCreationTokens),
    cacheReadTokens: entry.cacheReadTokens,
    webSearches: entry.webSearches,
    isFast: entry.isFast,
    isUs: entry.isUs,
    isFinal: entry.isFinal,
    isSynthetic: entry.isSynthetic,
    isError: entry.isError,
    statedNanos: entry.statedNanos,
    visibleTokens: 0,
  }
  if (entry.shown !== null) addSeen(message, shownByFile(entry.shown))
  return message
}

/** A message over its files: each copy shows all of it or less, so the largest counts; of its calls each counts once. */
function addSeen(message: MessageUsage, byFile: ReadonlyMap<number, Shown>): void {
  let most = 0
  const calls = new Set<string>()
  for (const shown of byFile.values()) {
    if (shown.visibleTokens > most) most = shown.visibleTokens
    for (const call of shown.tools) calls.add(call)
  }
  if (!message.isFinal) message.visibleTokens = most
  if (calls.size > 0) message.tools = [...calls].map(toolOf).sort()
}

/** What each file shows, every record of it once. */
function shownByFile(shown: readonly Shown[]): Map<number, Shown> {
  const byFile = new Map<number, Shown>()
  const seen = shown.length === 1 ? null : new Map<number, Set<number>>()
  for (const one of shown) {
    if (seen !== null && !isNew(seen, one)) continue
    const sum = byFile.get(one.file)
    if (sum === undefined) {
      byFile.set(one.file, { ...one })
    } else {
      sum.visibleTokens += one.visibleTokens
      if (one.tools.length > 0) sum.tools = [...sum.tools, ...one.tools]
    }
  }
  return byFile
}

function isNew(seen: Map<number, Set<number>>, { file, offset }: Shown): boolean {
  const offsets = seen.get(file)
  if (offsets === undefined) {
    seen.set(file, new Set([offset]))
    return true
  }
  if (offsets.has(offset)) return false
  offsets.add(offset)
  return true
}

function partOf(entry: Entry): UsageStatement {
  const { ties, shown, next, ...part } = entry
  return { ...part, visibleTokens: 0 }
}

/** Gives a part what its own file shows, and what other files show to statements that say nothing else. */
function spreadShown(part: UsageStatement, shown: readonly Shown[], parts: UsageStatement[]): void {
  const bare = { ...part }
  for (const { file, offset, visibleTokens, tools } of shownByFile(shown).values()) {
    const seen = { visibleTokens, ...(tools.length > 0 ? { tools } : {}) }
    if (file === part.file) Object.assign(part, seen)
    else parts.push({ ...bare, ...seen, file, offset, echo: shownOnly, at: null })
  }
}

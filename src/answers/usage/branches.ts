// Reports by branch and git branch. The place of a message's record decides which branch it belongs to, so these are made from
// messages, not from cells: a cell may contain messages of several branches. A message's thread is renamed, so that sums are
// kept apart by branch as well.

import { ReadError } from '../../disk/read/read.ts'
import { hasFlag, type SessionEvent } from '../../model/event.ts'
import type { EventId, ThreadId } from '../../model/ids.ts'
import type { Branch, SessionGraph } from '../../model/session.ts'
import { type ByteSource, bytesOf, type SessionFiles } from '../../model/source.ts'
import { typedText } from '../../model/typed-text.ts'
import type { MessageUsage, UsageCell, UsageFile } from '../../model/usage.ts'
import { decodePiece } from '../../session/load.ts'
import { rollUp } from '../../usage/cell.ts'
import type { UsageNames } from '../../usage/report.ts'
import { firstLine } from '../../view/words.ts'
import type { Clew } from '../clew.ts'
import { type KnownRows, titledRows } from '../sessions/known.ts'
import { asksForAgents, type UsageData, usageMessages } from './data.ts'
import { agentTypes, type EventReader, eventReader, type GraphReader, graphReader } from './lookup.ts'
import { type BranchRow, noBranches, noGitBranch } from './names.ts'
import type { UsageQuery } from './options.ts'

export async function dataInside(query: UsageQuery, clew: Clew): Promise<UsageData> {
  const answer = await usageMessages(clew)
  const { from, isStale, isSample, messages } = answer
  const findings = [...answer.findings]
  const sessions = await titledRows(clew)
  const branches: BranchRow[] = []
  const isGit = query.form === 'git-branch'
  const parting = isGit
    ? gitBranchParting(await eventReader(clew, findings), sessions)
    : branchParting(await graphReader(clew, findings), clew.source, branches)
  const { part, end } = withProgress(parting, sessions, clew)
  const parted = await partedMessages(answer, sessions, part, isGit ? noGitBranch : noBranches).finally(end)
  const cells = rollUp(parted.messages, { promptSteps: query.pricing.prices.promptSteps, withTools: false })
  const ownerOf = ({ thread }: UsageCell) => parted.ownerOf(thread)
  const names: UsageNames = {
    projectOf: session => sessions.projectKey(session),
    branchOf: ownerOf,
    gitBranchOf: ownerOf,
  }
  if (asksForAgents(query)) {
    const agentOf = await agentTypes(messages, sessions, clew, findings)
    names.agentOf = (session, thread) => agentOf(session, parted.threadOf(thread))
  }
  return { cells, sessions, names, branches, from, isStale, isSample, findings }
}

/** Says how far it is: without an index, logs are read whole. */
function withProgress(parting: Parting, sessions: KnownRows, { listener }: Clew): { part: Parting; end(): void } {
  const total = sessions.ids.reduce((sum, id) => sum + (sessions.row(id)?.bytes ?? 0), 0)
  const progress = listener.progress('reading', total)
  const part: Parting = async session => {
    const ownerOf = await parting(session)
    progress.add(bytesOf(session))
    return ownerOf
  }
  return { part, end: () => progress.end() }
}

/** What the record at a place counts for; the path is empty for a place in an earlier content of a file. */
export type OwnerOf = (path: string, offset: number) => string

/** Looks into one session. */
export type Parting = (session: SessionFiles) => Promise<OwnerOf>

export interface Parted {
  messages: MessageUsage[]
  /** What a renamed thread was called, and what owns it. */
  threadOf(renamed: string): string
  ownerOf(renamed: string): string
}

/** Goes through the sessions one by one. `rest`: the owner of messages whose session cannot be looked into. */
export async function partedMessages(
  { messages, files }: { messages: readonly MessageUsage[]; files: readonly UsageFile[] },
  sessions: KnownRows,
  parting: Parting,
  rest: string,
): Promise<Parted> {
  const renaming = new Renaming(rest)
  const isCurrent = currentFiles(files)
  const parted: MessageUsage[] = []
  for (const [id, own] of bySession(messages)) {
    const session = sessions.row(id)?.session
    const ownerOf: OwnerOf = session === undefined ? () => rest : await parting(session)
    for (const message of own) {
      const path = isCurrent[message.file] ? (files[message.file]?.path ?? '') : ''
      parted.push({ ...message, thread: renaming.name(ownerOf(path, message.offset), message.thread) })
    }
  }
  return { messages: parted, threadOf: name => renaming.thread(name), ownerOf: name => renaming.owner(name) }
}

/** Names for pairs of an owner and a thread. */
class Renaming {
  private readonly rest: string
  private readonly pairs: { owner: string; thread: string }[] = []
  private readonly names = new Map<string, Map<string, string>>()

  constructor(rest: string) {
    this.rest = rest
  }

  name(owner: string, thread: string): string {
    const threads = this.names.get(owner) ?? new Map<string, string>()
    this.names.set(owner, threads)
    const known = threads.get(thread)
    if (known !== undefined) return known
    const name = String(this.pairs.length)
    this.pairs.push({ owner, thread })
    threads.set(thread, name)
    return name
  }

  owner(name: string): string {
    return this.pairs[Number(name)]?.owner ?? this.rest
  }

  thread(name: string): string {
    return this.pairs[Number(name)]?.thread ?? ''
  }
}

/** Sessions are made of the latest content of each path. */
function currentFiles(files: readonly UsageFile[]): boolean[] {
  const latest = new Map<string, number>()
  for (const { path, number } of files) latest.set(path, Math.max(number, latest.get(path) ?? number))
  return files.map(({ path, number }) => latest.get(path) === number)
}

function bySession(messages: readonly MessageUsage[]): Map<string, MessageUsage[]> {
  const groups = new Map<string, MessageUsage[]>()
  for (const message of messages) {
    const group = groups.get(message.session)
    if (group) group.push(message)
    else groups.set(message.session, [message])
  }
  return groups
}

/** As the record says; where its place is not known, as the session's last record does. */
export function gitBranchParting(read: EventReader, sessions: KnownRows): Parting {
  return async session => {
    const branches = new Map<string, string | undefined>()
    await read(session, ({ wireType, source, gitBranch }) => {
      if (wireType === 'assistant') branches.set(`${source.offset} ${source.file}`, gitBranch)
    })
    const last = sessions.row(session.id)?.gitBranch
    return (path, offset) => {
      const place = `${offset} ${path}`
      return (branches.has(place) ? branches.get(place) : last) || noGitBranch
    }
  }
}

const longestLabel = 120

/** `rows` gets the branches of every session that is looked into. */
export function branchParting(read: GraphReader, source: ByteSource, rows: BranchRow[]): Parting {
  return async session => {
    const graph = await read(session)
    const owners = graph === null ? null : branchOwners(graph)
    if (owners === null) return () => noBranches
    const own = owners.branches.map(owned => branchRow(owned, session, source))
    rows.push(...own)
    return (path, offset) => own[owners.ownerAt(path, offset)]?.key ?? noBranches
  }
}

function branchRow({ branch, first }: OwnedBranch, session: SessionFiles, source: ByteSource): BranchRow {
  const { leaf, isActive, title } = branch
  const label = first === null ? '' : beginning(firstLine(textOf(first, session, source)))
  return { key: `${session.id} ${leaf}`, session: session.id, leaf, isActive, label: label || title || '' }
}

function beginning(text: string): string {
  const characters = [...text.slice(0, 4 * longestLabel)]
  return characters.length <= longestLabel ? text : `${characters.slice(0, longestLabel).join('')}…`
}

/** What was typed; events from the index have no text, their record does. */
function textOf(event: SessionEvent, session: SessionFiles, source: ByteSource): string {
  const text = typedText(event)
  if (text !== '') return text
  const log = session.logs.find(one => one.path === event.source.file)
  if (log === undefined) return ''
  try {
    const { offset, bytes } = event.source
    const whole = decodePiece(log, session.id, event, source.readSync(log.generation, offset, offset + bytes))
    return whole === null ? '' : typedText(whole)
  } catch (error) {
    if (error instanceof ReadError) return ''
    throw error
  }
}

export interface OwnedBranch {
  branch: Branch
  /** The first prompt that only it has, of the active one the first of all; else its first event. */
  first: SessionEvent | null
}

/** Null for a session that never went back. */
export function branchOwners(graph: SessionGraph): BranchOwners | null {
  return graph.branches.length > 1 ? new BranchOwners(graph) : null
}

export class BranchOwners {
  readonly branches: OwnedBranch[]
  private readonly graph: SessionGraph
  /** Places in `branches`. */
  private readonly byEvent = new Map<EventId, number>()
  private readonly byThread = new Map<ThreadId, number>()
  private readonly byPlace = new Map<string, EventId>()
  private readonly active: number

  constructor(graph: SessionGraph) {
    this.graph = graph
    // The active one first: what branches share is its.
    this.branches = [...graph.branches]
      .sort((one, other) => Number(other.isActive) - Number(one.isActive))
      .map(branch => ({ branch, first: null }))
    this.active = 0
    for (const [place, { branch }] of this.branches.entries()) this.claim(branch.leaf, place)
    this.claimSiblings()
    this.claimMessages()
    this.claimThreads()
    for (const event of graph.events) this.see(event)
  }

  /** Which of `branches` a record's message counts with; what is not placed counts with the active one. */
  ownerAt(path: string, offset: number): number {
    const id = this.byPlace.get(placeKey(path, offset))
    return id === undefined ? this.active : this.ownerOf(id)
  }

  private ownerOf(id: EventId): number {
    const node = this.graph.nodes.get(id)
    const thread = node === undefined ? undefined : this.byThread.get(node.event.thread)
    return thread ?? this.byEvent.get(id) ?? this.active
  }

  /** From a leaf up to what another branch owns already. */
  private claim(leaf: EventId, place: number): void {
    let id: EventId | null = leaf
    while (id !== null && !this.byEvent.has(id)) {
      this.byEvent.set(id, place)
      id = this.graph.nodes.get(id)?.parent ?? null
    }
  }

  /** What no leaf leads to belongs to what it is attached to. */
  private claimSiblings(): void {
    for (const { id } of this.graph.events) {
      const path: EventId[] = []
      let at: EventId | null = id
      while (at !== null && !this.byEvent.has(at)) {
        // A mark against going round in circles; the right owner follows.
        this.byEvent.set(at, this.active)
        path.push(at)
        at = this.graph.nodes.get(at)?.parent ?? null
      }
      const owner = at === null ? this.active : (this.byEvent.get(at) ?? this.active)
      for (const step of path) this.byEvent.set(step, owner)
    }
  }

  /** Lines of one answer may be attached side by side: all are on the branch that one of them leads on. */
  private claimMessages(): void {
    for (const { events } of this.graph.messages) {
      const owners = events.map(id => this.byEvent.get(id) ?? this.active)
      const own = owners.find(owner => owner !== this.active)
      if (own === undefined || owners.every(owner => owner === own)) continue
      if (this.leadsOnActive(events)) continue
      for (const id of events) this.byEvent.set(id, own)
    }
  }

  private leadsOnActive(events: readonly EventId[]): boolean {
    const children = events.flatMap(id => this.graph.nodes.get(id)?.children ?? [])
    const inside = new Set<EventId>(events)
    // Results of a parallel call are attached to the active path: they lead nowhere.
    const isActive = (id: EventId) => this.byEvent.get(id) === this.active && this.graph.activePath.has(id)
    return children.some(id => !inside.has(id) && isActive(id))
  }

  private claimThreads(): void {
    const requests = new Map(this.graph.toolCalls.map(call => [call.id, call.requestEvent]))
    const threads = new Map(this.graph.threads.map(thread => [thread.id, thread]))
    for (const thread of this.graph.threads) {
      if (thread.kind === 'main') continue
      // Subagents of subagents: up to the one that the main thread started.
      let top = thread
      const seen = new Set<ThreadId>([top.id])
      for (;;) {
        const above = top.parentThread === undefined ? undefined : threads.get(top.parentThread)
        if (above === undefined || above.kind === 'main' || seen.has(above.id)) break
        seen.add(above.id)
        top = above
      }
      const request = top.call === undefined ? undefined : requests.get(top.call)
      this.byThread.set(thread.id, (request === undefined ? undefined : this.byEvent.get(request)) ?? this.active)
    }
  }

  private see(event: SessionEvent): void {
    if (event.message !== undefined) this.byPlace.set(placeKey(event.source.file, event.source.offset), event.id)
    if (this.byThread.has(event.thread)) return
    const owned = this.branches[this.ownerOf(event.id)]
    if (owned === undefined || (owned.first !== null && owned.first.kind === 'prompt')) return
    if (event.kind === 'prompt' && !hasFlag(event, 'copy')) owned.first = event
    else if (owned.first === null && event.kind === 'answer') owned.first = event
  }
}

function placeKey(path: string, offset: number): string {
  return `${offset} ${path}`
}

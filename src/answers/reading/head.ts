// The head of a session: what is shown above its transcript. Its own records give most of it; cost, lineage, and whether it is
// live, archived or about to be deleted are added here. For a long session, a first head comes from the index and the first
// slots from its first bytes, before the rest is read.

import type { Instant } from '../../base/instant.ts'
import { isFolder, Retention } from '../../disk/discover/homes.ts'
import { buildGraph, digestSession, linkSessions } from '../../graph/graph.ts'
import { SessionRows } from '../../index/search/session-rows.ts'
import { indexedSession, kinOf, parentsNamedFrom, sessionThreads } from '../../index/search/sessions.ts'
import type { Database } from '../../index/store/port.ts'
import type { LineageLink, SessionGraph } from '../../model/session.ts'
import { type ByteSource, bytesOf, isBeingWritten, isOnDisk, type SessionFiles } from '../../model/source.ts'
import { totalTokens } from '../../model/usage.ts'
import type { KnownHead } from '../../render/document.ts'
import { goneNote, type PricedUsage } from '../../render/words.ts'
import { GrowingLog, graphFile } from '../../session/load.ts'
import { countsOf, graphReader, headProject, usageOf } from '../../session/reading/graph-reader.ts'
import type { Slots } from '../../session/reading/slots.ts'
import { resumeCommand } from '../../session/resume-command.ts'
import type { SummaryRow } from '../../session/summary.ts'
import type { SessionUsage } from '../../usage/session-usage.ts'
import { uncertainEvents } from '../../view/placement.ts'
import type { EventGroup } from '../../view/plan.ts'
import type { HeadThread, HeadUsage, SessionHead, SlotItems } from '../../view/reading.ts'
import type { Clew } from '../clew.ts'
import { indexFor } from '../knows/index-use.ts'
import type { LongLived } from '../long-lived.ts'
import { versionOf } from '../memo.ts'
import { scopeOf } from '../scope.ts'
import { archivedIn } from '../session/detail.ts'
import { knownRows } from '../sessions/known.ts'
import { familiesOf } from '../sessions/pictures.ts'
import { pricingOf } from '../usage/prices.ts'
import { countedUsage, usageOfSessions } from '../usage/sessions.ts'
import { readRange } from './hydration.ts'
import { type Reading, withoutGone } from './open-sessions.ts'

export interface HeadContext {
  clew: Clew
  files: SessionFiles
  isLive: boolean
  isArchived: boolean
  /** Absent where it is not counted yet. */
  cost?: SessionUsage
  /** Its row in the index; absent where it is not indexed yet. */
  facts?: SummaryRow
  lineage: LineageLink[]
  /** Its project, as lists have it. */
  project?: { key: string; name: string }
}

type StatusKeys = 'isLive' | 'lineage' | 'onDisk' | 'isArchived' | 'deletedOn' | 'resume'

/** Adds what the graph does not know, or knows less well. */
export function withStatus(head: SessionHead, context: HeadContext): SessionHead {
  const { facts, files } = context
  const full: SessionHead = { ...head, ...statusOf(context) }
  full.project = headProject({ cwd: facts?.cwd ?? head.project.cwd, slug: files.slug }, context.project)
  if (facts !== undefined && facts.titleFrom === 'summary')
    Object.assign(full, { title: facts.title, titleFrom: 'summary' })
  if (facts?.gitBranch !== undefined) full.gitBranch = facts.gitBranch
  if (context.cost !== undefined) {
    const { withInherited: all = head.usage } = head
    delete full.withInherited
    Object.assign(full, isBehind(context.cost, facts, all) ? { usage: all } : usageOf(context.cost, all))
  }
  const resume = resumeOf(full.project.cwd, context)
  if (resume !== undefined) full.resume = resume
  return full
}

/**
 * Whether the index is behind the log of a session that grows: it has seen other messages, and all that it has seen are the
 * session's own. Then those that came since are, too.
 */
function isBehind(cost: SessionUsage, facts: SummaryRow | undefined, all: HeadUsage): boolean {
  if (facts === undefined) return false
  const counted = totalTokens(facts.usage)
  return counted !== totalTokens(all) && totalTokens(cost.usage) === counted
}

/** What a document takes from it. */
export function knownHead({ title, project, usage, withInherited, onDisk }: SessionHead): KnownHead {
  const tokens = documentUsage(usage)
  const known: KnownHead = { title, projectName: project.name, tokens, notes: onDisk ? [] : [goneNote] }
  return withInherited === undefined ? known : { ...known, withInherited: documentUsage(withInherited) }
}

function documentUsage({
  isOutputFinal,
  unknownModels: _,
  subagentsUSD: __,
  ownAgentsUSD: ___,
  ...tokens
}: HeadUsage): PricedUsage {
  return { ...tokens, outputFinal: isOutputFinal }
}

function statusOf({ files, isLive, isArchived, lineage }: HeadContext): Pick<SessionHead, StatusKeys> {
  const onDisk = isOnDisk(files)
  const deletedOn = onDisk ? new Retention().deletedOn(files) : undefined
  return {
    isLive,
    lineage,
    onDisk,
    isArchived,
    ...(deletedOn !== undefined && { deletedOn: new Date(deletedOn).toISOString() }),
  }
}

/** The command for a shell; absent where its files or its folder are gone. */
function resumeOf(cwd: string | null, { clew, files }: HeadContext): string | undefined {
  const main = files.logs.find(log => log.role === 'session')
  if (scopeOf(clew).isSample || main === undefined || main.isArchiveOnly === true || cwd === null || !isFolder(cwd))
    return undefined
  const shell = process.platform === 'win32' ? 'powershell' : 'posix'
  return resumeCommand(shell, cwd, main.nameSession ?? files.id)
}

/** From the index alone, so without branches and compactions. */
function firstHead(db: Database, facts: SummaryRow, context: HeadContext): SessionHead {
  const threads = sessionThreads(db, facts.id).map((thread): HeadThread => {
    const { id, kind, events, started, ended, agent } = thread
    const times = { startedAt: instantOf(started), endedAt: instantOf(ended) }
    return { id, kind, events, ...times, ...(agent !== undefined && { agentType: agent }) }
  })
  const { usage, models } = facts
  const head: SessionHead = {
    id: facts.id,
    title: facts.title,
    titleFrom: facts.titleFrom,
    project: headProject({ cwd: facts.cwd, slug: context.files.slug }, context.project),
    startedAt: facts.startedAt,
    endedAt: facts.endedAt,
    models,
    versions: [],
    threads,
    branches: [],
    compactions: [],
    counts: countsOf(facts),
    ...statusOf(context),
    usage: {
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      cacheCreationTokens: usage.cacheCreationTokens,
      cacheReadTokens: usage.cacheReadTokens,
      isOutputFinal: usage.outputFinal,
      unknownModels: [],
    },
  }
  return withStatus(head, context)
}

function instantOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

const firstBytes = 320 * 1024
/** Up to this, a session that is not in the index yet is read whole. */
const unknownBytes = 4 * 1024 * 1024
const mostFirstSlots = 48
/** About a screen: this many are given even where a call in them may still get its thread. */
const leastFirstSlots = 12
/** The last records may belong together with the next ones. */
const leftOut = 2

/**
 * The head, and the first slots that the whole session will show in the same way: none where that is not certain. Null where
 * the session is short: then all of it is read.
 */
export async function firstOf(
  db: Database | null,
  files: SessionFiles,
  source: ByteSource,
  context: HeadContext,
  most = firstBytes,
): Promise<{ head: SessionHead; items: SlotItems } | null> {
  const { facts } = context
  const [main] = files.logs
  const isKnown = db !== null && facts !== undefined
  if (main?.role !== 'session' || bytesOf(files) <= (isKnown ? most : unknownBytes)) return null
  const log = new GrowingLog(main, files.id)
  const bytes = await readRange(source, main, 0, most)
  // Without the line that continues after them.
  log.push(bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1))
  const events = log.events()
  if (!events.some(event => event.kind === 'prompt' || event.kind === 'answer')) return null
  const graph = buildGraph(files.id, [graphFile(main, events)], files.side, true)
  const reader = graphReader(graph, pricingOf(context.clew))
  const head = isKnown ? firstHead(db, facts, context) : withStatus(await reader.head(), context)
  const end = isKnown ? certainSlots(graph, reader.slots, files, parentsNamedFrom(db, files.id, log.bytes)) : 0
  return { head, items: await reader.items(0, Math.max(0, end)) }
}

/** How many slots are there for certain. `forked`: events that later ones continue from. */
function certainSlots(graph: SessionGraph, slots: Slots, files: SessionFiles, forked: ReadonlySet<string>): number {
  const groups = slots.of(slots.main)
  const uncertain = uncertainEvents(graph, files.logs.length > 1)
  const first = (test: (group: EventGroup) => boolean) => {
    const at = groups.findIndex(test)
    return at < 0 ? groups.length : at
  }
  const calls = first(group => group.events.some(({ id }) => uncertain.has(id)))
  const others = first(({ events, loose }) => loose !== undefined || events.some(({ kind }) => kind === 'queue'))
  // What comes after such an event may be a path that was left.
  const fork = first(({ events }) => events.some(({ id }) => forked.has(id))) + 1
  const branch = first(({ events }) => events.some(({ id }) => graph.abandoned.has(id)))
  return Math.min(mostFirstSlots, groups.length - leftOut, others, fork, branch, Math.max(calls, leastFirstSlots))
}

/** Links arise when a session begins or ends, and finding them reads all rows: an answer is used for a while. */
const lineageMs = 60_000
const mostLineages = 200

interface HeldLinks {
  links: LineageLink[]
  version: string
  atMs: number
}

const heldLinks = new WeakMap<Clew, Map<string, HeldLinks>>()

/** The sessions that one is linked to, found in the index; none without one. */
async function lineageOf(clew: Clew, graph: SessionGraph): Promise<LineageLink[]> {
  const index = await indexFor(clew)
  if (index === null) return []
  const known = heldLinks.get(clew) ?? new Map<string, HeldLinks>()
  heldLinks.set(clew, known)
  const version = versionOf(clew)
  const held = known.get(graph.session)
  const atMs = performance.now()
  if (held !== undefined && (held.version === version || atMs - held.atMs < lineageMs)) return held.links
  const digest = digestSession(graph)
  const rows = new SessionRows(index.db, index.isInScope)
  const digests = rows.mainGraphs(kinOf(index.db, digest)).map(digestSession)
  const links = linkSessions([digest, ...digests]).get(graph.session) ?? []
  known.delete(graph.session)
  known.set(graph.session, { links, version, atMs })
  const [oldest] = known.keys()
  if (known.size > mostLineages && oldest !== undefined) known.delete(oldest)
  return links
}

/** What is shown above the transcript of a session that was read. */
export async function sessionHead(clew: Clew, { reader, graph, files }: Reading): Promise<SessionHead> {
  const head = await reader.head()
  const context = await contextOf(clew, files, { endedAt: head.endedAt })
  return withStatus(head, { ...context, lineage: await lineageOf(clew, graph) })
}

/** Head and first slots of a session, before all of it is read where it is long. */
export async function sessionFirst(handle: LongLived, id: string): Promise<{ head: SessionHead; items: SlotItems }> {
  const { clew } = handle
  const files = await handle.files(id)
  const context = await contextOf(clew, files, { isQuick: true })
  const index = await indexFor(clew)
  const first = await firstOf(index?.db ?? null, files, clew.source, context)
  if (first !== null) return first
  const { reader, graph } = await handle.reading(id)
  const lineage = (await hasKin(clew, graph)) ? await lineageOf(clew, graph) : []
  return { head: withStatus(await reader.head(), { ...context, lineage }), items: await reader.items(0, 64) }
}

/** Whether it is worth looking for sessions that it is linked to: a first screen should say it, and not wait for nothing. */
async function hasKin(clew: Clew, graph: SessionGraph): Promise<boolean> {
  const { forkedFrom, continuedIn } = digestSession(graph)
  return forkedFrom.length + continuedIn.length > 0 || (await familiesOf(clew)).has(graph.session)
}

/** `endedAt`: the time of the last record, where it was read; else the index knows it. `isQuick`: old costs will do. */
async function contextOf(
  clew: Clew,
  known: SessionFiles,
  { isQuick = false, endedAt }: { isQuick?: boolean; endedAt?: Instant },
): Promise<HeadContext> {
  const files = withoutGone(known)
  const index = await indexFor(clew)
  const facts = index === null ? undefined : indexedSession(index.db, files.id)?.facts
  const rows = await knownRows(clew)
  const ended = endedAt ?? rows.row(files.id)?.endedAt ?? null
  const context: HeadContext = {
    clew,
    files,
    isLive: !scopeOf(clew).isSample && isBeingWritten(files, ended, Date.now()),
    isArchived: (await archivedIn(clew))(known),
    lineage: [],
  }
  const project = rows.project(files.id)
  if (project !== undefined) context.project = { key: project.key, name: project.name }
  if (facts !== undefined) context.facts = facts
  const usageOf =
    index === null ? undefined : await ((isQuick ? usageOfSessions.last(clew) : undefined) ?? countedUsage(clew))
  const cost = usageOf?.(files.id)
  return cost === undefined ? context : { ...context, cost }
}

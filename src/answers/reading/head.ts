// The head of a session: what is shown above its transcript. Its own records give most of it; cost, lineage, and whether it is
// live, archived or about to be deleted are added here. For a long session, a first head comes from the index and the first
// slots from its first bytes, before the rest is read.

import { isFolder, Retention } from '../../disk/discover/homes.ts'
import { buildGraph, digestSession, linkSessions } from '../../graph/graph.ts'
import { SessionRows } from '../../index/search/session-rows.ts'
import { kinOf, parentsNamedFrom, sessionThreads } from '../../index/search/sessions.ts'
import type { Database } from '../../index/store/port.ts'
import type { LineageLink, SessionGraph } from '../../model/session.ts'
import { type ByteSource, bytesOf, isOnDisk, type SessionFiles } from '../../model/source.ts'
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
import { scopeOf } from '../scope.ts'
import { pricingOf } from '../usage/prices.ts'
import { readRange } from './hydration.ts'

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
  return counted !== totalTokens({ ...all, outputFinal: all.isOutputFinal }) && totalTokens(cost.usage) === counted
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
    return { id, kind, events, calls: 0, ...times, ...(agent !== undefined && { agentType: agent }) }
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
  const graph = buildGraph(files.id, [graphFile(main, events)], files.side)
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

/** The sessions that one is linked to, found in the index. */
export class Lineage {
  private readonly clew: Clew
  private readonly known = new Map<string, { links: LineageLink[]; version: string; atMs: number }>()

  constructor(clew: Clew) {
    this.clew = clew
  }

  /** `version`: of the rows in the index. */
  of(db: Database, version: string, graph: SessionGraph): LineageLink[] {
    const known = this.known.get(graph.session)
    const now = performance.now()
    if (known !== undefined && (known.version === version || now - known.atMs < lineageMs)) return known.links
    const digest = digestSession(graph)
    const rows = new SessionRows(db, scopeOf(this.clew).isInScope)
    const digests = rows.mainGraphs(kinOf(db, digest)).map(digestSession)
    const links = linkSessions([digest, ...digests]).get(graph.session) ?? []
    this.known.delete(graph.session)
    this.known.set(graph.session, { links, version, atMs: now })
    const [oldest] = this.known.keys()
    if (this.known.size > mostLineages && oldest !== undefined) this.known.delete(oldest)
    return links
  }
}

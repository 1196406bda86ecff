// What is said of a session above its transcript, as far as its own records do not tell it: cost, kin, whether it is in use,
// kept, or about to be deleted. A head from the index alone comes first; what only the graph knows is not in it.

import { statSync } from 'node:fs'
import { posixQuote, powershellQuote } from '../../base/shell-quote.ts'
import { Retention } from '../../disk/discover/homes.ts'
import { sessionThreads } from '../../index/search/threads.ts'
import type { Database } from '../../index/store/port.ts'
import type { LineageLink } from '../../model/session.ts'
import { isOnDisk, type SessionFiles } from '../../model/source.ts'
import type { SummaryRow } from '../../session/summary.ts'
import { contextWindow } from '../../usage/prices.ts'
import type { HeadThread, SessionHead } from '../../view/reading.ts'
import type { SessionCost } from '../api/costs.ts'
import type { Scope } from '../api/scope.ts'

export interface HeadContext {
  scope: Scope
  files: SessionFiles
  isLive: boolean
  isKept: boolean
  /** Absent where it is not counted yet. */
  cost?: SessionCost
  /** What lists say of it; absent where it is not indexed yet. */
  facts?: SummaryRow
  lineage: LineageLink[]
}

type StandingKeys = 'isLive' | 'lineage' | 'onDisk' | 'isKept' | 'deletedOn' | 'resume' | 'contextWindow' | 'usage'

/** What the graph's own head lacks or knows less well. */
export function withStanding(head: SessionHead, context: HeadContext): SessionHead {
  const { facts, files } = context
  const told: SessionHead = { ...head, ...standingOf(context, head.models) }
  told.project = { cwd: facts?.cwd ?? head.project.cwd, slug: files.slug }
  if (facts !== undefined && facts.titleFrom === 'summary')
    Object.assign(told, { title: facts.title, titleFrom: 'summary' })
  if (facts?.gitBranch !== undefined) told.gitBranch = facts.gitBranch
  if (context.cost === undefined) told.usage = head.usage
  const resume = resumeOf(told.project.cwd, context)
  if (resume !== undefined) told.resume = resume
  return told
}

function standingOf(context: HeadContext, models: readonly string[]): Pick<SessionHead, StandingKeys> {
  const { scope, files, isLive, isKept, lineage, cost } = context
  const onDisk = isOnDisk(files)
  const deletedOn = onDisk ? new Retention().deletedOn(files) : undefined
  const lastModel = models.at(-1)
  const window = lastModel === undefined ? null : contextWindow(scope.settings.prices, lastModel)
  return {
    isLive,
    lineage,
    onDisk,
    isKept,
    usage: usageOf(cost),
    ...(deletedOn !== undefined && { deletedOn: new Date(deletedOn).toISOString() }),
    ...(window !== null && { contextWindow: window }),
  }
}

function usageOf(cost: SessionCost | undefined): SessionHead['usage'] {
  if (cost === undefined) {
    const tokens = { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0 }
    return { ...tokens, isOutputFinal: true, unknownModels: [] }
  }
  const { subagentsUSD, ...rest } = cost
  return { ...rest, ...(subagentsUSD > 0 && { subagentsUSD }) }
}

/** The command to run in a shell; absent where its files or its folder are not here. */
function resumeOf(cwd: string | null, { scope, files }: HeadContext): string | undefined {
  const main = files.logs.find(log => log.role === 'session')
  if (scope.isSample || main === undefined || main.isKept === true || cwd === null || !isFolder(cwd)) return undefined
  const id = main.nameSession ?? files.id
  const isWindows = process.platform === 'win32'
  const quote = isWindows ? powershellQuote : posixQuote
  const claude = `claude ${id.startsWith('-') ? '--resume=' : '--resume '}${quote(id)}`
  if (isWindows) return `Set-Location -LiteralPath ${quote(cwd)}; if ($?) { ${claude} }`
  return `cd ${cwd.startsWith('-') ? '-- ' : ''}${quote(cwd)} && ${claude}`
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** From the index alone: branches and compactions are told later. */
export function firstHead(db: Database, facts: SummaryRow, context: HeadContext): SessionHead {
  const threads = sessionThreads(db, facts.id).map((thread): HeadThread => {
    const { id, kind, events, started, ended, agent } = thread
    const times = { startedAt: instantOf(started), endedAt: instantOf(ended) }
    return { id, kind, events, calls: 0, ...times, ...(agent !== undefined && { agentType: agent }) }
  })
  const { usage } = facts
  const head: SessionHead = {
    id: facts.id,
    title: facts.title,
    titleFrom: facts.titleFrom,
    project: { cwd: facts.cwd, slug: context.files.slug },
    startedAt: facts.startedAt,
    endedAt: facts.endedAt,
    models: facts.models,
    versions: [],
    threads,
    branches: [],
    compactions: [],
    counts: {
      events: facts.events,
      prompts: facts.prompts,
      calls: facts.toolCalls,
      errors: facts.errors,
      subagents: facts.subagents,
    },
    ...standingOf(context, facts.models),
    usage: {
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      cacheCreationTokens: usage.cacheCreationTokens,
      cacheReadTokens: usage.cacheReadTokens,
      isOutputFinal: usage.outputFinal,
      ...(facts.costUSD !== undefined && { costUSD: facts.costUSD }),
      unknownModels: [],
    },
  }
  return withStanding(head, context)
}

function instantOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

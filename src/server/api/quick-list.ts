// The list of sessions before there is an index: what a walk finds, and of the newest sessions what the ends of their files
// tell. Counts are of what was read, so lower bounds.

import { discover } from '../../disk/discover/discover.ts'
import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import { type ByteSource, type LogFile, lastChange, mainLogs, type SessionFiles } from '../../model/source.ts'
import { GrowingLog } from '../../session/load.ts'
import { SessionSummary } from '../../session/summary.ts'
import type { Places } from './fresh-index.ts'
import { type ListEntry, toEntry } from './list.ts'
import type { Scope } from './scope.ts'

/** So many sessions are looked into, and so much of each. */
const mostRead = 200
const headBytes = 48 * 1024
const tailBytes = 32 * 1024

export class QuickList {
  private readonly scope: Scope
  private readonly places: () => Places
  private found: Promise<readonly ListEntry[]> | null = null

  constructor(scope: Scope, places: () => Places) {
    this.scope = scope
    this.places = places
  }

  /** The last used first. Found once: the index is soon there. */
  entries(): Promise<readonly ListEntry[]> {
    this.found ??= this.find()
    return this.found
  }

  async files(id: string): Promise<SessionFiles | null> {
    return (await this.entries()).find(({ session }) => session.id === id)?.session ?? null
  }

  private async find(): Promise<readonly ListEntry[]> {
    const { tree, source } = this.places()
    const discoveries = await Promise.all(this.scope.roots.map(root => discover(root, tree)))
    const sessions = mergeDiscoveries(discoveries, source)
    sessions.sort((one, other) => lastChange(other) - lastChange(one))
    const entries: ListEntry[] = []
    for (const [n, session] of sessions.entries()) {
      const summary = new SessionSummary(session.id)
      if (n < mostRead) await seeEnds(summary, session, source)
      entries.push(toEntry({ session, facts: summary.row() }))
    }
    return entries.sort((one, other) => other.whenMs - one.whenMs)
  }
}

async function seeEnds(summary: SessionSummary, session: SessionFiles, source: ByteSource): Promise<void> {
  for (const log of mainLogs(session)) {
    try {
      for (const [from, to] of rangesOf(log)) seeRange(summary, session, log, source, from, to)
    } catch {
      // Without its words it has its id.
    }
  }
  await new Promise(resolve => setImmediate(resolve))
}

function rangesOf({ size }: LogFile): [from: number, to: number][] {
  if (size <= headBytes + tailBytes) return [[0, size]]
  return [
    [0, headBytes],
    [size - tailBytes, size],
  ]
}

/** Whole lines only: what is cut at either end is left out. */
function seeRange(
  summary: SessionSummary,
  session: SessionFiles,
  file: LogFile,
  source: ByteSource,
  from: number,
  to: number,
): void {
  const bytes = source.readSync(file.generation, from, to)
  const start = from === 0 ? 0 : bytes.indexOf(0x0a) + 1
  const end = to >= file.size ? bytes.length : bytes.lastIndexOf(0x0a) + 1
  const log = new GrowingLog(file, session.id)
  log.push(bytes.slice(start, Math.max(start, end)))
  for (const event of log.events()) summary.see(event)
}

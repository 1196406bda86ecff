// What is known of the sessions that are being written during a watch: title, project, colour, subagents. It reads
// the ends of a session's main file once, when its first event is seen.

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Instant } from '../../base/instant.ts'
import { diskTree } from '../../disk/discover/tree.ts'
import { blocksText, hasFlag, type SessionEvent, wasQueued } from '../../model/event.ts'
import type { SessionId } from '../../model/ids.ts'
import type { AgentMeta, LogFile, SessionFiles } from '../../model/source.ts'
import { namedTitle, noteFirstPrompt, noteTitle, type TitleFallbacks, type TitleState } from '../../model/title.ts'
import { quickRows } from '../../session/scan/quick-rows.ts'

/** A log, and its session by place and first bytes. */
export interface FileFacts {
  log: LogFile
  session: SessionId
  slug: string
}

/** Both logs get a line at about the same time. */
const mostAgentLines = 10_000

export class WatchedSession {
  readonly id: SessionId
  readonly slug: string
  /** In the order in which they were first seen. */
  readonly hue: number
  /** It began during the watch. */
  readonly isNew: boolean
  /** Of its last event that has one. */
  lastAt: Instant = null
  /** Whether its heading was printed. */
  isIntroduced = false
  private readonly seen = new Set<string>()
  private readonly queued = new Set<string>()
  private readonly agentLines = new Set<string>()
  private readonly agents = new Map<string, AgentMeta>()
  private readonly titles: TitleState = {}
  private readonly fallbacks: TitleFallbacks = {}
  private known: string | undefined
  private ownCwd: string | null = null
  /** Its main file, until its ends are read. */
  private unread: string | null

  constructor({ session, slug, log }: FileFacts, hue: number, isNew: boolean) {
    this.id = session
    this.slug = slug
    this.hue = hue
    this.isNew = isNew
    this.unread = isNew ? null : log.role === 'session' ? log.path : mainLogFor(log.path, session)
  }

  private readEnds(): void {
    const path = this.unread
    this.unread = null
    if (path === null) return
    try {
      const stat = diskTree.stat(path)
      if (stat.kind !== 'file') return
      const { kind: _kind, ...file } = stat
      const session: SessionFiles = {
        id: this.id,
        slug: this.slug,
        logs: [{ path, role: 'session', ...file, nameSession: this.id }],
        side: [],
      }
      const [row] = quickRows([session], diskTree.source)
      this.ownCwd ??= row?.cwd ?? null
      if (row !== undefined && row.titleFrom !== 'id') this.known ??= row.title
    } catch {
      // Without a title it has its id.
    }
  }

  get cwd(): string | null {
    if (this.ownCwd === null) this.readEnds()
    return this.ownCwd
  }

  get title(): string | undefined {
    this.readEnds()
    return this.known ?? this.fallbacks.firstPrompt ?? this.fallbacks.firstCommand
  }

  /** Takes note of what an event says about its session; the new title where it gives it one. */
  see(event: SessionEvent): string | undefined {
    if (event.at !== null) this.lastAt = event.at
    if (event.cwd !== undefined) this.ownCwd ??= event.cwd
    if (event.thread !== (this.id as string)) return undefined
    if (!hasFlag(event, 'sidechain')) noteFirstPrompt(this.fallbacks, event)
    noteTitle(this.titles, event)
    if (event.kind !== 'title') return undefined
    const title = namedTitle({ ...this.titles })?.title
    // Claude Code writes it again and again.
    if (title === undefined || title === this.known) return undefined
    this.known = title
    return title
  }

  noteAgent(id: string, meta: AgentMeta | undefined): void {
    if (meta !== undefined) this.agents.set(id, meta)
  }

  agentOf(thread: string): AgentMeta | undefined {
    return this.agents.get(thread)
  }

  /** Whether another log of the session has shown this line of a subagent already; takes note of it. */
  isRepeatedLine(event: SessionEvent): boolean {
    const isOfAgent = event.thread !== (this.id as string) && event.stated.uuid !== undefined
    if (!isOfAgent || hasFlag(event, 'copy')) return false
    if (this.agentLines.has(event.id)) return true
    this.agentLines.add(event.id)
    const [oldest] = this.agentLines
    if (this.agentLines.size > mostAgentLines && oldest !== undefined) this.agentLines.delete(oldest)
    return false
  }

  /** Whether a prompt was shown already when it was put into the queue; takes note of one that is. */
  isRepeated(event: SessionEvent): boolean {
    const text = blocksText(event.blocks).trim()
    if (event.kind === 'queue' && text !== '') this.queued.add(text)
    return wasQueued(event) && this.queued.delete(text)
  }

  /** True for the first call with a thread. */
  isFirstOf(thread: string): boolean {
    if (this.seen.has(thread)) return false
    this.seen.add(thread)
    return true
  }
}

/** `<slug>/<session>/subagents/agent-x.jsonl` → `<slug>/<session>.jsonl`; old agent files are next to it. */
function mainLogFor(path: string, session: SessionId): string {
  for (let folder = dirname(path); dirname(folder) !== folder; folder = dirname(folder)) {
    const main = join(folder, `${session}.jsonl`)
    if (existsSync(main)) return main
  }
  return path
}

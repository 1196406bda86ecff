// A session as one writes it: events one after the other, subagents, branches, compactions, deletions and the prompt history. How
// lines come into a file is session-log.ts's; what they look like is wire's.

import { randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import { attempt } from '../base/attempt.ts'
import { textToBytes } from '../base/bytes.ts'
import { ensureFolder, writeWhole } from '../files/durable.ts'
import { isBeside, type SessionEvent } from '../model/event.ts'
import type { AgentMeta } from '../model/source.ts'
import { AppendFile, systemError } from './append-file.ts'
import { type Compaction, compactionEvents, deletionEvents } from './changes.ts'
import { Lease } from './lease.ts'
import type { SessionOps } from './ops.ts'
import { agentFilePath, agentMetaPath } from './place.ts'
import { type Appended, SessionLog, type SyncPolicy } from './session-log.ts'
import type { WireDialect } from './wire/dialects.ts'
import { newAgentName } from './wire/dialects.ts'
import type { EncoderOptions } from './wire/encoder.ts'
import { WriteError } from './wire/error.ts'
import { text } from './wire/make.ts'
import { checkInput, type Loss, type NewEvent } from './wire/new-event.ts'

/** What all files of a session are written with. */
export interface WriterSetting {
  ops: SessionOps
  sync: SyncPolicy
  clewHome: string
  waitMs: number
  dialect: WireDialect
  encoder: Omit<EncoderOptions, 'newId' | 'now' | 'isStrict'>
  /** The home that the session is in; null where it is in none. */
  home: string | null
}

/** Who a subagent is. */
export interface Subagent {
  /** `Explore`, `general-purpose`, or what else the tool calls it. */
  type: string
  description: string
  prompt: string
}

/** A line of the prompt history, which is one for all sessions of a home. */
export interface HistoryLine {
  display: string
  pastedContents?: Readonly<Record<string, unknown>>
}

/** Writes the main thread of a session, or one of its subagents. */
export class SessionWriter {
  readonly session: string
  /** The file that the lines of this writer are in. */
  readonly path: string
  readonly dialect: WireDialect
  /** The subagent that it writes for; absent on the main thread. */
  readonly agent?: string
  /** The task of the subagent, as it was written. */
  readonly delegation?: Appended
  private readonly log: SessionLog
  private readonly setting: WriterSetting
  /** Where the next event branches off. */
  private branch: string | null = null
  private historyFile: { file: AppendFile; lease: Lease } | undefined
  private isClosed = false

  /** Made by `createSession`, `openSession` and `startSubagent`. */
  constructor(log: SessionLog, setting: WriterSetting, side?: { agent: string; delegation?: Appended }) {
    this.log = log
    this.setting = setting
    this.session = setting.encoder.session
    this.path = log.file.path
    this.dialect = setting.dialect
    if (side === undefined) return
    this.agent = side.agent
    if (side.delegation !== undefined) this.delegation = side.delegation
  }

  /**
   * Appends an event behind the last one, in one write. When it resolves, the records are in the file, and on the disk as the
   * policy says. It rejects with a `WriteError`; the file is then as it was.
   */
  async append(event: NewEvent): Promise<Appended> {
    const [appended] = await (this.branch === null ? this.appendPlain(event) : this.appendAll([event]))
    return appended as Appended
  }

  /** Appends events in one write: all of them, or none. */
  async appendAll(events: readonly NewEvent[]): Promise<Appended[]> {
    this.refuseClosed()
    const { branch } = this
    const first = branch === null ? -1 : events.findIndex(event => !isBeside(event))
    const placed = events.map((event, at) => this.placed(event, at === first ? branch : null))
    if (first >= 0) this.branch = null
    try {
      return await this.log.append(placed)
    } catch (error) {
      if (first >= 0) this.branch ??= branch
      throw error
    }
  }

  private appendPlain(event: NewEvent): Promise<Appended[]> {
    this.refuseClosed()
    return this.log.append([this.placed(event, null)])
  }

  private placed(event: NewEvent, branch: string | null): NewEvent {
    const isBranch = branch !== null && event.parent === undefined && event.kind !== 'tool-results'
    if (this.agent === undefined && !isBranch) return event
    return { ...event, ...(this.agent !== undefined && { agent: this.agent }), ...(isBranch && { parent: branch }) }
  }

  /** Lets the next event follow an earlier one. Answers what the dialect cannot do about it. */
  async branchFrom(event: string): Promise<Loss[]> {
    this.refuseClosed()
    await this.know(event)
    if (this.log.form.isOneChain) return [{ event, path: 'parent', why: whyNot(this.log, 'parent') }]
    this.branch = event
    return []
  }

  private async know(event: string): Promise<void> {
    const isKnown = () => this.log.look(() => this.log.state.isKnown(event))
    if (await isKnown()) return
    await this.log.readWhole()
    if (!(await isKnown())) throw new WriteError('unknown-parent', `The session has no event ${event}.`, 'event')
  }

  /**
   * Begins a subagent for a call that has no result yet, with its task as the first line: in a file of its own with what it is
   * next to it, or among the other lines where the dialect has it so.
   */
  async startSubagent(call: string, subagent: Subagent): Promise<SessionWriter> {
    this.refuseClosed()
    const isOpen = () => this.log.look(() => this.log.state.recordOfCall(call) !== undefined)
    if (!(await isOpen())) {
      await this.log.readWhole()
      if (!(await isOpen())) throw new WriteError('no-call', `No call ${call} waits for a result.`, 'call')
    }
    const agent = newAgentName(this.log.form, randomUUID())
    const task: NewEvent = { kind: 'delegation', actor: 'agent', agent, blocks: [text(subagent.prompt)] }
    return this.log.form.hasAgentFiles
      ? this.startInFile(call, subagent, agent, task)
      : this.startInline(call, agent, task)
  }

  private async startInFile(
    call: string,
    { type, description }: Subagent,
    agent: string,
    task: NewEvent,
  ): Promise<SessionWriter> {
    const { ops, dialect, sync, encoder } = this.setting
    const path = agentFilePath(this.path, agent)
    const meta: AgentMeta = { agentType: type, description, toolUseId: call }
    checkInput({ ...task, detail: { ...meta } })
    const log = openLog(path, this.setting, { isNew: true, role: { agent } })
    const metaPath = agentMetaPath(path)
    try {
      ensureFolder(ops, dirname(path))
      writeWhole(ops, metaPath, textToBytes(JSON.stringify(meta)))
    } catch (error) {
      throw systemError(metaPath, 'written', error)
    }
    try {
      const [delegation] = await log.append([task])
      const setting = { ...this.setting, dialect, sync, encoder }
      return new SessionWriter(log, setting, { agent, ...(delegation !== undefined && { delegation }) })
    } catch (error) {
      attempt(() => ops.unlink(metaPath))
      throw error
    }
  }

  private async startInline(call: string, agent: string, task: NewEvent): Promise<SessionWriter> {
    const [delegation] = await this.log.appendMade(log => {
      log.state.startAgent(agent, call)
      return [task]
    })
    const why = 'the dialect has no file for what a subagent is'
    const event = delegation?.id ?? call
    const unsaid: Loss[] = [
      { event, path: 'type', why },
      { event, path: 'description', why },
    ]
    const begun = delegation && { ...delegation, losses: [...delegation.losses, ...unsaid] }
    return new SessionWriter(this.log, this.setting, { agent, ...(begun !== undefined && { delegation: begun }) })
  }

  /** Marks that what was before is replaced by a summary, apart from what is to be kept. */
  async compact(compaction: Compaction): Promise<Appended[]> {
    this.refuseClosed()
    if (this.agent !== undefined) throw new WriteError('bad-input', 'Only the main thread is compacted.')
    const losses: Loss[] = []
    const appended = await this.log.appendMade(log => compactionEvents(log, compaction, losses))
    return appended.map((one, at) => (at === 0 ? { ...one, losses: [...one.losses, ...losses] } : one))
  }

  /**
   * Takes back what an event says, where the dialect has a mark for it: a log only grows, so that the session continues on a new
   * branch with a place holder for the event and copies of what came after it. Elsewhere nothing is written, and the loss says so.
   */
  async deleteSoftly(event: string): Promise<Appended> {
    this.refuseClosed()
    await this.know(event)
    const refused: Loss[] = []
    const appended = await this.log.appendMade(log => deletionEvents(log, event, refused))
    const ids = appended.flatMap(one => one.ids)
    // What the place holder does not say is what was to be taken back.
    const losses = appended.slice(1).flatMap(one => one.losses)
    return { id: ids.at(-1) ?? null, ids, losses: [...refused, ...losses] }
  }

  /** All events of the writer's file as they are now. */
  events(): Promise<SessionEvent[]> {
    return this.log.look(() => this.log.readAll())
  }

  /** The home's prompt history. */
  readonly history = {
    /** Appends a line about something that was typed. */
    append: (line: HistoryLine): Promise<Loss[]> => this.appendHistory(line),
  }

  private async appendHistory({ display, pastedContents = {} }: HistoryLine): Promise<Loss[]> {
    this.refuseClosed()
    const { home, ops, clewHome, waitMs, encoder, sync } = this.setting
    if (home === null) return [{ event: 'history', path: '', why: 'the session is in no home' }]
    checkInput({ kind: 'history', blocks: [text(display)], detail: { pastedContents } })
    if (this.historyFile === undefined) {
      const path = join(home, 'history.jsonl')
      const file = new AppendFile(ops, path, { mayExist: true })
      this.historyFile = { file, lease: new Lease(ops, path, { clewHome, waitMs }) }
    }
    const { file, lease } = this.historyFile
    await lease.hold()
    const change = file.look(true)
    if (change === 'other') file.open()
    if (change === 'grown') file.grow()
    const record = {
      display,
      pastedContents,
      timestamp: Date.now(),
      project: encoder.cwd ?? '/',
      sessionId: this.session,
    }
    file.append(textToBytes(`${JSON.stringify(record)}\n`), sync === 'record')
    return []
  }

  /** Ends it: what was appended is on the disk then, unless the policy is `none`. A second call does nothing. */
  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    this.historyFile?.file.close()
    this.historyFile?.lease.end()
    // Lines among those of others are in the file of the main thread.
    if (this.agent !== undefined && !this.log.form.hasAgentFiles) return
    await this.log.close(log => (this.agent === undefined ? log.state.lastPrompt() : null))
  }

  private refuseClosed(): void {
    if (this.isClosed) throw new WriteError('closed', `${this.path} is closed already.`, this.path)
  }
}

/** Why the dialect cannot say something. */
function whyNot(log: SessionLog, key: string): string {
  return log.form.cannot.find(([pattern]) => pattern.test(key))?.[1] ?? 'the dialect cannot say it'
}

/** A log at a path. `role`: whose lines it has; the main thread's where absent. */
export function openLog(
  path: string,
  { ops, sync, clewHome, waitMs, dialect, encoder }: WriterSetting,
  { isNew, role }: { isNew: boolean; role?: { agent: string } },
): SessionLog {
  const file = new AppendFile(ops, path, { isNew })
  const { session } = encoder
  const decode =
    role === undefined ? { session, role: 'session' as const } : { session, role: 'agent' as const, agent: role.agent }
  return new SessionLog(file, new Lease(ops, path, { clewHome, waitMs }), { dialect, sync, encoder, decode })
}

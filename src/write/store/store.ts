// A session store for the Agent SDK over the files that Claude Code writes, so that an application's sessions are archived,
// indexed, searched and counted like any other. It needs nothing of the SDK; what the SDK passes to it is in `types.ts`.

import { basename, dirname, resolve } from 'node:path'
import { textToBytes } from '../../base/bytes.ts'
import { jsonText } from '../../base/json.ts'
import { ownClewHome } from '../../disk/clew-home.ts'
import { ensureFolder, writeWhole } from '../../files/durable.ts'
import { systemError } from '../append-file.ts'
import { type SessionOps, sessionOps } from '../ops.ts'
import { agentMetaPath, usualHome } from '../place.ts'
import type { SyncPolicy } from '../session-log.ts'
import { deleteLog } from './delete.ts'
import { DeletedLogs } from './deleted.ts'
import { linesOf } from './entries.ts'
import { folderOf, logPlace, projectPlace, sessionPlace } from './place.ts'
import { StoreLog, type StoreSetting } from './store-log.ts'
import { metadataType, StoredLogs, subpathOf } from './stored.ts'
import { mtimeOf, StoreSummaries } from './summaries.ts'
import type { FoldSessionSummary, SessionKey, SessionStore, SessionStoreEntry, SessionSummaryEntry } from './types.ts'

export { WriteError, type WriteErrorCode } from '../wire/error.ts'
export type {
  FoldSessionSummary,
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionSummaryEntry,
} from './types.ts'

/** Where a store has its files, and how it writes them. */
export interface StoreOptions {
  /** The Claude home that it writes to; `$CLAUDE_CONFIG_DIR` or `~/.claude` where absent. */
  home?: string
  /** Clew's own folder, for the archive and for locks; `CLEW_HOME` or the usual one where absent. */
  clewHome?: string
  /** `record` where absent: what was appended is on the disk before it is acknowledged. `none`: whenever the system wants. */
  fsync?: Exclude<SyncPolicy, 'turn'>
  /** How long to wait for another writer, in milliseconds; ten seconds where absent. */
  waitMs?: number
  /** The SDK's function of this name. With it the store has `listSessionSummaries`, and the SDK's list opens no log. */
  foldSessionSummary?: FoldSessionSummary
  /** The system calls that change something. */
  ops?: SessionOps
}

const usualWaitMs = 10_000
/** Logs whose uuids are remembered. */
const mostLogs = 64

/** A store to give to the SDK as `sessionStore`. It has nothing to close. */
export function clewStore(options: StoreOptions = {}): SessionStore {
  const { home, clewHome, fsync = 'record', waitMs = usualWaitMs, foldSessionSummary, ops = sessionOps } = options
  const store = new ClewStore({
    home: resolve(home ?? usualHome()),
    clewHome: ownClewHome(clewHome),
    waitMs,
    isSynced: fsync === 'record',
    ops,
  })
  // Functions of their own, so that an application can put others in their place.
  return {
    append: (key, entries) => store.append(key, entries),
    load: key => store.load(key),
    listSessions: projectKey => store.listSessions(projectKey),
    ...(foldSessionSummary && { listSessionSummaries: key => store.summaries(key, foldSessionSummary) }),
    delete: key => store.delete(key),
    listSubkeys: key => store.listSubkeys(key),
  }
}

class ClewStore {
  private readonly setting: StoreSetting
  private readonly deleted: DeletedLogs
  private readonly stored: StoredLogs
  private readonly open = new Map<string, StoreLog>()

  constructor(setting: StoreSetting) {
    this.setting = setting
    this.deleted = new DeletedLogs(setting.clewHome, setting.ops)
    this.stored = new StoredLogs(setting.clewHome, this.deleted)
  }

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    const path = logPlace(this.setting.home, key)
    const lines = linesOf(entries, path)
    if (lines.length === 0) return
    await this.logAt(path, key).append(lines)
    this.deleted.remove(path)
    const meta = entries.findLast(({ type }) => type === metadataType)
    if (meta !== undefined && key.subpath !== undefined) this.writeMetadata(path, meta)
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    return this.stored.load(logPlace(this.setting.home, key))
  }

  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    const sessions = await this.stored.sessions(projectPlace(this.setting.home, projectKey))
    return sessions.map(({ sessionId, log }) => ({ sessionId, mtime: mtimeOf(log) }))
  }

  async delete(key: SessionKey): Promise<void> {
    await deleteLog(key, this.setting, { logs: this.stored, deleted: this.deleted })
  }

  async listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]> {
    const { projectKey, sessionId } = key
    const folder = folderOf(sessionPlace(this.setting.home, { projectKey, sessionId }))
    return (await this.stored.logsBelow(folder)).map(path => subpathOf(folder, path))
  }

  async summaries(projectKey: string, fold: FoldSessionSummary): Promise<SessionSummaryEntry[]> {
    const { home, clewHome } = this.setting
    const summaries = new StoreSummaries(this.stored, fold, clewHome)
    const found: SessionSummaryEntry[] = []
    for (const { sessionId, path, log } of await this.stored.sessions(projectPlace(home, projectKey)))
      found.push(await summaries.of({ projectKey, sessionId }, path, log))
    return found
  }

  /** What a subagent is. Claude Code has it in a file of its own, where it and Clew look for it. */
  private writeMetadata(path: string, { type: _type, ...meta }: SessionStoreEntry): void {
    if (!/^agent-/i.test(basename(path))) return
    const place = agentMetaPath(path)
    try {
      ensureFolder(this.setting.ops, dirname(place))
      writeWhole(this.setting.ops, place, textToBytes(jsonText(meta)))
    } catch (error) {
      throw systemError(place, 'written', error)
    }
  }

  private logAt(path: string, { sessionId }: SessionKey): StoreLog {
    const log = this.open.get(path) ?? new StoreLog(path, sessionId, this.setting)
    // The one that was used last is the last.
    this.open.delete(path)
    this.open.set(path, log)
    for (const [name, { isIdle }] of this.open) {
      if (this.open.size <= mostLogs) break
      if (isIdle && name !== path) this.open.delete(name)
    }
    return log
  }
}

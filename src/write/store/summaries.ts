// What the SDK's list shows of sessions, made by the SDK's own function. What it made is remembered in Clew's own folder with how
// far the log was read, so that only what was appended since is read. It may be deleted at any time.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from '../../base/attempt.ts'
import { asNumber, asObject, asString, isObject, parseJson } from '../../base/json.ts'
import type { TreeFile } from '../../disk/discover/tree.ts'
import { replaceFile } from '../../files/replace-file.ts'
import { hashOfPlace, storeFolder } from './deleted.ts'
import type { StoredLogs } from './stored.ts'
import type { FoldSessionSummary, SessionKey, SessionStoreEntry, SessionSummaryEntry } from './types.ts'

/** When a log changed last, as all lists of a store say it. */
export function mtimeOf({ modifiedMs }: TreeFile): number {
  return Math.floor(modifiedMs)
}

/** A summary as it is remembered. */
interface Remembered {
  /** The generation that was read, and the first byte that was not. */
  generation: string
  readTo: number
  data: Record<string, unknown>
}

export class StoreSummaries {
  private readonly logs: StoredLogs
  private readonly fold: FoldSessionSummary
  private readonly folder: string

  constructor(logs: StoredLogs, fold: FoldSessionSummary, clewHome: string) {
    this.logs = logs
    this.fold = fold
    this.folder = join(storeFolder(clewHome), 'summaries')
  }

  /** The summary of a session whose log was found. */
  async of(key: SessionKey, path: string, log: TreeFile): Promise<SessionSummaryEntry> {
    const mtime = mtimeOf(log)
    const place = join(this.folder, `${hashOfPlace(path)}.json`)
    const known = rememberedAt(place, log)
    let summary = known && { sessionId: key.sessionId, mtime, data: known.data }
    if (known?.readTo === log.size && summary !== undefined) return summary
    const add = (entries: SessionStoreEntry[]) => {
      summary = this.fold(summary, key, entries, { mtime })
    }
    const readTo = await this.eachPiece(path, log, known?.readTo ?? 0, add)
    const { data } = summary ?? this.fold(undefined, key, [], { mtime })
    // Without it the log is read again the next time.
    attempt(() => replaceFile(place, JSON.stringify({ generation: log.generation, readTo, data })))
    return { sessionId: key.sessionId, mtime, data }
  }

  private async eachPiece(
    path: string,
    log: TreeFile,
    from: number,
    add: (entries: SessionStoreEntry[]) => void,
  ): Promise<number> {
    const pieces = this.logs.read(path, log, from)
    for (;;) {
      const piece = await pieces.next()
      if (piece.done === true) return piece.value
      if (piece.value.length > 0) add(piece.value.map(({ value }) => value as SessionStoreEntry))
    }
  }
}

function rememberedAt(place: string, log: TreeFile): Remembered | undefined {
  const value = asObject(parseJson(attempt(() => readFileSync(place, 'utf8')) ?? ''))
  const generation = asString(value?.['generation'])
  const readTo = asNumber(value?.['readTo'])
  const data = value?.['data']
  if (generation !== log.generation || readTo === undefined || readTo > log.size || !isObject(data)) return undefined
  return { generation, readTo, data: { ...data } }
}

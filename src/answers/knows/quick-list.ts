// Rows of sessions from the ends of their files, read in steps while other requests are answered: what a server lists before
// there is an index. It counts nothing.

import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import { lastChange, type SessionFiles } from '../../model/source.ts'
import { type QuickRow, quickRows, unreadRow } from '../../session/scan/quick-rows.ts'
import type { Clew } from '../clew.ts'
import { discoverRoots } from '../sessions/find.ts'

/** The ends of this many sessions are read at a time, the last written first. */
const readAtOnce = 200

export class QuickList {
  private readonly clew: Clew
  private readonly onRead: () => void
  private found: Promise<void> | null = null
  private byId = new Map<string, QuickRow>()
  private isEnded = false
  /** How many sessions were read so far. */
  read = 0

  /** `onRead`: called when more sessions have their titles. */
  constructor(clew: Clew, onRead = () => {}) {
    this.clew = clew
    this.onRead = onRead
  }

  /** All are there at once, the last written with title and project; the others follow. */
  async rows(): Promise<readonly QuickRow[]> {
    this.found ??= this.find()
    await this.found
    return [...this.byId.values()]
  }

  /** There is an index. */
  end(): void {
    this.isEnded = true
  }

  async files(id: string): Promise<SessionFiles | null> {
    await this.rows()
    return this.rowOf(id)?.session ?? null
  }

  /** As far as it was found and read. */
  rowOf(id: string): QuickRow | undefined {
    return this.byId.get(id)
  }

  private async find(): Promise<void> {
    const { discoveries } = await discoverRoots(this.clew)
    const { source } = this.clew
    const sessions = mergeDiscoveries(discoveries, source)
    sessions.sort((one, other) => lastChange(other) - lastChange(one))
    this.byId = new Map(sessions.map(session => [session.id, unreadRow(session)]))
    const readOn = () => {
      for (const row of quickRows(sessions.slice(this.read, this.read + readAtOnce), source))
        this.byId.set(row.session.id, row)
      this.read = Math.min(sessions.length, this.read + readAtOnce)
    }
    const next = () => {
      if (this.isEnded || this.read >= sessions.length) return
      readOn()
      this.onRead()
      setImmediate(next)
    }
    readOn()
    setImmediate(next)
  }
}

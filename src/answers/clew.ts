// The handle that every question takes: where sessions are, what was set, and who hears of what happens on the way. It is
// made by `open` and closed by who opened it; it answers nothing itself.

import type { OpenPlaces } from '../archive/read/places.ts'
import type { Finding } from '../model/finding.ts'
import type { QuickRow } from '../session/scan/quick-rows.ts'
import type { UsedIndex } from './knows/used-index.ts'

/** Where to look, and how. */
export interface Clew extends OpenPlaces {
  /** Roots that were named, here or in the config; empty means the usual places. */
  root: string[]
  /** Whether they were named for this once, not as a setting. */
  isRootNamed: boolean
  /** False: answers come from the files. */
  usesIndex: boolean
  /** False where the sample history must not stand in for sessions that there are not: a program would take it for real. */
  usesSample: boolean
  /** Nothing is changed, and nothing archived in the background. */
  isReadOnly: boolean
  /** An IANA name; the machine's own zone where absent. */
  timezone?: string
  listener: Listener
  /** Of a handle that stays open; a command refreshes what it needs before it answers. */
  upkeep?: Upkeep
}

/** What keeps a handle up to date that stays open. */
export interface Upkeep {
  /** Changes when answers may. */
  version(): string
  /** The index as it is now; null until there is a first one, for which a list does not wait long. */
  index(): Promise<UsedIndex | null>
  /** As soon as there is one; an error where there cannot be. */
  neededIndex(): Promise<UsedIndex>
  /** Sessions from the ends of their files, as many as are read by now: until there is an index. */
  quickRows(): Promise<readonly QuickRow[]>
  /** Sessions that are being written; null before the first look at the disk. */
  live(): ReadonlySet<string> | null
}

/** Hears what is worth knowing besides the answer. */
export interface Listener {
  /** Something that people should know of the answer, in a sentence without a full stop. */
  note(message: string): void
  /** Something that could not be read. */
  unread(finding: Finding): void
  /** Long work begins, of this many bytes where that is known. */
  progress(what: string, total?: number): Progress
  /** Does long work that may be stopped in the middle. `stopping`: the message where somebody asks for that. */
  stoppable<Value>(stopping: string, work: (watching: Watching) => Promise<Value>): Promise<Value>
}

export interface Progress {
  /** This many bytes more are done. */
  add(bytes: number): void
  end(): void
}

/** How long work reports its progress, and learns that it should stop. */
export interface Watching {
  /** Something begins, of this many bytes. */
  begin(what: string, total: number): void
  /** This many bytes more are done. */
  progress(bytes: number): void
  isStopped(): boolean
}

/** Notes each sentence once, however many questions of a handle come upon it. */
export function notingOnce(listener: Listener): Listener {
  const noted = new Set<string>()
  const note = (message: string) => {
    if (noted.has(message)) return
    noted.add(message)
    listener.note(message)
  }
  return { ...listener, note }
}

/** Who only wants the answer. */
export const silent: Listener = {
  note() {},
  unread() {},
  progress: () => ({ add() {}, end() {} }),
  stoppable: (_stopping, work) => work({ begin() {}, progress() {}, isStopped: () => false }),
}

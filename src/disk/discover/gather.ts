// Puts what a walk finds together into sessions. It decides what belongs together, and never touches the disk.

import { type SessionId, sessionId } from '../../model/ids.ts'
import type { LogFile, SessionFiles, SideFile } from '../../model/source.ts'

/** A session while its files are still being found. */
export interface Draft {
  readonly id: SessionId
  readonly slug: string
  readonly mains: MainLog[]
  /** Agent files and journals. */
  readonly others: LogFile[]
  readonly side: SideFile[]
}

export interface MainLog {
  log: LogFile
  /** The first time that its head names. */
  firstMs?: number
}

/** The sessions of one folder, by id and by the names of their main files. */
interface Shelf {
  byId: Map<string, Draft>
  byName: Map<string, Draft>
}

/** The sessions of one root. Files of different project folders make different sessions, even with equal ids. */
export class Gathering {
  private readonly drafts: Draft[] = []
  private readonly shelves = new Map<string, Shelf>()
  private readonly everywhere: Shelf = newShelf()

  /** A main file: it joins the session of that id in its folder, or begins one. */
  addMain(folder: string, slug: string, id: string, name: string, main: MainLog): Draft {
    const draft = this.shelf(folder).byId.get(id) ?? this.begin(folder, slug, id)
    draft.mains.push(main)
    for (const shelf of [this.shelf(folder), this.everywhere]) {
      if (!shelf.byName.has(name)) shelf.byName.set(name, draft)
    }
    return draft
  }

  /** The session that a folder or file is called after: the name of a main file counts more than an id. */
  named(name: string, folder?: string): Draft | undefined {
    const near = folder === undefined ? undefined : this.shelves.get(folder)
    const { byName, byId } = this.everywhere
    return near?.byName.get(name) ?? near?.byId.get(name) ?? byName.get(name) ?? byId.get(name)
  }

  /** The session that records name. */
  withId(id: string, folder: string): Draft | undefined {
    return this.shelves.get(folder)?.byId.get(id) ?? this.everywhere.byId.get(id)
  }

  /** A session of which, so far, only files other than a main file are known. */
  begin(folder: string, slug: string, id: string): Draft {
    const draft: Draft = { id: sessionId(id), slug, mains: [], others: [], side: [] }
    this.drafts.push(draft)
    this.shelf(folder).byId.set(id, draft)
    if (!this.everywhere.byId.has(id)) this.everywhere.byId.set(id, draft)
    return draft
  }

  all(): readonly Draft[] {
    return this.drafts
  }

  sessions(): SessionFiles[] {
    return this.drafts.map(draft => ({
      id: draft.id,
      slug: draft.slug,
      logs: [...draft.mains.sort(byStart).map(main => main.log), ...draft.others.sort(byPath)],
      side: draft.side.sort(byPath),
    }))
  }

  private shelf(folder: string): Shelf {
    let shelf = this.shelves.get(folder)
    if (shelf === undefined) {
      shelf = newShelf()
      this.shelves.set(folder, shelf)
    }
    return shelf
  }
}

function newShelf(): Shelf {
  return { byId: new Map(), byName: new Map() }
}

/** Reading order of the files of one session: by first time written, else by last change, else by name. */
export function byStart(a: MainLog, b: MainLog): number {
  const start = (a.firstMs ?? a.log.modifiedMs) - (b.firstMs ?? b.log.modifiedMs)
  return start || a.log.modifiedMs - b.log.modifiedMs || byPath(a.log, b.log)
}

function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0
}

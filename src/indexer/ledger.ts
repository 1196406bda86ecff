// Which logs there are to index, by generation: what was kept of each file, the file itself where nothing is, and contents
// that files had before. It compares with nothing that is indexed and reads no log.

import type { Archive } from '../archive/archive.ts'
import type { Generation } from '../archive/catalog.ts'
import { canonicalPlace, placeOf } from '../archive/place.ts'
import { leftOut, readSeen, seenKey, stateText } from '../archive/seen.ts'
import { keptGeneration, keptId } from '../archive/source.ts'
import type { LiveFile } from '../archive/survey.ts'
import type { PlacedSession } from '../disk/merge.ts'
import type { Discovery, FileRole, LogFile } from '../model/source.ts'

/** How a generation stands to what is on disk. */
export const standings = ['live', 'gone', 'earlier'] as const

export interface LedgerFile {
  /** `kept:<id>`, or `live:<path>`. */
  generation: string
  /** What to ask the source for. */
  source: string
  path: string
  number: number
  standing: number
  role: FileRole
  session?: string
  nameSession?: string
  agent?: string
  size: number
  modifiedMs: number
  /** How a live file looks, where nothing is kept of it. */
  state?: string
}

export interface Ledger {
  files: LedgerFile[]
  /** The generation that stands for each log of the sessions, by its own generation id. */
  byLog: ReadonlyMap<string, string>
}

export interface LedgerInput {
  sessions: readonly PlacedSession[]
  discoveries: readonly Discovery[]
  archive?: Archive
  /** What lies on disk, as it was when it was kept. */
  survey: readonly LiveFile[]
  /** Homes of which everything was just kept. */
  isJustKept: boolean
}

export function ledgerOf(input: LedgerInput): Ledger {
  const kept = new KeptContents(input)
  const files = new Map<string, LedgerFile>()
  const byLog = new Map<string, string>()
  const add = (log: LogFile, session?: string) => {
    for (const file of kept.filesOf(log, session)) if (!files.has(file.generation)) files.set(file.generation, file)
    byLog.set(log.generation, kept.currentFor(log).generation)
  }
  for (const session of input.sessions) for (const log of [...session.logs, ...session.twins]) add(log, session.id)
  for (const { histories, strays } of input.discoveries) for (const log of [...histories, ...strays]) add(log)
  return { files: [...files.values()], byLog }
}

/** What stands for a log. */
interface Current {
  generation: string
  source: string
  /** Without links, where it is known. */
  place: string
  kept?: Generation
  state?: string
}

class KeptContents {
  private readonly archive: Archive | undefined
  private readonly byPlace = new Map<string, LiveFile>()
  private readonly seen: ReturnType<typeof readSeen>
  private readonly isJustKept: boolean
  private readonly known = new Map<string, Current>()

  constructor({ archive, survey, isJustKept }: LedgerInput) {
    this.archive = archive?.exists ? archive : undefined
    this.isJustKept = isJustKept
    this.seen = this.archive === undefined ? null : readSeen(this.archive.layout)
    for (const file of survey) this.byPlace.set(file.place, file)
  }

  currentFor(log: LogFile): Current {
    const known = this.known.get(log.generation)
    if (known !== undefined) return known
    const found = this.find(log)
    this.known.set(log.generation, found)
    return found
  }

  private find(log: LogFile): Current {
    const id = keptId(log.generation)
    if (id !== null) {
      const kept = this.archive?.manifest.catalog.generations.get(id)
      const place = kept === undefined ? log.path : placeOf(kept)
      return { generation: log.generation, source: log.generation, place, ...(kept !== undefined && { kept }) }
    }
    const live = this.byPlace.get(log.path) ?? this.byPlace.get(canonicalPlace(log.path))
    const kept = live === undefined ? undefined : this.keptOf(live)
    const place = live?.place ?? canonicalPlace(log.path)
    if (kept !== undefined) {
      const generation = keptGeneration(kept.id)
      return { generation, source: generation, place, kept }
    }
    const state = live === undefined ? `${log.size} ${log.modifiedMs} ${log.generation}` : stateText(live.state)
    return { generation: `live:${place}`, source: log.generation, place, state }
  }

  /** The generation that holds what the file was when we looked. */
  private keptOf(live: LiveFile): Generation | undefined {
    if (this.archive === undefined) return undefined
    const sight = this.seen?.files.get(seenKey(live.home, live.path))
    if (sight?.generation === leftOut) return undefined
    const { catalog } = this.archive.manifest
    const isSure = this.isJustKept || sight?.state === stateText(live.state)
    const current = isSure ? catalog.current(live.home, live.path) : undefined
    return current === undefined || catalog.broken.has(current.id) ? undefined : current
  }

  /** The log's own content first, then what it was before. */
  filesOf(log: LogFile, session: string | undefined): LedgerFile[] {
    const { generation, source, place, kept, state } = this.currentFor(log)
    const base = {
      path: place,
      role: log.role,
      ...(session !== undefined && { session }),
      ...(log.nameSession !== undefined && { nameSession: log.nameSession as string }),
      ...(log.nameAgent !== undefined && { agent: log.nameAgent }),
    }
    const own: LedgerFile = {
      ...base,
      generation,
      source,
      number: kept?.number ?? 1,
      standing: log.isKept === true ? 1 : 0,
      size: kept?.size ?? log.size,
      modifiedMs: Math.trunc(log.modifiedMs),
      ...(state !== undefined && { state }),
    }
    return [own, ...this.earlierOf(kept, log).map(earlier => ({ ...base, ...this.earlierFile(earlier) }))]
  }

  private earlierOf(kept: Generation | undefined, log: LogFile): Generation[] {
    const { catalog } = this.archive?.manifest ?? {}
    if (catalog === undefined || log.earlier === undefined) return []
    const at = kept ?? this.byPlace.get(log.path)
    if (at === undefined) return []
    return catalog.of(at.home, at.path).filter(other => other.id !== kept?.id && !catalog.broken.has(other.id))
  }

  private earlierFile(
    generation: Generation,
  ): Pick<LedgerFile, 'generation' | 'source' | 'number' | 'standing' | 'size' | 'modifiedMs' | 'path'> {
    const id = keptGeneration(generation.id)
    const { number, size, modifiedMs } = generation
    return { generation: id, source: id, number, standing: 2, size, modifiedMs, path: placeOf(generation) }
  }
}

// Which logs there are to index, by generation: the archived content of each file, the file itself where it is not archived,
// and archived contents that files had before. It knows nothing of the index.

import { isSettled, leftOut, readSeen, seenKey, stateText } from '../../archive/capture/seen.ts'
import type { LinkedFile, LiveFile, Survey } from '../../archive/capture/survey.ts'
import type { Generation } from '../../archive/format/catalog.ts'
import { beginsWith, type Contents, contentsOf } from '../../archive/read/contents.ts'
import { archivedGeneration, archivedId } from '../../archive/read/source.ts'
import type { Archive } from '../../archive/store/archive.ts'
import { attempt } from '../../base/attempt.ts'
import type { FileFacts } from '../../disk/discover/facts.ts'
import { allLogs, type PlacedSession } from '../../disk/discover/merge.ts'
import { diskTree } from '../../disk/discover/tree.ts'
import { canonicalPlace, placeOf } from '../../files/place.ts'
import type { ByteSource, Discovery, LogFile } from '../../model/source.ts'
import { type IndexedRole, isStored } from '../ingest/rows.ts'

/** A file with a text that an event names: output that was too large, or pasted text. */
export type StoredFile = Pick<LogFile, 'path' | 'generation' | 'size' | 'modifiedMs' | 'isArchiveOnly'> & {
  role: 'spill' | 'paste'
}

export interface LedgerFile {
  /** `kept:<id>`, or `live:<path>`. */
  generation: string
  /** What to ask the source for. */
  source: string
  path: string
  number: number
  standing: number
  role: IndexedRole
  session?: string
  nameSession?: string
  agent?: string
  /** By which name events know it. */
  stored?: string
  size: number
  modifiedMs: number
  /** The stat of a file that is not archived; `racyState` where a change would not show in it. */
  state?: string
  /** Of an archived file that is on disk: the state with which it was indexed before it was archived, if nothing changed since. */
  before?: string
}

/** A file that was changed just now may change again with the same stat: it is read again the next time. */
export const racyState = 'racy'

export interface Ledger {
  files: LedgerFile[]
  /** The indexed generation of each log, by the log's own generation. */
  byLog: ReadonlyMap<string, string>
}

export interface ArchivedInput {
  archive?: Archive
  source: ByteSource
  /** The stat walk before files were archived. */
  survey: Pick<Survey, 'files' | 'linked'>
  /** When it began. */
  lookedAtMs: number
  /** Whether all of a file was archived just now. */
  isJustArchived(file: LiveFile): boolean
}

interface LedgerInput {
  sessions: readonly PlacedSession[]
  discoveries: readonly Pick<Discovery, 'histories' | 'strays'>[]
  pastes: readonly StoredFile[]
}

export function ledgerOf({ sessions, discoveries, pastes }: LedgerInput, contents: ArchivedContents): Ledger {
  const files = new Map<string, LedgerFile>()
  const byLog = new Map<string, string>()
  const addFiles = (log: LogFile | StoredFile, session?: string) => {
    const [own, ...earlier] = contents.filesOf(log, session)
    for (const file of [own, ...earlier]) if (!files.has(file.generation)) files.set(file.generation, file)
    return own
  }
  const add = (log: LogFile, session?: string) => byLog.set(log.generation, addFiles(log, session).generation)
  for (const session of sessions) for (const log of allLogs(session)) add(log, session.id)
  for (const { id, side } of sessions) {
    for (const file of side) if (file.kind === 'tool-result') addFiles({ ...file, role: 'spill' }, id)
  }
  for (const paste of pastes) addFiles(paste)
  for (const { histories, strays } of discoveries) for (const log of [...histories, ...strays]) add(log)
  return { files: [...files.values()], byLog }
}

/** What is indexed for a log. */
type Current = Pick<LedgerFile, 'generation' | 'source' | 'state' | 'before'> & {
  /** Without links, where it is known. */
  place: string
  archived?: Generation
}

/** Which archived generation has the content that a file on disk has now. */
export class ArchivedContents {
  private readonly archive: Archive | undefined
  private readonly byPlace = new Map<string, LiveFile>()
  /** Files outside of the home, by where they are. */
  private readonly linked = new Map<string, LinkedFile>()
  private readonly seen: ReturnType<typeof readSeen>
  private readonly input: ArchivedInput

  constructor(input: ArchivedInput) {
    this.input = input
    this.archive = input.archive?.exists ? input.archive : undefined
    this.seen = this.archive === undefined ? null : readSeen(this.archive.layout)
    for (const file of input.survey.files) this.byPlace.set(file.place, file)
    for (const file of input.survey.linked) if (!this.linked.has(file.target)) this.linked.set(file.target, file)
  }

  /** What discovery looks for in a log, where the archive knows it. */
  factsOf(path: string): FileFacts | undefined {
    const live = this.byPlace.get(path)
    return live === undefined ? undefined : this.archivedOf(live)?.facts
  }

  private currentFor(log: LogFile | StoredFile): Current {
    const id = archivedId(log.generation)
    if (id !== null) {
      const archived = this.archive?.manifest.catalog.generations.get(id)
      const place = archived === undefined ? log.path : placeOf(archived)
      return { generation: log.generation, source: log.generation, place, ...(archived !== undefined && { archived }) }
    }
    const live = this.byPlace.get(log.path) ?? this.byPlace.get(canonicalPlace(log.path))
    const archived = live === undefined ? undefined : this.archivedOf(live)
    const seen = live ?? this.linked.get(canonicalPlace(log.path))
    const place = seen?.place ?? canonicalPlace(log.path)
    if (archived !== undefined) {
      const generation = archivedGeneration(archived.id)
      const before = live !== undefined && this.isAsArchived(live) ? this.stateOf(live) : undefined
      return { generation, source: generation, place, archived, ...(before !== undefined && { before }) }
    }
    const state = seen === undefined ? `${log.size} ${log.modifiedMs} ${log.generation}` : this.stateOf(seen)
    return { generation: liveGeneration(place), source: log.generation, place, state }
  }

  private stateOf({ state }: Pick<LiveFile, 'state'>): string {
    return isSettled(state, this.input.lookedAtMs) ? stateText(state) : racyState
  }

  /** The generation with the content that the file had at the stat walk. */
  private archivedOf(live: LiveFile): Generation | undefined {
    if (this.archive === undefined) return undefined
    const sight = this.seen?.files.get(seenKey(live.home, live.path))
    if (sight?.generation === leftOut) return undefined
    const { catalog } = this.archive.manifest
    const current = catalog.current(live.home, live.path)
    if (current === undefined || catalog.broken.has(current.id)) return undefined
    const isSure = this.input.isJustArchived(live) || this.isAsArchived(live)
    return isSure || this.isContent(live, current) ? current : undefined
  }

  /** Whether it looked the same at the stat walk and when it was archived: it may have been rewritten between the two. */
  private isAsArchived({ home, path, state }: LiveFile): boolean {
    return this.seen?.files.get(seenKey(home, path))?.state === stateText(state)
  }

  /** A file that was archived just after it was changed does not count as seen; its bytes show that all is archived. */
  private isContent(live: LiveFile, generation: Generation): boolean {
    if (live.state.size !== generation.size || !isSettled(live.state, this.input.lookedAtMs)) return false
    const file = attempt(() => diskTree.stat(live.place))
    const catalog = this.archive?.manifest.catalog
    if (file?.kind !== 'file' || catalog === undefined) return false
    return beginsWith(file, generation, catalog, this.input.source)
  }

  /** The log's own content first, then what it was before. */
  filesOf(log: LogFile | StoredFile, session: string | undefined): [LedgerFile, ...LedgerFile[]] {
    const { generation, source, place: path, archived, state, before } = this.currentFor(log)
    const { number, earlier } = this.contentsOf(archived, log)
    const standing = log.isArchiveOnly === true ? 1 : 0
    const size = archived?.size ?? log.size
    const modifiedMs = Math.trunc(log.modifiedMs)
    const own = ledgerFile({ generation, source, path, number, standing, size, modifiedMs }, log, session)
    if (state !== undefined) own.state = state
    if (before !== undefined) own.before = before
    // Output and pasted text are what their file is now: no one can open what it was before.
    if (isStored(log.role)) return [own]
    const { broken } = this.archive?.manifest.catalog ?? {}
    const whole = earlier.filter(({ id }) => broken?.has(id) !== true)
    return [own, ...whole.map(one => ledgerFile(earlierContent(one), log, session))]
  }

  private contentsOf(archived: Generation | undefined, log: LogFile | StoredFile): Contents {
    const { catalog } = this.archive?.manifest ?? {}
    const at = archived ?? this.byPlace.get(log.path) ?? this.byPlace.get(canonicalPlace(log.path))
    if (catalog === undefined || at === undefined) return { number: 1, earlier: [] }
    const generations = catalog.of(at.home, at.path)
    if (archived !== undefined) return contentsOf(generations, archived, () => true)
    const last = catalog.current(at.home, at.path)
    return contentsOf(generations, last, one => beginsWith(log, one, catalog, this.input.source))
  }
}

type LedgerContent = Pick<LedgerFile, 'generation' | 'source' | 'path' | 'number' | 'standing' | 'size' | 'modifiedMs'>

function earlierContent(generation: Generation): LedgerContent {
  const id = archivedGeneration(generation.id)
  const { number, size, modifiedMs } = generation
  return { generation: id, source: id, path: placeOf(generation), number, standing: 2, size, modifiedMs }
}

/** One field after the other: an object that is put together from others can cost ten times its fields, and there are many. */
function ledgerFile(content: LedgerContent, log: LogFile | StoredFile, session: string | undefined): LedgerFile {
  const { generation, source, path, number, standing, size, modifiedMs } = content
  const file: LedgerFile = { generation, source, path, number, standing, role: log.role, size, modifiedMs }
  if (session !== undefined) file.session = session
  // What the name of a file says.
  if (isStored(log.role)) {
    file.stored = log.path.replace(/^.*[\\/]/, '')
  } else {
    const { nameSession, nameAgent } = log as LogFile
    if (nameSession !== undefined) file.nameSession = nameSession
    if (nameAgent !== undefined) file.agent = nameAgent
  }
  return file
}

/** As what a file is indexed that is not archived. */
export function liveGeneration(place: string): string {
  return `live:${place}`
}

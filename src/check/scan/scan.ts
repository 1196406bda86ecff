// Checks what lies on disk or in the archive: a file, a session, everything under a root, standard input. It finds and reads;
// what is wrong with what it reads is decided by the `Checker` (check.ts).

import { basename, resolve } from 'node:path'
import type { Places } from '../../archive/read/places.ts'
import { bytesToText, concatBytes } from '../../base/bytes.ts'
import { discover } from '../../disk/discover/discover.ts'
import { isArtifactFolder, isLogName, projectFolders, roleOf } from '../../disk/discover/project.ts'
import { type FileTree, isFile, Walk } from '../../disk/discover/tree.ts'
import { ReadError, readFinding, streamFile, streamSource } from '../../disk/read/read.ts'
import { sessionId } from '../../model/ids.ts'
import type { LogRecord } from '../../model/record.ts'
import type { ByteSource, ChunkSource, Discovery, GenerationId, LogFile, SessionFiles } from '../../model/source.ts'
import { eventDecoder, loadSession, recordBatches } from '../../session/load.ts'
import type { Checker } from '../check.ts'

/** Checks what is at a path: one file, or everything in a folder; `-` is standard input. */
export async function checkPath(checker: Checker, path: string, places: Places): Promise<void> {
  if (path === '-') await checkStream(checker)
  else if (isFile(path, places.tree)) await checkFile(checker, path, places)
  else await checkDiscovery(checker, await discover(path, places.tree), places)
}

/** A session with all its files, and its place where that is in a home. */
export async function checkWholeSession(checker: Checker, session: SessionFiles, places: Places): Promise<void> {
  await checkSession(checker, places.source, session)
  const main = session.logs.find(log => log.role === 'session')
  if (main !== undefined && isInHome(resolve(main.path))) checker.home(await discover(main.path, places.tree))
}

/** One file by itself: its place is judged where that is in a home, the session's other files are not read. */
async function checkFile(checker: Checker, path: string, { tree, source }: Places): Promise<void> {
  const discovery = await discover(path, tree)
  checker.addFindings(discovery.findings)
  const wanted = resolve(path)
  const logs = [...discovery.sessions.flatMap(session => session.logs), ...discovery.histories, ...discovery.strays]
  const log = logs.find(file => resolve(file.path) === wanted)
  if (!log) return
  const session = discovery.sessions.find(candidate => candidate.logs.includes(log))
  const others = session?.logs.filter(other => other !== log) ?? []
  await checkSession(checker, source, loneSession(log, session), others)
  if (log.role === 'session' && isInHome(wanted)) checker.home(discovery)
}

/** Whether a path says that its file is in a Claude home: people keep other folders called `projects` too. */
function isInHome(path: string): boolean {
  const folders = path.split(/[\\/]+/).slice(0, -1)
  if (folders.includes('.claude') || folders.slice(-2).some(name => projectFolders.includes(name))) return true
  return folders.some((name, at) => projectFolders.includes(name) && /^[-_]/.test(folders[at + 1] ?? ''))
}

async function checkStream(checker: Checker): Promise<void> {
  await checkSession(checker, streamSource(process.stdin), loneSession(streamFile(), undefined))
}

function loneSession(log: LogFile, session: SessionFiles | undefined): SessionFiles {
  const id = session?.id ?? log.nameSession ?? sessionId(log.path)
  return { id, slug: session?.slug ?? '', logs: [log], side: session?.side ?? [] }
}

/** Everything under a root: its layout, its sessions, files that belong to none, and prompt histories. */
export async function checkDiscovery(checker: Checker, discovery: Discovery, { tree, source }: Places): Promise<void> {
  checker.addFindings(discovery.findings)
  checker.home(discovery, await misplacedLogs(discovery, tree))
  for (const session of discovery.sessions) await checkSession(checker, source, session)
  for (const log of discovery.strays) await checkSession(checker, source, loneSession(log, undefined))
  for (const log of discovery.histories) await checkHistory(checker, source, log)
}

/** Folders of a home with other things, some of them very many. */
const otherFolders =
  /^(backups|cache|daemon|debug|downloads|file-history|ide|jobs|local|node_modules|paste-cache|plans|plugins|session-env|shell-snapshots|statsig|tasks|telemetry|todos|\..*)$/
/** How far below the root a session file may have got lost, and in how many folders it is looked for. */
const deepest = 4
const mostFolders = 5000
const sessionName = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl$|(19|20)\d\d[-_.]?[01]\d[-_.]?[0-3]\d/i

/** Session files below a root that are where no session is looked for. */
async function misplacedLogs(discovery: Discovery, tree: FileTree): Promise<string[]> {
  const { root, sessions, histories, strays } = discovery
  const known = new Set([...sessions.flatMap(session => session.logs), ...histories, ...strays].map(log => log.path))
  const names = new Set<string>(sessions.flatMap(({ id, logs }) => [id, ...logs.map(log => log.nameSession ?? id)]))
  const walk = new Walk(root, tree)
  const lost: string[] = []
  let folders = 0
  const search = async (folder: string, depth: number, isProject: boolean): Promise<void> => {
    if (depth > deepest || ++folders > mostFolders || !(await walk.enter(folder))) return
    for (const { name, path, kind } of await walk.list(folder)) {
      const isLog = kind === 'file' && isLogName(name) && roleOf(name) === 'session' && name !== 'history.jsonl'
      if (isLog && !known.has(path) && (isProject || sessionName.test(name))) lost.push(path)
      if (kind !== 'folder' || otherFolders.test(name) || names.has(name)) continue
      if (!(await isArtifactFolder(walk, path)))
        await search(path, depth + 1, isProject || projectFolders.includes(name))
    }
  }
  await search(root, 0, projectFolders.includes(basename(resolve(root))))
  return lost
}

/** All files of one session. `others`: those that are not among `session.logs`, where it is not given whole. */
export async function checkSession(
  checker: Checker,
  source: ByteSource,
  session: SessionFiles,
  others?: readonly LogFile[],
): Promise<void> {
  try {
    const read = new RecentText(source)
    const graph = await loadSession(read, session, {}, (log, record, [event = null]) =>
      checker.record(log, record, event, read.textOf(record)),
    )
    checker.session(session, graph, others)
  } catch (error) {
    if (!(error instanceof ReadError)) throw error
    checker.addFindings([readFinding(error)])
  }
}

/** Passes the bytes of a source on and remembers those whose records were not seen yet: a record itself has no text. */
class RecentText implements ChunkSource {
  private readonly source: ChunkSource
  private chunks: Uint8Array[] = []
  /** Offset of the first of them. */
  private start = 0

  constructor(source: ChunkSource) {
    this.source = source
  }

  async *read(generation: GenerationId, from: number, to: number): AsyncGenerator<Uint8Array> {
    this.chunks = []
    this.start = from
    for await (const chunk of this.source.read(generation, from, to)) {
      this.chunks.push(chunk)
      yield chunk
    }
  }

  /** What was written as this record; undefined where it has no value. Records are asked for in file order. */
  textOf({ offset, bytes, value }: LogRecord): string | undefined {
    for (let [first] = this.chunks; first !== undefined && this.start + first.length <= offset; [first] = this.chunks) {
      this.start += first.length
      this.chunks.shift()
    }
    if (value === undefined) return undefined
    const [first] = this.chunks
    const all = first !== undefined && this.chunks.length === 1 ? first : concatBytes(this.chunks)
    return bytesToText(all.subarray(offset - this.start, offset - this.start + bytes))
  }
}

async function checkHistory(checker: Checker, source: ByteSource, log: LogFile): Promise<void> {
  const decoder = eventDecoder(log)
  try {
    for await (const batch of recordBatches(source, log)) {
      for (const record of batch) checker.record(log, record, decoder.decode(record)[0] ?? null)
    }
  } catch (error) {
    if (!(error instanceof ReadError)) throw error
    checker.addFindings([readFinding(error)])
  }
}

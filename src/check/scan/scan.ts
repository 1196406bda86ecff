// Checks what lies on disk or in the archive: a file, a session, everything under a root, standard input. It finds what is to
// be read, as jobs that any thread can do, and reads it; what is wrong with it is decided by the `Checker` (check.ts).

import { basename, resolve } from 'node:path'
import type { Places } from '../../archive/read/places.ts'
import { bytesToText, concatBytes } from '../../base/bytes.ts'
import { discover } from '../../disk/discover/discover.ts'
import { isArtifactFolder, isLogName, projectFolders, roleOf } from '../../disk/discover/project.ts'
import { type FileTree, isFile, Walk } from '../../disk/discover/tree.ts'
import { ReadError, readFinding, streamFile, streamSource } from '../../disk/read/read.ts'
import type { Profile } from '../../model/finding.ts'
import { sessionId } from '../../model/ids.ts'
import type { LogRecord } from '../../model/record.ts'
import {
  type ByteSource,
  bytesOf,
  type ChunkSource,
  type Discovery,
  type GenerationId,
  type LogFile,
  type SessionFiles,
} from '../../model/source.ts'
import { eventDecoder, loadSession, recordBatches } from '../../session/load.ts'
import { type Checked, Checker } from '../check.ts'

/** What is read and checked in one go: a session with its files, or a prompt history. Plain data. */
export type CheckJob =
  /** `others`: files of the session that are not among `session.logs`, where it is not given whole. */
  | { kind: 'session'; session: SessionFiles; others?: readonly LogFile[] }
  | { kind: 'history'; log: LogFile }
  /** Only the thread that has standard input can do it. */
  | { kind: 'stdin' }

export function bytesOfJob(job: CheckJob): number {
  return job.kind === 'session' ? bytesOf(job.session) : job.kind === 'history' ? job.log.size : 0
}

/** Does a job, in whatever thread. `onBytes`: how many more were read. */
export async function runJob(job: CheckJob, profile: Profile, source: ByteSource, onBytes?: OnBytes): Promise<Checked> {
  const checker = new Checker(profile)
  if (job.kind === 'history') await checkHistory(checker, new RecentText(source, onBytes), job.log)
  else if (job.kind === 'session') await checkSession(checker, new RecentText(source, onBytes), job)
  else {
    const text = new RecentText(streamSource(process.stdin), onBytes)
    await checkSession(checker, text, { session: loneSession(streamFile(), undefined) })
  }
  return checker.checked()
}

type OnBytes = (bytes: number) => void | Promise<void>

/** Does jobs in this thread. */
export async function runJobs(
  checker: Checker,
  jobs: readonly CheckJob[],
  { source }: Pick<Places, 'source'>,
): Promise<void> {
  for (const job of jobs) checker.add(await runJob(job, checker.profile, source))
}

/** What is to be read at a path: one file, or everything in a folder; `-` is standard input. */
export async function jobsOfPath(checker: Checker, path: string, { tree }: Pick<Places, 'tree'>): Promise<CheckJob[]> {
  if (path === '-') return [{ kind: 'stdin' }]
  if (isFile(path, tree)) return jobsOfFile(checker, path, tree)
  return jobsOfDiscovery(checker, await discover(path, tree), tree)
}

/** A session with all its files, and its place where that is in a home. */
export async function jobsOfSession(checker: Checker, session: SessionFiles, tree: FileTree): Promise<CheckJob[]> {
  const main = session.logs.find(log => log.role === 'session')
  if (main !== undefined && isInHome(resolve(main.path))) checker.home(await discover(main.path, tree))
  return [{ kind: 'session', session }]
}

/** One file by itself: its place is judged where that is in a home, the session's other files are not read. */
async function jobsOfFile(checker: Checker, path: string, tree: FileTree): Promise<CheckJob[]> {
  const discovery = await discover(path, tree)
  checker.addFindings(discovery.findings)
  const wanted = resolve(path)
  const logs = [...discovery.sessions.flatMap(session => session.logs), ...discovery.histories, ...discovery.strays]
  const log = logs.find(file => resolve(file.path) === wanted)
  if (!log) return []
  const session = discovery.sessions.find(candidate => candidate.logs.includes(log))
  const others = session?.logs.filter(other => other !== log) ?? []
  if (log.role === 'session' && isInHome(wanted)) checker.home(discovery)
  return [{ kind: 'session', session: loneSession(log, session), others }]
}

/** Whether a path says that its file is in a Claude home: people keep other folders called `projects` too. */
function isInHome(path: string): boolean {
  const folders = path.split(/[\\/]+/).slice(0, -1)
  if (folders.includes('.claude') || folders.slice(-2).some(name => projectFolders.includes(name))) return true
  return folders.some((name, at) => projectFolders.includes(name) && /^[-_]/.test(folders[at + 1] ?? ''))
}

function loneSession(log: LogFile, session: SessionFiles | undefined): SessionFiles {
  const id = session?.id ?? log.nameSession ?? sessionId(log.path)
  return { id, slug: session?.slug ?? '', logs: [log], side: session?.side ?? [] }
}

/** Everything under a root: its layout is looked at here; its sessions, files that belong to none and histories are jobs. */
export async function jobsOfDiscovery(checker: Checker, discovery: Discovery, tree: FileTree): Promise<CheckJob[]> {
  checker.addFindings(discovery.findings)
  checker.home(discovery, await misplacedLogs(discovery, tree))
  const strays = discovery.strays.map(log => loneSession(log, undefined))
  return [
    ...[...discovery.sessions, ...strays].map((session): CheckJob => ({ kind: 'session', session })),
    ...discovery.histories.map((log): CheckJob => ({ kind: 'history', log })),
  ]
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

async function checkSession(
  checker: Checker,
  text: RecentText,
  { session, others }: { session: SessionFiles; others?: readonly LogFile[] },
): Promise<void> {
  try {
    const graph = await loadSession(text, session, {}, (log, record, [event = null]) =>
      checker.record(log, record, event, text.textOf(record)),
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
  private readonly onBytes: OnBytes
  private chunks: Uint8Array[] = []
  /** Offset of the first of them. */
  private start = 0

  constructor(source: ChunkSource, onBytes: OnBytes = () => {}) {
    this.source = source
    this.onBytes = onBytes
  }

  async *read(generation: GenerationId, from: number, to: number): AsyncGenerator<Uint8Array> {
    this.chunks = []
    this.start = from
    for await (const chunk of this.source.read(generation, from, to)) {
      this.chunks.push(chunk)
      yield chunk
      await this.onBytes(chunk.length)
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

async function checkHistory(checker: Checker, source: ChunkSource, log: LogFile): Promise<void> {
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

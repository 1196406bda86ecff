// Dropped files as a session: which of them belong together, whether they are session logs at all, and a reader of them. It
// runs in a worker.

import { asNumber, asString, isObject, parseJson } from '../../src/base/json.ts'
import { decodeText } from '../../src/decode/decode.ts'
import { sessionId } from '../../src/model/ids.ts'
import { isRead, type LogRecord } from '../../src/model/record.ts'
import type { SessionGraph } from '../../src/model/session.ts'
import type { AgentMeta, ChunkSource, GenerationId, LogFile, SessionFiles } from '../../src/model/source.ts'
import { loadSession } from '../../src/session/load.ts'
import { graphReader } from '../../src/session/reading/graph-reader.ts'
import type { RawRecord, SessionHead, SessionReader } from '../../src/view/reading.ts'

/** How much is read at a time: the page stays free and progress can be shown. */
const sliceBytes = 1024 * 1024
/** How much of each end is read to find the session of a file. */
const endBytes = 64 * 1024
const mostRawBytes = 1024 * 1024

export type Progress = (done: number, total: number) => void

/** Opens what was dropped as one session. Rejects, in words for people, where it is none. */
export async function openFiles(files: readonly File[], progress: Progress = () => {}): Promise<SessionReader> {
  const chosen = await chooseLogs(files)
  const total = chosen.logs.reduce((sum, { file }) => sum + file.size, 0)
  const id = sessionId(await sessionOf(chosen.logs[0] as DroppedLog))
  const source = sliceSource(chosen.logs, done => progress(done, total))
  const session: SessionFiles = { id, slug: '', logs: chosen.logs.map(logFile), side: [] }
  const seen = new Seen()
  const graph = await loadSession(source, session, { data: true }, (_file, record) => seen.add(record))
  seen.refuseOthers((chosen.logs[0] as DroppedLog).file.name)
  return localReader(graph, session, sliceSource(chosen.logs))
}

function logFile({ file, path, role, agent, meta }: DroppedLog, at: number): LogFile {
  return {
    path,
    role,
    generation: String(at) as GenerationId,
    size: file.size,
    modifiedMs: file.lastModified,
    ...(agent !== undefined && { nameAgent: agent }),
    ...(meta !== undefined && { meta }),
  }
}

/** Bytes of dropped files, slice by slice: a file is never whole in memory. */
function sliceSource(logs: readonly DroppedLog[], onRead: (done: number) => void = () => {}): ChunkSource {
  let done = 0
  return {
    async *read(generation, from, to) {
      const file = logs[Number(generation)]?.file
      if (file === undefined) return
      const end = Math.min(to, file.size)
      for (let at = from; at < end; at += sliceBytes) {
        const bytes = await sliceOf(file, at, Math.min(at + sliceBytes, end))
        done += bytes.length
        onRead(done)
        yield bytes
      }
    },
  }
}

async function sliceOf(file: File, from: number, to: number): Promise<Uint8Array> {
  try {
    return new Uint8Array(await file.slice(from, to).arrayBuffer())
  } catch {
    throw new Error(`${file.name} cannot be read any more: it was moved, deleted or changed. Drop it again.`)
  }
}

/**
 * The session that a file belongs to: the one that its name says where a record says so too, else the last one that a record
 * names. A file that was resumed begins with another session's records.
 */
async function sessionOf({ file, stem }: DroppedLog): Promise<string> {
  if (file.size === 0) throw new Error(`${file.name} is empty.`)
  const head = await sliceOf(file, 0, Math.min(endBytes, file.size))
  refuseOtherBytes(file.name, head)
  const inHead = sessionsIn(head)
  if (inHead.includes(stem)) return stem
  const tail = await sliceOf(file, Math.max(0, file.size - endBytes), file.size)
  const inTail = sessionsIn(tail)
  return inTail.includes(stem) ? stem : (inTail.at(-1) ?? inHead.at(-1) ?? stem)
}

function sessionsIn(bytes: Uint8Array): string[] {
  return decodeText(bytes).events.flatMap(({ stated }) => stated.session ?? [])
}

/** Pictures, archives and prose are recognised by their beginning. */
function refuseOtherBytes(name: string, head: Uint8Array): void {
  const { records } = decodeText(head)
  if (records.some(isRead)) return
  const start = new TextDecoder().decode(head.subarray(0, 1024)).replace(/^[\uFEFF\0\s,]+/, '')
  if (!start.startsWith('{') && !start.startsWith('[')) throw notALog(name)
}

function notALog(name: string): Error {
  return new Error(`${name} is not a session file: its lines are not records.`)
}

/** The kinds of records in a file. */
class Seen {
  private known = 0
  private history = 0
  private records = 0
  private foreign: string | undefined

  add(record: LogRecord): void {
    const { status, dialect, foreign } = record
    if (isRead(record)) this.records++
    if (dialect === 'history') this.history++
    else if (status === 'known') this.known++
    if (foreign !== undefined) this.foreign = foreign
  }

  /** Unknown records are shown next to known ones, but not alone. */
  refuseOthers(name: string): void {
    if (this.known > 0) return
    if (this.history > 0) throw new Error(`${name} is a list of typed prompts, not a session.`)
    if (this.foreign !== undefined) throw new Error(`${name} is a log of another tool (${this.foreign}).`)
    if (this.records > 0) throw new Error(`${name} contains JSON lines, but no session records.`)
    throw notALog(name)
  }
}

function localReader(graph: SessionGraph, session: SessionFiles, source: ChunkSource): SessionReader {
  const reader = graphReader(graph)
  return {
    head: async () => headOf(await reader.head()),
    outline: reader.outline,
    items: reader.items,
    placeOf: reader.placeOf,
    errors: reader.errors,
    files: reader.files,
    netDiff: reader.netDiff,
    contextAt: reader.contextAt,
    find: reader.find,
    raw: event => rawOf(event, graph, session, source),
    document: async format => {
      const { sessionDocument } = await import('../../src/render/document.ts')
      return sessionDocument(graph, format, { slug: '', files: session.logs.map(({ path }) => path) })
    },
  }
}

/** The file is there, or it could not have been dropped; it cannot be resumed from here. */
function headOf(head: SessionHead): SessionHead {
  return { ...head, onDisk: true }
}

async function rawOf(
  event: string,
  graph: SessionGraph,
  session: SessionFiles,
  source: ChunkSource,
): Promise<RawRecord> {
  const found = graph.events.find(({ id }) => (id as string) === event)
  const log = session.logs.find(({ path }) => path === found?.source.file)
  if (found === undefined || log === undefined) throw new Error('There is no such event in this file.')
  const { line, offset, bytes } = found.source
  const isCut = bytes > mostRawBytes
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of source.read(log.generation, offset, offset + Math.min(bytes, mostRawBytes))) {
    text += decoder.decode(chunk, { stream: true })
  }
  return { event, file: log.path, line, offset, bytes, text: text.replace(/\r?\n$/, ''), isCut }
}

export interface DroppedLog {
  file: File
  /** As it is shown: with its folder where a folder was dropped. */
  path: string
  role: 'session' | 'agent'
  /** The name without its ending. */
  stem: string
  agent?: string
  meta?: AgentMeta
}

const headBytes = 64 * 1024
const longestMeta = 64 * 1024
const logName = /\.jsonl$/i

/** The main file first. Rejects, in words for people, where nothing can be read as one session. */
export async function chooseLogs(files: readonly File[]): Promise<{ logs: DroppedLog[] }> {
  const logs = files.filter(file => logName.test(file.name) && !file.name.startsWith('._')).map(toLog)
  const mains = logs.filter(({ role }) => role === 'session')
  const agents = logs.filter(({ role }) => role === 'agent')
  const [only] = files
  // A single file is taken at its content, whatever it is called.
  if (logs.length === 0 && only !== undefined && files.length === 1) return { logs: [toLog(only)] }
  if (logs.length === 0) throw new Error('None of these is a .jsonl file.')
  if (mains.length > 1) {
    throw new Error(
      `These are ${mains.length} sessions. Drop one .jsonl file, or one with the agent files that belong to it.`,
    )
  }
  const [main] = mains
  if (main === undefined) return { logs: await Promise.all(agents.slice(0, 1).map(one => withMeta(one, files))) }
  const own = await Promise.all(
    agents.map(async agent => ((await belongsTo(agent, main)) ? withMeta(agent, files) : null)),
  )
  return { logs: [main, ...own.filter(agent => agent !== null)] }
}

function toLog(file: File): DroppedLog {
  const stem = file.name.replace(logName, '')
  const path = file.webkitRelativePath || file.name
  const agent = /^agent-(.+)$/i.exec(stem)?.[1]
  return agent === undefined ? { file, path, role: 'session', stem } : { file, path, role: 'agent', stem, agent }
}

/** By its folder, else by its records. */
async function belongsTo({ file, path }: DroppedLog, main: DroppedLog): Promise<boolean> {
  if (path.includes(`${main.stem}/`)) return true
  const head = new Uint8Array(await file.slice(0, headBytes).arrayBuffer())
  const sessions = sessionsIn(head)
  return sessions.length === 0 || sessions.includes(main.stem)
}

/** `agent-x.meta.json` next to `agent-x.jsonl` names the call that started it. */
async function withMeta(log: DroppedLog, files: readonly File[]): Promise<DroppedLog> {
  const wanted = log.path.replace(logName, '.meta.json')
  const found = files.find(file => (file.webkitRelativePath || file.name) === wanted)
  if (found === undefined || found.size > longestMeta) return log
  const meta = metaOf(parseJson(await found.text()))
  return meta === undefined ? log : { ...log, meta }
}

function metaOf(value: unknown): AgentMeta | undefined {
  if (!isObject(value)) return undefined
  const meta: AgentMeta = {}
  for (const name of ['agentType', 'description', 'toolUseId', 'parentAgentId', 'model'] as const) {
    const text = asString(value[name])
    if (text !== undefined) meta[name] = text
  }
  const depth = asNumber(value['spawnDepth'])
  if (depth !== undefined) meta.spawnDepth = depth
  return meta
}

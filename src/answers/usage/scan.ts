// What API messages used, from the logs themselves, without an index: which logs there are (those of all sessions, agent files
// without one, earlier contents and what only the archive has), scanned by this thread and the worker pool, and joined here.
// It sums and prices nothing.

import { availableParallelism } from 'node:os'
import { openPlaces } from '../../archive/read/places.ts'
import { eventOptions } from '../../decode/events.ts'
import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import { placesOf } from '../../disk/discover/same-session.ts'
import { ReadError, rangeReader, readFinding, sameFileKey } from '../../disk/read/read.ts'
import type { LogContents } from '../../grep/earlier.ts'
import type { Finding } from '../../model/finding.ts'
import type { ByteSource, GenerationId, LogFile, SessionFiles } from '../../model/source.ts'
import type { MessageUsage, UsageFile, UsageStatement } from '../../model/usage.ts'
import { type FilePair, markInherited, UsageMerge } from '../../usage/message.ts'
import { lineBuffer, scanLog } from '../../usage/scan/scan.ts'
import type { UsageExtras, UsageLog } from '../../usage/statement.ts'
import { visibleTokens } from '../../usage/statement.ts'
import { type Task, WorkerPool } from '../../worker/pool.ts'
import type { Clew } from '../clew.ts'
import { copiedPartsOf } from '../sessions/copied.ts'
import { discoverRoots } from '../sessions/find.ts'

/** What is counted besides tokens. */
export interface ScanOptions {
  withTools: boolean
  withEstimate: boolean
}

export interface ScannedUsage {
  files: readonly UsageFile[]
  /** What could not be read. */
  findings: Finding[]
  isSample: boolean
  /** Every message once, in no particular order. */
  messages: MessageUsage[]
}

interface ScanArgs {
  home: string
  files: readonly ScanFile[]
  options: ScanOptions
}

interface ScanResult {
  /** As JSON, since a text crosses threads in a fraction of the time that objects take. */
  statements: string
  /** Files that have messages in common. */
  pairs: FilePair[]
  problems: ScanProblem[]
}

interface ScanProblem {
  path: string
  offset: number
  code: string
}

type Take = (statement: UsageStatement) => void

/** Starting a thread takes as long as scanning about this much. */
const bytesPerThread = 64 * 1024 * 1024
/** Small logs share a task. */
const bytesPerTask = 4 * 1024 * 1024
/** What a thread parses is garbage at once: a larger young generation costs memory and saves no time. */
const resourceLimits = { maxYoungGenerationSizeMb: 8 }

export const scanTask: Task<ScanArgs, ScanResult> = {
  name: 'usage/scan',
  async run({ home, files, options }) {
    places ??= openPlaces(home)
    const { source } = await places
    const merge = new UsageMerge()
    const problems = scanFew(files, options, source, statement => merge.add(statement))
    const byPlace: UsageFile[] = []
    for (const file of files) byPlace[file.place] = file
    return { statements: JSON.stringify(merge.parts(byPlace)), pairs: merge.filePairs(), problems }
  },
}

/** Of this thread: a pool serves one home. */
let places: ReturnType<typeof openPlaces> | undefined

export async function scanUsage(clew: Clew, options: ScanOptions): Promise<ScannedUsage> {
  const { files, findings, isSample, sessions } = await scanFiles(clew)
  const total = bytesOf(files)
  const pool = new WorkerPool({ size: threadsFor(total) - 1, resourceLimits })
  const progress = clew.listener.progress('reading', total)
  const merge = new UsageMerge()
  const take: Take = statement => merge.add(statement)
  const problems: ScanProblem[] = []
  const queue = batches(files)
  const scanHere = async (batch: ScanFile[]) => {
    problems.push(...scanFew(batch, options, clew.source, take))
    // In between, workers get their next batch, and Ctrl-C is heard.
    await new Promise(heard => setImmediate(heard))
  }
  const scanThere = async (batch: ScanFile[]) => {
    const result = await pool.run(scanTask, { home: clew.home, files: batch, options })
    for (const statement of JSON.parse(result.statements) as UsageStatement[]) take(statement)
    for (const pair of result.pairs) merge.addPair(pair)
    problems.push(...result.problems)
  }
  const work = async (scan: (batch: ScanFile[]) => Promise<void>) => {
    for (let batch = queue.shift(); batch !== undefined; batch = queue.shift()) {
      await scan(batch)
      progress.add(bytesOf(batch))
    }
  }
  try {
    await Promise.all([...Array.from({ length: pool.size }, () => work(scanThere)), work(scanHere)])
  } finally {
    progress.end()
    await pool.close()
  }
  findings.push(...problems.map(({ path, offset, code }) => readFinding(new ReadError(path, offset, code))))
  const messages = await ownMessages(merge, { files, sessions, options, source: clew.source })
  return { files, findings, isSample, messages }
}

/** What a few sessions used, in this thread. Files that cannot be read count nothing. */
export async function scanSessions(sessions: readonly SessionFiles[], clew: Clew): Promise<MessageUsage[]> {
  const merge = new UsageMerge()
  const files = await filesOf([{ sessions, strays: [], histories: [] }], clew)
  const options = { withTools: false, withEstimate: false }
  scanFew(files, options, clew.source, statement => merge.add(statement))
  return ownMessages(merge, { files, sessions: () => sessions, options, source: clew.source })
}

interface Scanned {
  files: readonly ScanFile[]
  sessions(): readonly SessionFiles[]
  options: ScanOptions
  source: ByteSource
}

/**
 * Each message at the session that sent it. Where several sessions have one and their records do not show whose it is, these
 * sessions are compared, and their files are scanned once more.
 */
async function ownMessages(merge: UsageMerge, { files, sessions, options, source }: Scanned): Promise<MessageUsage[]> {
  const messages = merge.messages(files)
  const families = openFamilies(merge.filePairs(), files)
  if (families.length === 0) return messages
  const again = new UsageMerge()
  for (const family of families) {
    const copied = await copiedPartsOf(
      sessions().filter(({ id }) => family.has(id)),
      source,
    )
    const few = files.filter(({ session }) => family.has(session))
    scanFew(few, options, source, statement => {
      const part = copied.get(files[statement.file]?.session ?? '')
      if (part?.until && family.has(part.from)) markInherited(statement, Date.parse(part.until))
      again.add(statement)
    })
  }
  const counted = again.messages(files)
  const keys = new Set(counted.map(({ key }) => key))
  return [...messages.filter(({ key }) => !keys.has(key)), ...counted]
}

/** Sessions that have messages in common, where it is open whose they are. */
function openFamilies(pairs: readonly FilePair[], files: readonly ScanFile[]): ReadonlySet<string>[] {
  const families = new Map<string, Set<string>>()
  const open = new Set<string>()
  for (const { files: places, isOpen } of pairs) {
    const [one = '', other = ''] = places.map(place => files[place]?.session)
    if (one === other || one === '' || other === '') continue
    if (isOpen) open.add(one)
    const joined = new Set([one, other, ...(families.get(one) ?? []), ...(families.get(other) ?? [])])
    for (const id of joined) families.set(id, joined)
  }
  return [...new Set([...open].flatMap(id => families.get(id) ?? []))]
}

function bytesOf(files: readonly ScanFile[]): number {
  return files.reduce((sum, file) => sum + file.size, 0)
}

/** With this one, which works too. */
function threadsFor(bytes: number): number {
  return Math.max(1, Math.min(Math.floor(bytes / bytesPerThread), availableParallelism()))
}

/** The largest first, so that no thread is left with one at the end. */
function batches(files: readonly ScanFile[]): ScanFile[][] {
  const found: ScanFile[][] = []
  let bytes = bytesPerTask
  for (const file of [...files].sort((one, other) => other.size - one.size)) {
    if (bytes >= bytesPerTask) {
      found.push([])
      bytes = 0
    }
    found.at(-1)?.push(file)
    bytes += file.size
  }
  return found
}

/** Gives what could not be read. */
function scanFew(files: readonly ScanFile[], options: ScanOptions, source: ByteSource, take: Take): ScanProblem[] {
  const extras: UsageExtras = { withTools: options.withTools, ...(options.withEstimate && { visibleTokens }) }
  const problems: ScanProblem[] = []
  const buffer = lineBuffer()
  for (const file of files) {
    try {
      for (const statement of statementsIn(file, source, extras, buffer)) take(statement)
    } catch (error) {
      if (!(error instanceof ReadError)) throw error
      const { path, offset, code } = error
      problems.push({ path, offset, code })
    }
  }
  return problems
}

function statementsIn(file: ScanFile, source: ByteSource, extras: UsageExtras, buffer: Buffer): UsageStatement[] {
  const reader = rangeReader(source, file.generation)
  try {
    return scanLog(reader, logOf(file), extras, buffer)
  } finally {
    reader.close()
  }
}

function logOf(file: ScanFile): UsageLog {
  const { path, place, role, session, nameSession } = file
  return {
    path,
    place,
    isAgentFile: role === 'agent',
    options: eventOptions(file, session === '' ? {} : { session }),
    ...(nameSession !== undefined && { nameSession }),
  }
}

/** A log to scan, as plain data for any thread. */
interface ScanFile extends UsageFile {
  /** In the list of all. */
  place: number
  generation: GenerationId
  size: number
  role: LogFile['role']
  nameSession?: string
  nameAgent?: string
}

interface ScanFiles {
  files: ScanFile[]
  sessions(): SessionFiles[]
  findings: Finding[]
  isSample: boolean
}

interface FoundLogs {
  sessions: readonly SessionFiles[]
  strays: readonly LogFile[]
  histories: readonly LogFile[]
}

async function scanFiles(clew: Clew): Promise<ScanFiles> {
  const { discoveries, isSample } = await discoverRoots(clew)
  const findings = discoveries.flatMap(discovery => discovery.findings)
  const sessions = () => mergeDiscoveries(discoveries, clew.source)
  const found: FoundLogs = {
    sessions: placesOf(discoveries, clew.source),
    strays: discoveries.flatMap(discovery => discovery.strays),
    histories: discoveries.flatMap(discovery => discovery.histories),
  }
  return { files: await filesOf([found], clew), sessions, findings, isSample }
}

async function filesOf(found: readonly FoundLogs[], clew: Clew): Promise<ScanFile[]> {
  const contents = await contentsOf(clew)
  const files = new Map<string, ScanFile>()
  const add = (log: LogFile, session: string) => {
    const key = sameFileKey(log.generation) ?? log.generation
    const { number, earlier } = contents(log)
    if (!files.has(key)) files.set(key, scanFile(log, files.size, session, number))
    for (const { log: before, generation } of earlier) {
      if (!files.has(before.generation)) files.set(before.generation, scanFile(before, files.size, session, generation))
    }
  }
  for (const { sessions, strays, histories } of found) {
    for (const { id, logs } of sessions) for (const log of logs) add(log, id)
    for (const log of [...strays, ...histories]) add(log, '')
  }
  return [...files.values()]
}

async function contentsOf({ archive, source }: Clew): Promise<(log: LogFile) => LogContents> {
  if (archive === undefined) return () => ({ number: 1, earlier: [] })
  const { logContents } = await import('../../grep/earlier.ts')
  return logContents(archive, source)
}

function scanFile(log: LogFile, place: number, session: string, number: number): ScanFile {
  const file: ScanFile = {
    path: log.path,
    place,
    number,
    session,
    generation: log.generation,
    size: log.size,
    role: log.role,
  }
  if (log.nameSession !== undefined) file.nameSession = log.nameSession
  if (log.nameAgent !== undefined) file.nameAgent = log.nameAgent
  return file
}

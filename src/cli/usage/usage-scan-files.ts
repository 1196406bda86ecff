// Which logs usage is read from without an index: those of all sessions, agent files without one, what files held before they
// were rewritten, and what only the archive has. No log is read here.

import { type Dirent, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sameFileKey } from '../../disk/read/read.ts'
import type { Finding } from '../../model/finding.ts'
import type { GenerationId, LogFile } from '../../model/source.ts'
import type { UsageFile } from '../../model/spent.ts'
import type { GlobalOptions } from '../command.ts'
import { discoverRoots, rootsFor } from '../input.ts'

/** A log as threads get it; its place in the list is its number. */
export interface ScanFile extends UsageFile {
  generation: GenerationId
  size: number
  role: LogFile['role']
  nameSession?: string
  nameAgent?: string
}

export interface ScanFiles {
  files: ScanFile[]
  findings: Finding[]
  isSample: boolean
}

export async function scanFiles(globals: GlobalOptions): Promise<ScanFiles> {
  const { discoveries, isSample } = await discoverRoots(globals)
  const earlier = await earlierOf(globals)
  const files = new Map<string, ScanFile>()
  const add = (log: LogFile, session: string) => {
    const key = sameFileKey(log.generation) ?? log.generation
    if (!files.has(key)) files.set(key, scanFile(log, session, (log.earlier ?? 0) + 1))
    for (const { log: before, generation } of earlier(log)) {
      if (!files.has(before.generation)) files.set(before.generation, scanFile(before, session, generation))
    }
  }
  for (const { sessions, strays, histories } of discoveries) {
    for (const { id, logs } of sessions) for (const log of logs) add(log, id)
    for (const log of [...strays, ...histories]) add(log, '')
  }
  const findings = discoveries.flatMap(discovery => discovery.findings)
  return { files: [...files.values()], findings, isSample }
}

/** How many names are looked at to tell whether there is much to read. */
const mostLooked = 400

/** Whether the logs on disk surely have so many bytes: a quick look at some of them, which may miss what is large. */
export async function areLarge(globals: GlobalOptions, bytes: number): Promise<boolean> {
  const { roots } = await rootsFor(globals)
  let left = mostLooked
  let sum = 0
  const waiting = roots.flatMap(root => [join(root, 'projects'), root])
  for (let folder = waiting.shift(); folder !== undefined && left > 0; folder = waiting.shift()) {
    for (const entry of namesIn(folder)) {
      if (--left <= 0) break
      const path = join(folder, entry.name)
      if (entry.isDirectory() && folder.endsWith('projects')) waiting.unshift(path)
      else if (entry.isFile() && entry.name.endsWith('.jsonl')) sum += sizeOf(path)
      if (sum >= bytes) return true
    }
  }
  return false
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch {
    return 0
  }
}

function namesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // Whoever looks for sessions says why.
    return []
  }
}

async function earlierOf({ archive, source }: GlobalOptions): Promise<EarlierOf> {
  if (archive === undefined) return () => []
  const { earlierLogs } = await import('../../grep/earlier.ts')
  return earlierLogs(archive, source)
}

type EarlierOf = (log: LogFile) => { log: LogFile; generation: number }[]

function scanFile(log: LogFile, session: string, number: number): ScanFile {
  const file: ScanFile = {
    path: log.path,
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

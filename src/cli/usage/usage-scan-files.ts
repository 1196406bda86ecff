// Which logs usage is read from without an index: those of all sessions, agent files without one, what files held before they
// were rewritten, and what only the archive has. No log is read here.

import { sameFileKey } from '../../disk/read/read.ts'
import type { Finding } from '../../model/finding.ts'
import type { GenerationId, LogFile } from '../../model/source.ts'
import type { UsageFile } from '../../model/spent.ts'
import type { GlobalOptions } from '../command.ts'
import { discoverRoots } from '../input.ts'

/** A log to scan, as plain data for any thread. */
export interface ScanFile extends UsageFile {
  /** In the list of all. */
  place: number
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
    if (!files.has(key)) files.set(key, scanFile(log, files.size, session, (log.earlier ?? 0) + 1))
    for (const { log: before, generation } of earlier(log)) {
      if (!files.has(before.generation)) files.set(before.generation, scanFile(before, files.size, session, generation))
    }
  }
  for (const { sessions, strays, histories } of discoveries) {
    for (const { id, logs } of sessions) for (const log of logs) add(log, id)
    for (const log of [...strays, ...histories]) add(log, '')
  }
  const findings = discoveries.flatMap(discovery => discovery.findings)
  return { files: [...files.values()], findings, isSample }
}

async function earlierOf({ archive, source }: GlobalOptions): Promise<EarlierOf> {
  if (archive === undefined) return () => []
  const { earlierLogs } = await import('../../grep/earlier.ts')
  return earlierLogs(archive, source)
}

type EarlierOf = (log: LogFile) => { log: LogFile; generation: number }[]

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

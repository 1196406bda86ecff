// For tests: an index of the sessions under a root, made file by file without the refresh around it.

import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { discover } from '../../disk/discover/discover.ts'
import type { PlacedSession } from '../../disk/discover/merge.ts'
import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import { diskSource } from '../../disk/read/read.ts'
import type { ByteSource, LogFile } from '../../model/source.ts'
import { Extraction } from '../ingest/extract.ts'
import type { FileTask } from '../ingest/rows.ts'
import { RowWriter } from '../ingest/write.ts'
import { Database } from '../store/port.ts'
import { createTables } from '../store/schema.ts'

export interface TestIndex {
  db: Database
  source: ByteSource
  sessions: PlacedSession[]
  /** By the logs' own generations. */
  fileIds: Map<string, number>
  close(): void
}

/** All sessions under the roots, extracted and not settled.  */
export async function indexRoots(roots: readonly string[]): Promise<TestIndex> {
  const folder = await mkdtemp(join(tmpdir(), 'clew-projection-'))
  const db = new Database(join(folder, 'test.sqlite'))
  db.exec('PRAGMA synchronous = OFF')
  db.exec('PRAGMA journal_mode = MEMORY')
  createTables(db)
  const source = diskSource()
  const discoveries = []
  for (const root of roots) discoveries.push(await discover(root))
  const sessions = mergeDiscoveries(discoveries, source)
  const fileIds = new Map<string, number>()
  const writer = new RowWriter(db)
  for (const session of sessions) {
    for (const log of session.logs) {
      fileIds.set(log.generation, fileIds.size + 1)
      await addFile(db, writer, source, log, session.id, fileIds.size)
    }
  }
  const close = () => {
    db.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { db, source, sessions, fileIds, close }
}

async function addFile(
  db: Database,
  writer: RowWriter,
  source: ByteSource,
  log: LogFile,
  session: string,
  file: number,
): Promise<void> {
  const generation = `live:${log.path}:${file}`
  const columns =
    'id, generation, path, number, standing, role, session, size, modified, indexed, lines, events, tail, covered'
  const cells = [file, generation, log.path, 1, 0, log.role, session, log.size, 0, 0, 0, 0, 0, 0]
  db.prepare(`INSERT INTO file (${columns}) VALUES (${cells.map(() => '?').join(', ')})`).run(cells)
  const task: FileTask = {
    file,
    source: log.generation,
    path: log.path,
    role: log.role,
    session,
    size: log.size,
    indexed: 0,
    isLive: true,
    ...(log.nameSession !== undefined && { nameSession: log.nameSession as string }),
    ...(log.nameAgent !== undefined && { agent: log.nameAgent }),
  }
  const extraction = new Extraction(task)
  for await (const chunk of source.read(log.generation, 0, Number.POSITIVE_INFINITY)) extraction.push(chunk)
  db.transaction(() => writer.write(extraction.end()))
}

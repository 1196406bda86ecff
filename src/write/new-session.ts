// A new session that is made of another one and written next to it: reads the origin, unless something may be writing it, and
// puts what src/write/edit made of it on the disk, or only says what would be written. Its report has what is needed
// afterwards: the command that resumes it, and the one that removes it.

import { randomUUID } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import { textToBytes } from '../base/bytes.ts'
import { decodeText } from '../decode/decode.ts'
import { isBelow } from '../disk/discover/homes.ts'
import type { FileTree } from '../disk/discover/tree.ts'
import { sampleHome } from '../files/package-folder.ts'
import { contextOfEvents } from '../graph/context/context.ts'
import { sessionId } from '../model/ids.ts'
import { type ChunkSource, mainLogs, type SessionFiles } from '../model/source.ts'
import type { NewSession } from '../schema/contract-shapes.ts'
import { resumeCommand, resumeFolder, usualShell } from '../session/resume-command.ts'
import { graphSummary } from '../session/summary.ts'
import type { Fork } from './edit/fork.ts'
import { type EditedFile, type EditedSession, type EditOptions, type ReadSession, readSession } from './edit/session.ts'
import { publish, publishedPaths, publishedRoots } from './publish.ts'
import { removal } from './undo.ts'
import { refuseInUse } from './use.ts'
import { WriteError } from './wire/error.ts'

export const editOptions: EditOptions = { newId: randomUUID, now: Date.now }

export interface OriginOptions {
  /** Even if something may be writing it. */
  isForced: boolean
}

/** The session, read whole. Throws where it may be in use. */
export async function readOrigin(
  source: ChunkSource,
  files: SessionFiles,
  { isForced }: OriginOptions,
): Promise<ReadSession> {
  const session = await readSession(source, files)
  if (!isForced) refuseInUse(files, graphSummary(session.graph).endedAt, Date.now())
  return session
}

export interface WriteNewOptions {
  /** Where files that are copied are read. */
  tree: FileTree
  /** Nothing is written. */
  isDry: boolean
}

/** Writes the session next to its origin, or only says what would be written. */
export async function writeNew(origin: ReadSession, fork: Fork, { tree, isDry }: WriteNewOptions): Promise<NewSession> {
  const folder = folderOf(origin.files)
  const { title, leaf, records, subagents, damaged, openCalls } = fork
  const written = isDry ? null : await publish(folder, fork, { tree })
  return {
    session: fork.session,
    origin: origin.files.id,
    dryRun: isDry,
    files: publishedPaths(folder, fork),
    bytes: written?.bytes ?? bytesOf(fork, tree),
    messages: messagesOf(fork),
    command: resumeCommand(usualShell(process.platform), resumeFolder(origin.graph, origin.files.slug), fork.session),
    undo: removal(publishedRoots(folder, fork)),
    title,
    leaf,
    records,
    subagents,
    damaged,
    openCalls,
  }
}

/** The project folder of the origin, though its log may be in the archive alone. */
function folderOf(files: SessionFiles): string {
  const [log] = mainLogs(files)
  if (log === undefined) throw new WriteError('not-found', `${files.id} has no log.`)
  if (isBelow(log.path, sampleHome()))
    throw new WriteError('bad-input', 'The sample history is not written to; copy it elsewhere.')
  return dirname(resolve(log.path))
}

/** How many messages a resume of it sends. */
function messagesOf({ session, lines }: EditedSession): number {
  const { events } = decodeText(textToBytes(`${lines.join('\n')}\n`), { session })
  return contextOfEvents(sessionId(session), events).messages.length
}

/** Of all its files, as they would be written. */
export function bytesOf({ lines, files }: EditedSession, tree: FileTree): number {
  return files.reduce((sum, { content }) => sum + contentBytes(content, tree), contentBytes({ lines }, tree))
}

function contentBytes(content: EditedFile['content'], tree: FileTree): number {
  if ('lines' in content) return content.lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
  const found = tree.stat(content.copyOf)
  return found.kind === 'file' ? found.size : 0
}

// A large session as several files, divided before prompts, which are read as one session; and the parts as one log again, byte
// for byte. Only new files are written.

import { existsSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { escapeForLine } from '../../base/escape.ts'
import { discover } from '../../disk/discover/discover.ts'
import { isFile } from '../../disk/discover/tree.ts'
import { type LogFile, mainLogs, type SessionFiles } from '../../model/source.ts'
import type { PartsReport } from '../../schema/contract-shapes.ts'
import { quickRows } from '../../session/scan/quick-rows.ts'
import { type NamedPart, readPartName } from '../../write/edit/split.ts'
import { newFiles, partFiles, planParts, sideFiles } from '../../write/parts.ts'
import { publishFiles } from '../../write/publish.ts'
import { removal } from '../../write/undo.ts'
import { refuseInUse } from '../../write/use.ts'
import type { Clew } from '../clew.ts'
import { NotFoundError, UserError } from '../error.ts'
import { namedPath } from '../paths.ts'
import { rootsFor } from '../sessions/find.ts'
import { homeAround } from './converted-files.ts'
import { forceAdvice, withUserErrors } from './errors.ts'
import { filesOf, type WriteQuery } from './fork.ts'

/** `size`: bytes that a part may have, but for one turn that has more. `out`: the folder for the parts. */
export async function split(clew: Clew, query: WriteQuery & { size: number; out: string }): Promise<PartsReport> {
  const { size, isDry = false } = query
  const folder = await folderOf(clew, query.out)
  const { files, log } = await sessionToSplit(clew, query)
  const isKnown = existsSync(folder)
  const parts = await withUserErrors(() => planParts(clew.source, log, files.id, size))
  const copied = partFiles(folder, log, parts)
  const side = sideFiles(files, dirname(log.path), folder)
  const made = await withUserErrors(() => newFiles([...side, ...copied], clew.source))
  if (!isDry) await withUserErrors(() => publishFiles(made))
  const paths = copied.map(({ path }) => path)
  return {
    session: files.id,
    path: log.path,
    dryRun: isDry,
    parts: parts.map(({ from, to }, at) => ({ path: paths[at] ?? '', bytes: to - from })),
    files: side.map(({ path }) => path),
    bytes: parts.at(-1)?.to ?? 0,
    undo: removal(isKnown ? [...paths, ...side.map(({ path }) => path)] : [folder]),
  }
}

/** There, the parts would be read next to the whole. */
async function folderOf(clew: Clew, out: string): Promise<string> {
  const folder = namedPath(out)
  const { roots } = await rootsFor(clew)
  if (homeAround(folder, roots) !== undefined || roots.some(root => resolve(root) === folder))
    throw new UserError(`${escapeForLine(out)} is in a Claude home, which has the whole session; name another folder`)
  return folder
}

async function sessionToSplit(
  clew: Clew,
  { word, isForced = false }: WriteQuery,
): Promise<{ files: SessionFiles; log: LogFile }> {
  const files = await filesOf(clew, { word })
  const [log, ...more] = mainLogs(files)
  if (log === undefined || log.role !== 'session')
    throw new UserError(`${escapeForLine(files.id)} has no log of its own`)
  if (more.length > 0) throw new UserError(`${escapeForLine(files.id)} is in ${more.length + 1} files already`)
  if (!isForced) {
    const [row] = quickRows([files], clew.source)
    await withUserErrors(() => refuseInUse(files, row?.endedAt ?? null, Date.now()), forceAdvice)
  }
  return { files, log }
}

interface JoinQuery {
  /** Files in the order in which they are put together; parts of one session are put into their own order. */
  paths: readonly string[]
  /** The new .jsonl file. */
  out: string
  isDry?: boolean
}

export async function join(clew: Clew, { paths: typed, out, isDry = false }: JoinQuery): Promise<PartsReport> {
  const path = wholePath(out)
  const paths = typed.map(namedPath)
  const missing = paths.find(each => !isFile(each, clew.tree))
  if (missing !== undefined) throw new NotFoundError(`${escapeForLine(missing)} is not a file`)
  const { logs, session } = await partsOf(inOrder(paths), clew)
  refuseUnended(logs, clew)
  const whole = { path, ranges: logs.map(({ generation, size }) => ({ generation, from: 0, to: size })) }
  const folder = dirname(logs[0]?.path ?? '')
  const side = sideFiles(session, folder, dirname(path)).filter(file => file.path !== path)
  const made = await withUserErrors(() => newFiles([...side, whole], clew.source))
  if (!isDry) await withUserErrors(() => publishFiles(made))
  return {
    session: session.id,
    path,
    dryRun: isDry,
    parts: logs.map(log => ({ path: log.path, bytes: log.size })),
    files: side.map(file => file.path),
    bytes: logs.reduce((sum, { size }) => sum + size, 0),
    undo: removal([path, ...side.map(file => file.path)]),
  }
}

function wholePath(out: string): string {
  const path = namedPath(out)
  // A log may go back to its home, but not into the samples.
  homeAround(path, [])
  if (existsSync(path)) throw new UserError(`${escapeForLine(out)} exists already`)
  return path
}

/** Parts by their numbers, all of them; other files as they were given. */
function inOrder(paths: readonly string[]): string[] {
  const named = paths.map(path => ({ path, part: readPartName(basename(path)) }))
  const parts = named.flatMap(({ path, part }) => (part === null ? [] : [{ path, part }]))
  if (parts.length === 0) return [...paths]
  const [first] = parts as [{ path: string; part: NamedPart }]
  const { stem, count } = first.part
  const other = named.find(({ part }) => part === null || part.stem !== stem || part.count !== count)
  if (other !== undefined)
    throw new UserError(`${escapeForLine(other.path)} is not part of what ${escapeForLine(first.path)} is a part of`)
  const sorted = [...parts].sort((a, b) => a.part.number - b.part.number)
  for (let at = 0; at < count; at++) {
    if (sorted[at]?.part.number !== at + 1)
      throw new UserError(`part ${at + 1} of ${count} is missing, or is there twice`)
  }
  return sorted.map(({ path }) => path)
}

/** The session that the parts are of, as it is in their folder. */
async function partsOf(paths: readonly string[], { tree }: Clew): Promise<{ logs: LogFile[]; session: SessionFiles }> {
  const { sessions } = await discover(dirname(paths[0] ?? ''), tree)
  const all = new Map(sessions.flatMap(({ logs }) => logs.map(log => [resolve(log.path), log] as const)))
  const logs = paths.flatMap(path => all.get(path) ?? [])
  const session = sessions.find(one => logs[0] !== undefined && one.logs.includes(logs[0]))
  const lost = paths.find(path => !all.has(path))
  if (session === undefined || lost !== undefined)
    throw new UserError(`${escapeForLine(lost ?? paths[0] ?? '')} is not a log, or not in the folder of the others`)
  return { logs, session }
}

/** A line that is not ended would run into the next part. */
function refuseUnended(logs: readonly LogFile[], { source }: Clew): void {
  for (const { path, generation, size } of logs.slice(0, -1)) {
    const [last] = source.readSync(generation, Math.max(0, size - 1), size)
    if (size > 0 && last !== 0x0a) throw new UserError(`${escapeForLine(path)} does not end with a line end`)
  }
}

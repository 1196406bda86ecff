// What is appended to a session: a title, a tag, a compaction, events. Which log is meant, whether it may be in use, and how it is
// undone: a log only grows, so that its former size is all that undoing needs.

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { escapeForLine } from '../../base/escape.ts'
import { posixQuote, powershellQuote } from '../../base/shell-quote.ts'
import { isBelow } from '../../disk/discover/homes.ts'
import { sampleHome } from '../../files/package-folder.ts'
import { buildContext } from '../../graph/context/context.ts'
import { type LogFile, mainLogs, type SessionFiles } from '../../model/source.ts'
import type { ChangedSession } from '../../schema/contract-shapes.ts'
import { loadSession } from '../../session/load.ts'
import { makeUpOf } from '../../session/make-up.ts'
import { quickRows } from '../../session/scan/quick-rows.ts'
import { refuseInUse } from '../../write/use.ts'
import {
  type Appended,
  type OpenOptions,
  openSession,
  type SessionOps,
  type SessionWriter,
  sessionOps,
  tag,
  title,
} from '../../write/write.ts'
import type { Clew } from '../clew.ts'
import { UserError } from '../error.ts'
import { forceAdvice, withUserErrors } from './errors.ts'
import { filesOf, type WriteQuery } from './fork.ts'

/** A log that may be appended to. */
interface ChangeTarget {
  files: SessionFiles
  log: LogFile
}

/** As Claude Code's /rename does. */
export async function retitle(clew: Clew, query: WriteQuery & { title: string }): Promise<ChangedSession> {
  const agentName = { kind: 'title', detail: { titleFrom: 'agent-name', title: query.title } } as const
  return append(clew, query, writer => writer.appendAll([title(query.title), agentName]))
}

/** As the agent SDK does; null removes the tag. */
export function retag(clew: Clew, query: WriteQuery & { tag: string | null }): Promise<ChangedSession> {
  return append(clew, query, writer => writer.appendAll([tag(query.tag ?? '')]))
}

/** Whatever the writer is given. Each call of it is in the file before the next. */
export async function append(
  clew: Clew,
  query: WriteQuery,
  work: (writer: SessionWriter) => Promise<Appended[]>,
): Promise<ChangedSession> {
  return change(clew, await sessionToChange(clew, query), query.isDry === true, work)
}

/** As Claude Code's /compact does, with this summary in place of the model's. `keep`: turns that a resume sends as they are. */
export async function compact(
  clew: Clew,
  query: WriteQuery & { keep: number; summary(): Promise<string> },
): Promise<ChangedSession> {
  const { keep, isDry = false } = query
  const target = await sessionToChange(clew, query)
  const summary = await query.summary()
  const graph = await loadSession(clew.source, target.files)
  const context = buildContext(graph)
  if (!context.resumable) throw new UserError(`there is nothing to compact: ${context.reason ?? 'nothing was said'}`)
  const preTokens = makeUpOf(context, graph.events).lastRequestTokens ?? 0
  return change(clew, target, isDry, writer => writer.compact({ summary, keep, preTokens }))
}

/** The session that is meant. Without --force not one that may be in use. */
async function sessionToChange(clew: Clew, { word, isForced = false }: WriteQuery): Promise<ChangeTarget> {
  const files = await filesOf(clew, { word })
  // A session in several files goes on in the last one.
  const log = mainLogs(files).at(-1)
  const id = escapeForLine(files.id)
  if (log === undefined || log.role !== 'session') throw new UserError(`${id} has no log of its own`)
  if (log.isArchiveOnly === true) throw new UserError(`${id} is no longer on disk; first: clew archive restore ${id}`)
  if (isBelow(log.path, sampleHome())) throw new UserError('the sample history is not written to; copy it elsewhere')
  if (!isForced) {
    const [row] = quickRows([files], clew.source)
    await withUserErrors(() => refuseInUse(files, row?.endedAt ?? null, Date.now()), forceAdvice)
  }
  return { files, log }
}

/** Appends what `work` appends, or only counts it. */
async function change(
  clew: Clew,
  { files, log }: ChangeTarget,
  isDry: boolean,
  work: (writer: SessionWriter) => Promise<Appended[]>,
): Promise<ChangedSession> {
  const before = statSync(log.path).size
  const counted = { bytes: 0 }
  return withUserErrors(async () => {
    const ops = isDry ? dryOps(counted) : sessionOps
    const writer = await openForClaudeCode(log.path, { clewHome: clew.home, fsync: 'record', ops })
    const appended = await work(writer).finally(() => writer.close())
    const bytes = isDry ? counted.bytes : statSync(log.path).size - before
    return {
      session: files.id,
      path: log.path,
      dryRun: isDry,
      bytes,
      events: appended.flatMap(({ ids }) => ids),
      losses: appended.flatMap(({ losses }) => losses),
      undo: undoCommand(log.path, before),
    }
  })
}

/** Whatever version wrote it: the current Claude Code is to resume it. Only 000 and 003 have forms that it does not read. */
async function openForClaudeCode(path: string, options: OpenOptions): Promise<SessionWriter> {
  const writer = await openSession(path, options)
  if (writer.dialect === 'real' || writer.dialect === 's0' || writer.dialect === 's3') return writer
  await writer.close()
  return openSession(path, { ...options, dialect: 'real' })
}

/** Counts what would be written. */
function dryOps(counted: { bytes: number }): SessionOps {
  const writeOnce: SessionOps['writeOnce'] = (_fd, bytes, from) => {
    counted.bytes += bytes.length - from
    return bytes.length - from
  }
  return { ...sessionOps, writeOnce, sync() {} }
}

function undoCommand(log: string, size: number): string {
  const path = resolve(log)
  if (process.platform !== 'win32') return `truncate -s ${size} ${posixQuote(path)}`
  return `$f = [IO.File]::OpenWrite(${powershellQuote(path)}); $f.SetLength(${size}); $f.Close()`
}

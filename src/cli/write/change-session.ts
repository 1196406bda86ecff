// What commands that append to a session have in common: which log is meant, whether it may be in use, what was appended, and
// how it is undone. A log only grows, so that its former size is all that undoing needs.

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { UserError } from '../../answers/error.ts'
import { sessionOf } from '../../answers/sessions/find.ts'
import { escapeForLine } from '../../base/escape.ts'
import { posixQuote, powershellQuote } from '../../base/shell-quote.ts'
import { isBelow } from '../../disk/discover/homes.ts'
import { sampleHome } from '../../disk/package-folder.ts'
import { type LogFile, mainLogs, type SessionFiles } from '../../model/source.ts'
import type { ChangedSession } from '../../schema/contract-shapes.ts'
import { quickRows } from '../../session/scan/quick-rows.ts'
import { sizeText } from '../../view/words.ts'
import { refuseInUse } from '../../write/use.ts'
import {
  type Appended,
  type OpenOptions,
  openSession,
  type SessionOps,
  type SessionWriter,
  sessionOps,
} from '../../write/write.ts'
import type { CommandInput, GlobalOptions } from '../command.ts'
import { printJson, printLine, say } from '../terminal/output.ts'
import { forceAdvice, withUserErrors } from './errors.ts'

/** A log that may be appended to. */
export interface ChangeTarget {
  files: SessionFiles
  log: LogFile
}

/** The session that is meant. Without --force not one that may be in use. */
export async function sessionToChange({ args, options, globals }: CommandInput): Promise<ChangeTarget> {
  const files = await sessionOf(args[0], { ...globals.clew, usesSample: false })
  // A session in several files goes on in the last one.
  const log = mainLogs(files).at(-1)
  const id = escapeForLine(files.id)
  if (log === undefined || log.role !== 'session') throw new UserError(`${id} has no log of its own`)
  if (log.isArchiveOnly === true) throw new UserError(`${id} is no longer on disk; first: clew archive restore ${id}`)
  if (isBelow(log.path, sampleHome())) throw new UserError('the sample history is not written to; copy it elsewhere')
  if (options['force'] !== true) {
    const [row] = quickRows([files], globals.clew.source)
    await withUserErrors(() => refuseInUse(files, row?.endedAt ?? null, Date.now()), forceAdvice)
  }
  return { files, log }
}

/** Appends what `work` appends, or with --dry-run only counts it. */
export async function change(
  { files, log }: ChangeTarget,
  { options, globals }: Pick<CommandInput, 'options' | 'globals'>,
  work: (writer: SessionWriter) => Promise<Appended[]>,
): Promise<ChangedSession> {
  const before = statSync(log.path).size
  const counted = { bytes: 0 }
  const isDry = options['dryRun'] === true
  return withUserErrors(async () => {
    const ops = isDry ? dryOps(counted) : sessionOps
    const writer = await openForClaudeCode(log.path, { clewHome: globals.clew.home, fsync: 'record', ops })
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

/** `done`: what was done, for people. */
export async function printChange(
  report: ChangedSession,
  done: string,
  { json, quiet }: Pick<GlobalOptions, 'json' | 'quiet'>,
): Promise<void> {
  if (json) {
    await printJson(report)
    return
  }
  await printLine(report.dryRun ? `${done}: not done (--dry-run)` : done)
  if (quiet) return
  for (const { event, path, why } of report.losses)
    say(`clew: not written: ${escapeForLine(`${event} ${path}`.trim())}: ${escapeForLine(why)}`)
  if (report.dryRun) return
  say(`clew: appended ${sizeText(report.bytes)}; to undo:`)
  say(`clew:   ${escapeForLine(report.undo)}`)
}

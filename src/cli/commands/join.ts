// `clew join`: the parts of a session as one log again, byte for byte.

import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, resolve } from 'node:path'
import { NotFoundError, UserError } from '../../answers/error.ts'
import { escapeForLine } from '../../base/escape.ts'
import { discover } from '../../disk/discover/discover.ts'
import { expandTilde } from '../../disk/discover/homes.ts'
import { isFile } from '../../disk/discover/tree.ts'
import type { LogFile, SessionFiles } from '../../model/source.ts'
import type { PartsReport } from '../../schema/contract-shapes.ts'
import { countOf, sizeText } from '../../view/words.ts'
import { type NamedPart, readPartName } from '../../write/edit/split.ts'
import { newFiles, sideFiles } from '../../write/parts.ts'
import { publishFiles } from '../../write/publish.ts'
import { removal } from '../../write/undo.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { printJson, printLine, say } from '../terminal/output.ts'
import { homeAround } from '../write/converted-files.ts'
import { withUserErrors } from '../write/errors.ts'

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  const path = wholePath(options['out'])
  const paths = args.map(arg => resolve(expandTilde(arg, homedir())))
  const missing = paths.find(each => !isFile(each, globals.clew.tree))
  if (missing !== undefined) throw new NotFoundError(`${escapeForLine(missing)} is not a file`)
  const { logs, session } = await partsOf(inOrder(paths), globals)
  refuseUnended(logs, globals)
  const whole = { path, ranges: logs.map(({ generation, size }) => ({ generation, from: 0, to: size })) }
  const folder = dirname(logs[0]?.path ?? '')
  const side = sideFiles(session, folder, dirname(path)).filter(file => file.path !== path)
  const isDry = options['dryRun'] === true
  const made = await withUserErrors(() => newFiles([...side, whole], globals.clew.source))
  if (!isDry) await withUserErrors(() => publishFiles(made))
  const report: PartsReport = {
    session: session.id,
    path,
    dryRun: isDry,
    parts: logs.map(log => ({ path: log.path, bytes: log.size })),
    files: side.map(file => file.path),
    bytes: logs.reduce((sum, { size }) => sum + size, 0),
    undo: removal([path, ...side.map(file => file.path)]),
  }
  await print(report, globals)
  return 0
}

function wholePath(out: unknown): string {
  if (typeof out !== 'string' || !/\.jsonl$/i.test(out)) throw new UserError('missing --out: a new .jsonl file')
  const path = resolve(expandTilde(out, homedir()))
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
async function partsOf(
  paths: readonly string[],
  { clew: { tree } }: GlobalOptions,
): Promise<{ logs: LogFile[]; session: SessionFiles }> {
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
function refuseUnended(logs: readonly LogFile[], { clew: { source } }: GlobalOptions): void {
  for (const { path, generation, size } of logs.slice(0, -1)) {
    const [last] = source.readSync(generation, Math.max(0, size - 1), size)
    if (size > 0 && last !== 0x0a) throw new UserError(`${escapeForLine(path)} does not end with a line end`)
  }
}

async function print(report: PartsReport, { json, quiet }: GlobalOptions): Promise<void> {
  if (json) {
    await printJson(report)
    return
  }
  const { path, parts, files, bytes, dryRun, undo } = report
  await printLine(escapeForLine(path))
  if (quiet) return
  const others = files.length > 0 ? `, ${countOf(files.length, 'file')} next to it` : ''
  const what = `${sizeText(bytes)} of ${countOf(parts.length, 'part')}${others}`
  say(`clew: ${dryRun ? `nothing was written (--dry-run): ${what}` : `wrote ${what}; to undo:`}`)
  if (!dryRun) say(`clew:   ${escapeForLine(undo)}`)
}

// `clew split`: a large session as several files, divided before prompts, which are read as one session.

import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, resolve } from 'node:path'
import { UserError } from '../../answers/error.ts'
import { rootsFor, sessionOf } from '../../answers/sessions/find.ts'
import { escapeForLine } from '../../base/escape.ts'
import { expandTilde } from '../../disk/discover/homes.ts'
import { type LogFile, mainLogs, type SessionFiles } from '../../model/source.ts'
import type { PartsReport } from '../../schema/contract-shapes.ts'
import { quickRows } from '../../session/scan/quick-rows.ts'
import { countOf, sizeText } from '../../view/words.ts'
import { newFiles, partFiles, planParts, sideFiles } from '../../write/parts.ts'
import { publishFiles } from '../../write/publish.ts'
import { removal } from '../../write/undo.ts'
import { refuseInUse } from '../../write/use.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { printJson, printLine, say } from '../terminal/output.ts'
import { homeAround } from '../write/converted-files.ts'
import { withUserErrors } from '../write/errors.ts'

export async function run(input: CommandInput): Promise<ExitCode> {
  const { options, globals } = input
  const size = sizeOf(options['size'])
  const folder = await folderOf(input)
  const { files, log } = await sessionToSplit(input)
  const isKnown = existsSync(folder)
  const parts = await withUserErrors(() => planParts(globals.clew.source, log, files.id, size))
  const copied = partFiles(folder, log, parts)
  const side = sideFiles(files, dirname(log.path), folder)
  const isDry = options['dryRun'] === true
  const made = await withUserErrors(() => newFiles([...side, ...copied], globals.clew.source))
  if (!isDry) await withUserErrors(() => publishFiles(made))
  const paths = copied.map(({ path }) => path)
  const report: PartsReport = {
    session: files.id,
    path: log.path,
    dryRun: isDry,
    parts: parts.map(({ from, to }, at) => ({ path: paths[at] ?? '', bytes: to - from })),
    files: side.map(({ path }) => path),
    bytes: parts.at(-1)?.to ?? 0,
    undo: removal(isKnown ? [...paths, ...side.map(({ path }) => path)] : [folder]),
  }
  await print(report, size, input)
  return 0
}

/** `50MB`, `800 kB`, `1.5 GiB`, `4096`. */
function sizeOf(value: unknown): number {
  const found = /^(\d+(?:\.\d+)?)\s*(?:([kmg])(i?)b?|b)?$/i.exec(String(value ?? '').trim())
  const power = { '': 0, k: 1, m: 2, g: 3 }[found?.[2]?.toLowerCase() ?? ''] ?? 0
  const size = found === null ? Number.NaN : Math.round(Number(found[1]) * (found[3] ? 1024 : 1000) ** power)
  if (Number.isSafeInteger(size) && size >= 1) return size
  if (value === undefined) throw new UserError('missing --size, such as 50MB')
  throw new UserError(`Invalid --size "${value}". Examples: 50MB, 800kB`)
}

async function folderOf({ options, globals }: CommandInput): Promise<string> {
  const out = options['out']
  if (typeof out !== 'string' || out === '') throw new UserError('missing --out: a folder for the parts')
  const folder = resolve(expandTilde(out, homedir()))
  const { roots } = await rootsFor(globals.clew)
  // There, the parts would be read next to the whole.
  if (homeAround(folder, roots) !== undefined || roots.some(root => resolve(root) === folder))
    throw new UserError(`${escapeForLine(out)} is in a Claude home, which has the whole session; name another folder`)
  return folder
}

async function sessionToSplit({
  args,
  options,
  globals,
}: CommandInput): Promise<{ files: SessionFiles; log: LogFile }> {
  const files = await sessionOf(args[0], { ...globals.clew, usesSample: false })
  const [log, ...more] = mainLogs(files)
  const id = escapeForLine(files.id)
  if (log === undefined || log.role !== 'session') throw new UserError(`${id} has no log of its own`)
  if (more.length > 0) throw new UserError(`${id} is in ${more.length + 1} files already`)
  if (options['force'] !== true) {
    const [row] = quickRows([files], globals.clew.source)
    await withUserErrors(() => refuseInUse(files, row?.endedAt ?? null, Date.now()), '--force does it all the same.')
  }
  return { files, log }
}

async function print(report: PartsReport, size: number, { globals }: CommandInput): Promise<void> {
  if (globals.json) {
    await printJson(report)
    return
  }
  const { parts, files, bytes, dryRun, undo } = report
  for (const { path } of parts) await printLine(escapeForLine(path))
  if (globals.quiet) return
  const larger = parts.filter(part => part.bytes > size).length
  if (larger > 0) say(`clew: ${countOf(larger, 'part')} larger than ${sizeText(size)}: a turn is not divided`)
  const others = files.length > 0 ? `, ${countOf(files.length, 'file')} next to it` : ''
  const what = `${sizeText(bytes)} in ${countOf(parts.length, 'part')}${others}`
  say(`clew: ${dryRun ? `nothing was written (--dry-run): ${what}` : `wrote ${what}; to undo:`}`)
  if (!dryRun) say(`clew:   ${escapeForLine(undo)}`)
}

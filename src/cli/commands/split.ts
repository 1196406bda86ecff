// `clew split`: a large session as several files, divided before prompts, which are read as one session.

import { UserError } from '../../answers/error.ts'
import { split } from '../../answers/write/parts.ts'
import { escapeForLine } from '../../base/escape.ts'
import type { PartsReport } from '../../schema/contract-shapes.ts'
import { countOf, sizeText } from '../../view/words.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { printJson, printLine, say } from '../terminal/output.ts'
import { writeQuery } from '../write/print-change.ts'

export async function run(input: CommandInput): Promise<ExitCode> {
  const { options, globals } = input
  const size = sizeOf(options['size'])
  const out = options['out']
  if (typeof out !== 'string' || out === '') throw new UserError('missing --out: a folder for the parts')
  await print(await split(globals.clew, { ...writeQuery(input), size, out }), size, input)
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

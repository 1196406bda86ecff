// `clew join`: the parts of a session as one log again, byte for byte.

import { UserError } from '../../answers/error.ts'
import { join } from '../../answers/write/parts.ts'
import { escapeForLine } from '../../base/escape.ts'
import type { PartsReport } from '../../schema/contract-shapes.ts'
import { countOf, sizeText } from '../../view/words.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { printJson, printLine, say } from '../terminal/output.ts'

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  const out = options['out']
  if (typeof out !== 'string' || !/\.jsonl$/i.test(out)) throw new UserError('missing --out: a new .jsonl file')
  await print(await join(globals.clew, { paths: args, out, isDry: options['dryRun'] === true }), globals)
  return 0
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

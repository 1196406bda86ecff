// `clew export`: many sessions as files in a folder, with an index page.

import pkg from '../../../package.json' with { type: 'json' }
import { UserError } from '../../answers/error.ts'
import { exportSessions } from '../../answers/sessions/export.ts'
import { escapeForLine } from '../../base/escape.ts'
import { asString } from '../../base/json.ts'
import type { ExportReport } from '../../schema/contract-shapes.ts'
import { countOf, sizeText } from '../../view/words.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { findingLine, printJson, printLine, say } from '../terminal/output.ts'

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  const out = asString(options['out'])
  if (!out) throw new UserError('missing --out; name the folder to export to: clew export --all --out DIR')
  const { format, detail } = options as Partial<Pick<ExportReport, 'format' | 'detail'>>
  const { report, faults } = await exportSessions(globals.clew, {
    words: args,
    all: options['all'] === true,
    filters: options,
    out,
    ...(format !== undefined && { format }),
    ...(detail !== undefined && { detail }),
    isForced: options['force'] === true,
    version: pkg.version,
  })
  for (const finding of faults) say(findingLine(finding))
  if (globals.json) await printJson(report)
  const isEmpty = report.sessions + report.failed.length === 0
  if (isEmpty && !globals.quiet) say('clew: no session matches; nothing was exported')
  if (!isEmpty && !globals.json) await printReport(report, globals.quiet)
  return isEmpty || report.failed.length > 0 ? 1 : 0
}

async function printReport(report: ExportReport, isQuiet: boolean): Promise<void> {
  await printLine(escapeForLine(report.index))
  if (!isQuiet) say(`clew: ${reportText(report)}`)
}

function reportText({ sessions, written, unchanged, bytes, failed, out }: ExportReport): string {
  const parts = [`${countOf(written, 'file')} written, ${sizeText(bytes)}`]
  if (unchanged > 0) parts.push(`${unchanged} unchanged`)
  if (failed.length > 0) parts.push(`${failed.length} failed`)
  return `exported ${countOf(sessions, 'session')} to ${escapeForLine(out)}: ${parts.join(', ')}`
}

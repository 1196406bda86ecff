// `clew archive export`: what is kept, as one tar.

import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { type ExportReport, exportArchive, exportToFile } from '../archive/export.ts'
import { escapeForLine } from '../base/escape.ts'
import { expandTilde } from '../disk/homes.ts'
import { countOf, sizeText } from '../view/words.ts'
import { existingArchive, telling } from './archive-open.ts'
import { allNamed } from './archive-sessions.ts'
import type { CommandInput, ExitCode } from './command.ts'
import { UserError } from './command.ts'
import { printJson, printLine, say } from './output.ts'
import { startProgress } from './progress.ts'

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  const [target, ...sessions] = args
  if (target === undefined) throw new UserError('where to? clew archive export FILE.tar, or - for stdout')
  if (options['all'] === true && sessions.length > 0) throw new UserError('export takes sessions or --all, not both')
  if (target === '-' && process.stdout.isTTY) throw new UserError('a tar is nothing for a terminal; name a file')
  if (target === '-' && globals.json) throw new UserError('--json and a tar on stdout do not go together')
  const archive = existingArchive(globals)
  const progress = startProgress({ what: 'exporting', isQuiet: globals.quiet })
  let report: ExportReport
  try {
    report = await telling(async () => {
      const chosen = sessions.length > 0 ? { sessions: await allNamed(archive, sessions, globals) } : {}
      const how = { ...chosen, progress: (bytes: number) => progress.add(bytes) }
      if (target === '-') return exportArchive(archive, toStdout, how)
      return exportToFile(archive, resolve(expandTilde(target, homedir())), how)
    })
  } finally {
    progress.end()
  }
  const text = `exported ${countOf(report.files, 'file')}, ${countOf(report.generations, 'generation')}, ${sizeText(report.bytes)}`
  if (globals.json) await printJson({ file: resolve(target), ...report })
  else if (target === '-') {
    if (!globals.quiet) say(`clew: ${text}`)
  } else await printLine(`${text} to ${escapeForLine(target)}`)
  return 0
}

function toStdout(bytes: Uint8Array): Promise<void> {
  return new Promise((done, fail) => {
    process.stdout.write(bytes, error => (error ? fail(error) : done()))
  })
}

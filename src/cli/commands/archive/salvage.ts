// `clew archive salvage`: puts together again what the packs have of files whose lines in the manifest are lost.

import pc from 'picocolors'
import { type SalvagedFile, salvageInto, unknownFolder } from '../../../answers/care/archive.ts'
import { UserError } from '../../../answers/error.ts'
import { escapeForLine } from '../../../base/escape.ts'
import { countOf, sizeText } from '../../../view/words.ts'
import type { CommandInput, ExitCode } from '../../command.ts'
import { printJson, printLine } from '../../terminal/output.ts'

const listed = 20

export async function run({ args, globals }: CommandInput): Promise<ExitCode> {
  const [named, ...more] = args
  if (!named || more.length > 0)
    throw new UserError('where to? clew archive salvage DIR, a folder that is empty or not there')
  const { folder: to, files, bytes } = await salvageInto(globals.clew, named)
  if (globals.json) {
    await printJson({ folder: to, files, bytes })
    return files.length > 0 ? 0 : 1
  }
  if (files.length === 0) {
    await printLine('there is nothing to salvage: every byte in the packs belongs to a file in the manifest')
    return 1
  }
  for (const file of files.slice(0, listed)) for (const line of fileLines(file)) await printLine(line)
  if (files.length > listed) await printLine(`and ${files.length - listed} more, which salvage.json names`)
  await printLine(
    `salvaged ${countOf(files.length, 'file')} with ${sizeText(bytes)} that the manifest lost, in ${escapeForLine(to)}`,
  )
  if (files.some(({ path }) => !path.startsWith(unknownFolder))) {
    await printLine(`look at them, then: clew archive import ${escapeForLine(to)}`)
  }
  return 0
}

function* fileLines({ session, path, bytes, found, archived, isWhole, inferred }: SalvagedFile): Generator<string> {
  const who = session === null ? '' : `${escapeForLine(session)} `
  const of = archived === undefined ? '' : ` of ${archived}`
  const state = isWhole ? pc.green('whole') : pc.yellow('a part')
  yield `${state} ${pc.cyan(who)}${escapeForLine(path)}: ${bytes}${of} bytes, ${found} of them found`
  if (inferred.length > 0) yield `  inferred: ${escapeForLine(inferred.join('; '))}`
}

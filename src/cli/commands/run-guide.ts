// `clew guide`: one page for an agent that wants to use clew.

import type { CommandInput, ExitCode } from '../command.ts'
import type { Declared } from '../declared.ts'
import { guideText } from '../session/guide.ts'
import { printJson, printLine } from '../terminal/output.ts'

export async function guide({ globals }: CommandInput, declared: Declared): Promise<ExitCode> {
  const text = guideText(declared)
  if (globals.json)
    await printJson({ guide: text, commands: declared.commands.map(({ load: _load, ...told }) => told) })
  else await printLine(text.trimEnd())
  return 0
}

// `clew guide`: one page for an agent that wants to use clew.

import type { CommandDeclaration, CommandInput, ExitCode } from '../command.ts'
import { guideText } from '../session/guide.ts'
import { printJson, printLine } from '../terminal/output.ts'

export const declaration: CommandDeclaration = {
  description:
    'Prints a page of Markdown that tells an agent what clew can answer, with exact commands, exit codes and the shapes of the JSON.',
  options: [],
  examples: [['clew guide', 'paste it into the instructions of an agent']],
}

export async function run({ globals, allCommands }: CommandInput): Promise<ExitCode> {
  const commands = await allCommands()
  const text = guideText(commands)
  if (globals.json) await printJson({ guide: text, commands })
  else await printLine(text.trimEnd())
  return 0
}

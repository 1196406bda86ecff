// How `clew guide` is called.

import type { CommandDeclaration } from '../command.ts'
import type { Declared } from '../declared.ts'

/** `all`: every command, this one included. */
export function declareGuide(all: () => Declared): CommandDeclaration {
  return {
    name: 'guide',
    summary: 'one page for an agent that wants to use clew',
    description:
      'Prints a page of Markdown that tells an agent what clew can answer, with exact commands, exit codes and the shapes of the JSON.',
    options: [],
    examples: [['clew guide', 'paste it into the instructions of an agent']],
    load: async () => {
      const { guide } = await import('./run-guide.ts')
      return { run: input => guide(input, all()) }
    },
  }
}

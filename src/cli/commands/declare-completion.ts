// How `clew completion` is called.

import type { CommandDeclaration } from '../command.ts'
import type { Declared } from '../declared.ts'

/** `all`: every command, this one included. */
export function declareCompletion(all: () => Declared): CommandDeclaration {
  return {
    name: 'completion',
    argument: { name: '<shell>', description: 'bash, zsh or fish' },
    summary: 'a script that completes commands and flags in your shell',
    description:
      'Prints a script for your shell. Load it from the file that the shell reads at its start, as the examples do.',
    options: [],
    examples: [
      ['clew completion bash', 'in ~/.bashrc: source <(clew completion bash)'],
      ['clew completion zsh', 'in ~/.zshrc: source <(clew completion zsh)'],
      ['clew completion fish', 'to ~/.config/fish/completions/clew.fish'],
    ],
    load: async () => {
      const { complete } = await import('./run-completion.ts')
      return { run: input => complete(input, all()) }
    },
  }
}

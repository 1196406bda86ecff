// `clew statusline` as people see it: options, examples.

import type { CommandDeclaration } from '../command.ts'

export const statuslineDeclaration: CommandDeclaration = {
  name: 'statusline',
  summary: 'one line for the client: model, cost, block, context',
  description:
    "Answers Claude Code's status line: reads its JSON on stdin and prints one line with the model, what the session, today and the active block of five hours cost, how fast, and how much of the context is used. It remembers what it read, so that a call reads only what is new. With --json: the same as an object. It always prints a line and ends with 0, whatever it is given. docs/statusline.md says how to install it.",
  options: [
    {
      flags: '--parts <names>',
      description: 'what to show, in order: model,session,today,block,burn,context,limits,folder,lines',
    },
    { flags: '--template <text>', description: 'a text with parts in braces, such as "{model} {today}"' },
    { flags: '--session <from>', description: "whose count of the session's cost", choices: ['client', 'ours'] },
    { flags: '--columns <count>', description: 'as wide as this at most (default: $COLUMNS, where it is set)' },
  ],
  examples: [
    ["echo '{}' | clew statusline", 'what it knows by itself, without a client'],
    ['clew statusline --parts model,today,context', 'three parts of the line'],
    ['clew config set statusline model today context', 'the same from now on'],
    ['clew statusline --template "{model} | {session} | {context}"', 'in words of your own'],
  ],
  load: () => import('./run-statusline.ts'),
}

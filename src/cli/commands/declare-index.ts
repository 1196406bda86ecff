// How `clew index` is called.

import type { CommandDeclaration } from '../command.ts'

export const indexDeclaration: CommandDeclaration = {
  name: 'index',
  argument: {
    name: '[words...]',
    description: '`refresh`, `rebuild`, `status`, `verify`; `status` when absent',
  },
  summary: 'the index that search, ls, stats and history answer from',
  description:
    'Keeps what is new, then indexes it. Commands refresh it by themselves when that is cheap; it is derived from logs and archive and can be made anew at any time.',
  options: [],
  examples: [
    ['clew index refresh', 'keep and index what is new'],
    ['clew index status --json', 'how much is indexed, how much is not'],
    ['clew index verify', 'compare it with one that is made anew'],
  ],
  load: () => import('./run-index.ts'),
}

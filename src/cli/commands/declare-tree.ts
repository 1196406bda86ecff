// How `clew tree` is called.

import type { CommandDeclaration } from '../command.ts'

export const tree: CommandDeclaration = {
  name: 'tree',
  argument: { name: '[session]', description: 'full id, beginning of one, title, file path, or `last`' },
  summary: "a session's shape, drawn: turns, branches, subagents",
  description:
    'Draws turns with what ran in them, branches that were left, subagents inside the call that started them, compactions as borders, and the sessions it comes from or goes on in. A long session is folded to about 200 lines.',
  options: [{ flags: '--full', description: 'fold nothing' }],
  examples: [
    ['clew tree last', 'the newest session at a glance'],
    ['clew tree last --full', 'every run of calls, every subagent inside out'],
  ],
  load: () => import('./run-tree.ts'),
}

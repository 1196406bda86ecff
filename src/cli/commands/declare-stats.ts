// How `clew stats` is called.

import type { CommandDeclaration } from '../command.ts'

export const stats: CommandDeclaration = {
  name: 'stats',
  argument: {
    name: '[session]',
    description: 'full id, beginning of one, title, file path, or `last`; all sessions when absent',
  },
  summary: 'numbers: turns, tools, files, models, tokens, shape',
  description:
    'Counts what is in one session, or in all of them: turns and how long they took, tools by calls, failures, time and bytes, files touched, models and tokens, compactions, and how the parent chain looks.',
  options: [],
  examples: [
    ['clew stats', 'all your sessions'],
    ['clew stats last', 'the newest one'],
    ['clew stats --json', 'everything, for scripts'],
  ],
  keepsInPassing: true,
  load: () => import('./run-stats.ts'),
}

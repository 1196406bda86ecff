// `clew history` as people see it: options and examples.

import type { CommandDeclaration } from '../command.ts'

export const historyDeclaration: CommandDeclaration = {
  name: 'history',
  summary: 'the prompts that were typed, also those of deleted sessions',
  description:
    'Prints the prompts of history.jsonl, the newest last, each with its project and its session. The client keeps this file when it deletes sessions: `gone` marks prompts whose session is no longer there, `?` a session that fits by project and time only.',
  options: [
    { flags: '--pasted', description: 'print what was pasted too' },
    { flags: '--project <text>', description: 'working directory holds this; `.` is this one' },
    { flags: '--since <time>', description: 'typed since: 2026-02-17, 7d, 24h, yesterday' },
    { flags: '--until <time>', description: 'typed until; a day counts to its end' },
    { flags: '--grep <text>', description: 'text or /regex/ in the prompt or what was pasted' },
    { flags: '--limit <n>', description: 'only the newest so many' },
  ],
  examples: [
    ['clew history --limit 20', 'the last twenty prompts'],
    ['clew history --grep picture --pasted', 'with all that was pasted'],
    ['clew history --project bakery --since 2026-05-01', 'of one project, since May'],
  ],
  keepsInPassing: true,
  load: () => import('./run-history.ts'),
}

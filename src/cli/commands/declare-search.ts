// `clew search` as people see it: arguments, options, examples.

import type { CommandDeclaration } from '../command.ts'

export const searchDeclaration: CommandDeclaration = {
  name: 'search',
  argument: { name: '<query...>', description: 'words, "a phrase", begin*, a OR b, -word, filters such as tool:Bash' },
  summary: 'what was said, by words, the best first',
  description:
    'Searches prompts, answers, thinking, input and output of tools, attachments, summaries and titles of all sessions by their words, those that only the archive has included. Parts of names are words too: `bar` finds foo_bar and fooBar. Filters hold for the whole query: tool: kind: project: file: model: is:error is:archived since: until: session: thread:, and -tool: and the like exclude. The index is brought up to date first; `clew grep` finds what is no word. Exit code 1 where nothing is found.',
  options: [
    { flags: '--flat', description: 'hits by rank alone, not grouped by session' },
    { flags: '--limit <n>', description: 'so many sessions (10), or hits with --flat (20)' },
    { flags: '--all', description: 'no limit' },
    { flags: '--kind <kind>', description: 'in events of this kind, such as prompt or answer', isRepeatable: true },
    { flags: '--tool <name>', description: 'in input and output of this tool' },
    { flags: '--project <text>', description: 'working directory holds this; `.` is this one' },
    { flags: '--session <id>', description: 'in this session: the beginning of its id, or a part of its title' },
    { flags: '--since <time>', description: 'said since: 2026-02-17, 7d, 24h, yesterday' },
    { flags: '--until <time>', description: 'said until; a day counts to its end' },
  ],
  examples: [
    ['clew search rounding cart', 'texts that have both words'],
    [`clew search '"fog of war" kind:prompt'`, 'a phrase, only where somebody typed it'],
    ['clew search is:error tool:Bash since:2026-01-01', 'commands that failed, the latest first'],
    ['clew search croissant --flat --limit 3', 'the three best hits'],
  ],
  keepsInPassing: true,
  load: () => import('./run-search.ts'),
}

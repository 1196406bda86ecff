// `clew grep` as people see it: arguments, options, examples.

import type { CommandDeclaration } from '../command.ts'

export const grepDeclaration: CommandDeclaration = {
  name: 'grep',
  argument: { name: '<regex...>', description: 'what to look for; after it, if wanted, the one session to search' },
  summary: 'every line of text that a regular expression matches',
  description:
    'Searches all text of all sessions as it was said, not as JSON writes it, the latest session first: also spilled output, and what only the archive has (57bae280@1 is an earlier generation). Needs no index and finds what an index leaves out.',
  options: [
    { flags: '-i, --ignore-case', description: 'capital and small letters are the same' },
    { flags: '-F, --fixed-strings', description: 'the text as it is, not an expression' },
    { flags: '-A, --after <n>', description: 'so many lines after each match' },
    { flags: '-B, --before <n>', description: 'so many lines before each match' },
    { flags: '-C, --context <n>', description: 'so many lines before and after' },
    { flags: '-l, --sessions', description: 'only the sessions that have a match' },
    { flags: '-c, --count', description: 'only how many matching lines each session has' },
    { flags: '--kind <kind>', description: 'in events of this kind, such as prompt or answer', isRepeatable: true },
    { flags: '--tool <name>', description: 'in input and output of this tool' },
    { flags: '--project <text>', description: 'working directory holds this; `.` is this one' },
    { flags: '--since <time>', description: 'said since: 2026-02-17, 7d, 24h, yesterday' },
    { flags: '--until <time>', description: 'said until; a day counts to its end' },
    { flags: '--limit <n>', description: 'stop after so many lines, or sessions with -l and -c' },
  ],
  examples: [
    ['clew grep croissant', 'every line with this word, the latest session first'],
    ['clew grep -i "fail(s|ed)?" -C 1 --limit 3', 'with the lines around it'],
    ['clew grep -F "npm test" --tool Bash', 'what was run, and what it printed'],
    ['clew grep -i -l "fog of war|croissants?"', 'only which sessions have it'],
  ],
  keepsInPassing: true,
  load: () => import('./run-grep.ts'),
}

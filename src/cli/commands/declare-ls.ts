// `clew ls` as people see it: arguments, options, examples.

import type { CommandDeclaration } from '../command.ts'

export const lsDeclaration: CommandDeclaration = {
  name: 'ls',
  argument: { name: '[what]', description: '`sessions` (the default) or `projects`' },
  summary: 'the sessions or projects there are, filtered and sorted',
  description:
    'Lists sessions, the latest first, from the index. Where there is none, and with --no-index, from the first and last 64 KiB of each file; with --long, --json or --csv, and for filters that need it, files are then read whole: duration, prompts, calls, subagents, models, tokens.',
  options: [
    { flags: '--long', description: 'show all columns' },
    { flags: '--csv', description: 'comma-separated values, all columns' },
    { flags: '--project <text>', description: 'working directory holds this; `.` is this one' },
    { flags: '--since <time>', description: 'used since: 2026-02-17, 7d, 24h, yesterday' },
    { flags: '--until <time>', description: 'begun until; a day counts to its end' },
    { flags: '--model <text>', description: 'a model whose name holds this' },
    { flags: '--branch <text>', description: 'on a git branch whose name holds this' },
    { flags: '--tool <name>', description: 'called this tool' },
    {
      flags: '--has <thing>',
      description: 'has this; repeated: all of them',
      choices: ['error', 'subagent', 'compaction', 'image'],
      isRepeatable: true,
    },
    { flags: '--gone', description: 'no longer on disk: only in the archive' },
    { flags: '--grep <text>', description: 'text or /regex/ in prompts, answers, title' },
    {
      flags: '--sort <key>',
      description: 'order (default: when)',
      choices: ['when', 'size', 'title', 'tokens', 'prompts', 'duration'],
    },
    { flags: '--reverse', description: 'the other way round' },
    { flags: '--limit <n>', description: 'at most so many' },
  ],
  examples: [
    ['clew ls', 'all sessions, the latest first'],
    ['clew ls --has error --sort size', 'where something failed, the largest first'],
    ['clew ls --sort tokens --limit 10', 'the ten largest by tokens'],
    ['clew ls projects', 'where the client was used'],
  ],
  keepsInPassing: true,
  load: () => import('./run-ls.ts'),
}

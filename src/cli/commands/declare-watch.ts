// `clew watch` as people see it: arguments, options, examples.

import type { CommandDeclaration } from '../command.ts'

export const watchDeclaration: CommandDeclaration = {
  name: 'watch',
  argument: { name: '[session]', description: 'only this one: id, beginning of one, title, file path, or `last`' },
  summary: 'what sessions write, as they write it',
  description:
    'Follows all sessions, or one, with their subagents: prompts, answers, calls, results, errors, each as soon as its line is complete. New sessions appear by themselves; files that are cut, rewritten, moved or deleted are told. Meanwhile the archive and the index are kept fresh; with --no-index it only prints. With --json: every event as one object a line, as `clew events` prints it. Ctrl-C ends it.',
  options: [
    { flags: '--since <time>', description: 'first what was written since: 5m, 2h, today' },
    { flags: '--kind <kind>', description: 'only events of this kind, such as prompt or answer', isRepeatable: true },
    { flags: '--tool <name>', description: 'only calls of this tool, and their results' },
    { flags: '--project <text>', description: 'working directory holds this; `.` is this one' },
    { flags: '--all', description: 'also thinking, progress, state, hooks, checkpoints' },
    { flags: '--full', description: 'cut nothing' },
    { flags: '--wait', description: 'the session may begin later: its id, or the beginning of it' },
    { flags: '--poll', description: 'look again and again, for disks that tell of no changes' },
  ],
  examples: [
    ['clew watch', 'everything that happens from now on'],
    ['clew watch last --since 10m', 'the newest session, from ten minutes ago on'],
    ['clew watch --tool Bash --project .', 'the commands that are run here, and how they end'],
    ['clew watch --json | grep --line-buffered api-error', 'for scripts'],
  ],
  load: () => import('./run-watch.ts'),
}

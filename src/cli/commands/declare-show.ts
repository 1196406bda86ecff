// How `clew show` is called.

import type { CommandDeclaration } from '../command.ts'

export const show: CommandDeclaration = {
  name: 'show',
  argument: { name: '[session]', description: 'full id, beginning of one, title, file path, or `last`' },
  summary: 'a session to read: prompts, answers, calls, subagents',
  description:
    'Prints what was said and done, in order; on a terminal in a pager, and without a session it lets you choose one. Long output is cut with a note; --full shows everything. With --json: its threads, turns, calls and branches by id (clew schema session-detail).',
  options: [
    { flags: '--full', description: 'cut nothing' },
    { flags: '--thinking', description: "write out the model's thinking" },
    { flags: '--timestamps', description: 'the time of everything, not only of prompts' },
    { flags: '--turn <n>', description: 'only this turn, counted from 1' },
    { flags: '--thread <id>', description: 'only this subagent' },
    { flags: '--event <id>', description: 'only the turn around this event, as search names it' },
    { flags: '--branch <leaf>', description: 'only the branch that ends there' },
    { flags: '--since <time>', description: 'only what is newer: 2026-02-17, "2026-02-17 14:30", 2h' },
    { flags: '--format <name>', description: 'how to print it', choices: ['text', 'md', 'html', 'json'] },
    { flags: '--no-pager', description: 'print to the terminal itself' },
  ],
  examples: [
    ['clew show last', 'the newest session'],
    ['clew show last --turn 2 --full', 'one turn, whole'],
    ['clew show last --format html > session.html', 'a page that opens anywhere'],
  ],
  load: () => import('./run-show.ts'),
}

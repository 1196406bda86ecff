// The part of the table of commands that writes sessions. All of them refuse a session that may be in use.

import type { CommandDeclaration, OptionDeclaration } from './command.ts'

const session = { name: '[session]', description: 'session id or its beginning, title, file path, or `last`' }

/** What every one of them takes. */
const always: readonly OptionDeclaration[] = [
  { flags: '--dry-run', description: 'write nothing; show what would be written' },
  { flags: '--force', description: 'even if the session may be in use' },
]

export const writingCommands: readonly CommandDeclaration[] = [
  {
    name: 'fork',
    summary: 'Copy a session, up to an event, to a new one',
    argument: session,
    description:
      'Writes a new session next to the origin, with new ids: all records up to the event, the subagents that they started and the outputs that they name. Prints the command that resumes it, and how to undo it. The origin is not changed.',
    options: [
      { flags: '--at <event>', description: 'its last event, as clew events or search prints it (default: the end)' },
      { flags: '--title <text>', description: 'title of the new session (default: that of the origin, "(fork)")' },
      ...always,
    ],
    examples: [
      ['clew fork 1f2e', 'a second session that continues the same way'],
      ['clew fork 1f2e --at 879ff7c1 --title "Another way"', 'continue from an earlier event'],
      ['clew fork 1f2e --dry-run --json', 'what would be written, for scripts'],
    ],
    writes: true,
    load: () => import('./commands/fork.ts'),
  },
  {
    name: 'trim',
    summary: 'Fork a session so that it resumes within a budget of tokens',
    argument: session,
    description:
      'Forks a session and replaces outputs of tools by a note with the command that shows them, the oldest large ones first, until a resume sends no more than the budget. Tokens are estimated as clew context does. Exits with 2 if that is not enough. The origin is not changed.',
    options: [
      { flags: '--budget <tokens>', description: 'tokens that a resume may send: 100k, 80000' },
      { flags: '--title <text>', description: 'title of the new session (default: that of the origin, "(fork)")' },
      ...always,
    ],
    examples: [
      ['clew trim "Croissant pre-orders" --budget 9700', 'continue a long session with less context'],
      ['clew trim "Croissant pre-orders" --budget 9700 --dry-run', 'only show what would be cut'],
    ],
    writes: true,
    load: () => import('./commands/trim.ts'),
  },
]

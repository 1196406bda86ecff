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
  {
    name: 'repair',
    summary: 'Make a damaged session resume complete',
    argument: session,
    description:
      'Shows what is damaged in a session, line by line, and what a resume sends before and after the repair; then writes the repaired session as a new one. Torn, glued and missing lines, broken links, calls without results, wrong encodings and more are repaired; what cannot be understood stays in it, softly deleted. With --in-place it replaces the log, after its bytes are in the archive.',
    options: [{ flags: '--in-place', description: 'replace the log; its former bytes are archived first' }, ...always],
    examples: [
      ['clew repair session.jsonl --dry-run', 'only show what is damaged'],
      ['clew repair session.jsonl', 'write the repaired session as a new one'],
      ['clew repair session.jsonl --in-place', 'replace the file'],
    ],
    writes: true,
    load: () => import('./commands/repair.ts'),
  },
  {
    name: 'convert',
    summary: 'Write sessions in another dialect',
    argument: {
      name: '[session]',
      description: 'a session, or a folder: all sessions of a home, a project folder or a folder of logs',
    },
    description:
      'Writes a session as another version of Claude Code does (real: the current one) or as a specification says (s0 to s4), with its subagents and stored outputs. What the dialect cannot say is listed: counts on stderr, each loss with --json. Only new files are written, and the session itself stays as it is.',
    options: [
      { flags: '--to <dialect>', description: 'the dialect to write', choices: ['real', 's0', 's1', 's2', 's3', 's4'] },
      {
        flags: '--out <path>',
        description: 'a new .jsonl file, or a home: its folders and file names are those of the dialect',
      },
      { flags: '--check', description: 'check what was written; exit 1 where more than notes are found' },
      ...always,
    ],
    examples: [
      ['clew convert 1f2e --to s4 --out old --check', 'as version 1.0.3 wrote it, in a home of its own'],
      ['clew convert 1f2e --to s0 --out plain.jsonl --dry-run', 'only say what would be lost'],
    ],
    writes: true,
    load: () => import('./commands/convert.ts'),
  },
  {
    name: 'split',
    summary: 'Divide a large session into several files',
    argument: session,
    description:
      'Copies a session in parts of a size, each beginning with a prompt: in one folder, they are read as one session. Subagents and stored outputs go with them. The session itself stays as it is; clew join gives its log back, byte for byte.',
    options: [
      { flags: '--size <size>', description: 'how large a part may be: 50MB, 800kB (one turn may be larger)' },
      { flags: '--out <folder>', description: 'folder for the parts' },
      ...always,
    ],
    examples: [
      ['clew split 33c7 --size 40kB --out parts', 'in parts of at most 40 kB'],
      ['clew split 33c7 --size 40kB --out parts --dry-run', 'only say which parts'],
    ],
    writes: true,
    load: () => import('./commands/split.ts'),
  },
  {
    name: 'join',
    summary: 'Put the parts of a session together again',
    argument: { name: '<files...>', description: 'all parts of one session, as clew split wrote them' },
    description:
      'Writes the log that clew split divided, byte for byte, with its subagents and stored outputs. Names of parts say their order and how many there are; a missing part is an error. Other files are put together in the order given.',
    options: [
      { flags: '--out <path>', description: 'the new .jsonl file' },
      { flags: '--dry-run', description: 'write nothing; show what would be written' },
    ],
    examples: [
      [
        'clew split 33c7 --size 40kB --out p && clew join p/*.jsonl --out all.jsonl',
        'divide a session, and join it again',
      ],
    ],
    writes: true,
    load: () => import('./commands/join.ts'),
  },
  {
    name: 'compact',
    summary: 'Compact a session with a summary of your own',
    argument: session,
    description:
      "Appends a compaction as Claude Code's /compact does, with the given summary instead of the model's: a resume then sends the summary and the last turns. Earlier records stay in the log.",
    options: [
      { flags: '--summary <text>', description: 'the summary, a file with it, or `-` for stdin' },
      { flags: '--keep <n>', description: 'send the last n turns as they are (default: 4)' },
      ...always,
    ],
    examples: [
      ['clew compact 1f2e --summary "The report is fast now." --keep 1', 'continue with a summary and the last turn'],
      [
        'echo "The report is fast now." | clew compact 1f2e --summary - --dry-run',
        'from another program; nothing is written',
      ],
    ],
    writes: true,
    load: () => import('./commands/compact.ts'),
  },
  {
    name: 'title',
    summary: 'Rename a session',
    argument: { name: '[words...]', description: 'the session, then its new title' },
    description: "Appends a title as Claude Code's /rename does. Lists of Claude Code and of Clew show it.",
    options: always,
    examples: [['clew title 1f2e "Faster reports"', 'rename a session']],
    writes: true,
    load: () => import('./commands/title.ts'),
  },
  {
    name: 'tag',
    summary: 'Tag a session',
    argument: { name: '[words...]', description: 'the session, then its tag' },
    description: 'Appends a tag as the agent SDK does. A session has one tag; a new one replaces it.',
    options: [{ flags: '--remove', description: 'remove the tag' }, ...always],
    examples: [
      ['clew tag 1f2e reports', 'tag a session'],
      ['clew tag 1f2e --remove', 'remove its tag'],
    ],
    writes: true,
    load: () => import('./commands/tag.ts'),
  },
  {
    name: 'append',
    summary: 'Append events from stdin to a session',
    argument: session,
    description:
      'Reads events as clew events --json prints them, one JSON object per line, and appends each as a record: only `kind` is needed, ids, times and links are made. An event that would break the session is an error, before anything of it is written; those before it stay.',
    options: always,
    examples: [
      [`echo '{"kind":"title","detail":{"title":"Faster"}}' | clew append 1f2e`, 'write an event from a script'],
    ],
    writes: true,
    load: () => import('./commands/append.ts'),
  },
]

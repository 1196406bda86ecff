// How `clew archive` and `clew forget` are called.

import type { CommandDeclaration } from '../../command.ts'

export const archive: CommandDeclaration = {
  name: 'archive',
  argument: {
    name: '[words...]',
    description:
      '`run`, `status`, `verify`, `restore SESSION…`, `prune`, `import DIR|TAR`, `export FILE [SESSION…]`, `install`, `uninstall`; `status` when absent',
  },
  summary: 'copies of sessions that outlive the clean-up of the client',
  description:
    'Keeps byte-exact copies of what sessions own, every generation of every file, and gives them back. docs/archive.md describes the format.',
  options: [
    { flags: '--quick', description: 'verify: the manifest only, not what is stored' },
    { flags: '--mend', description: 'verify: put right what can be' },
    { flags: '--all', description: 'restore, export: everything that is kept' },
    { flags: '--to <dir>', description: 'restore: below this folder, not where it was' },
    { flags: '--generation <n>', description: 'restore: this generation of the session (or ID@n)' },
    { flags: '--overwrite', description: 'restore: also over a different file, which is kept first' },
    { flags: '--keep-times', description: 'restore: with the times the files had' },
    { flags: '--older-than <days>', description: 'prune: sessions unchanged for so long' },
    { flags: '--project <path>', description: 'prune: sessions of this project' },
    { flags: '--gone', description: 'prune: only sessions that are no longer on disk' },
    { flags: '--generations <n>', description: 'prune: all but the last n generations of a file' },
    { flags: '--apply', description: 'prune: do it; without this it only says what would go' },
    { flags: '--even-if-damaged', description: 'prune: although the manifest lost something' },
    { flags: '--as <home>', description: 'import: the Claude home that the files belong to' },
    { flags: '--by <way>', description: 'install: how to run', choices: ['timer', 'cron', 'hook'] },
    { flags: '--every <time>', description: 'install: how often, such as 30m or 1h' },
    { flags: '--dry-run', description: 'install, uninstall, prune: only show what would be done' },
    { flags: '-y, --yes', description: 'do not ask' },
  ],
  examples: [
    ['clew archive run', 'keep what is new'],
    ['clew archive restore 1f2e --to ./restored', 'one session, elsewhere'],
  ],
  load: () => import('./run-archive.ts'),
}

export const forget: CommandDeclaration = {
  name: 'forget',
  argument: { name: '[session]', description: 'id, prefix or title of the session to erase' },
  summary: 'erase a session from what Clew keeps',
  description:
    'Removes every copy of a session from the archive, keeps it out from now on, and says what remains where. The files of the client are named, not touched.',
  options: [
    { flags: '--undo', description: 'let a forgotten session be kept again' },
    { flags: '--list', description: 'which sessions are forgotten' },
    { flags: '--dry-run', description: 'say what would be erased' },
    { flags: '--even-if-damaged', description: 'although the manifest lost something' },
    { flags: '-y, --yes', description: 'do not ask' },
  ],
  examples: [
    ['clew forget 1f2e --dry-run', 'what would go, and what would remain'],
    ['clew forget 1f2e --yes', 'erase it without asking'],
  ],
  load: () => import('./run-forget.ts'),
}

// `clew archive`: passes each subcommand to its file, after checking that the flags fit.

import { type CommandDeclaration, type CommandInput, type CommandRun, type ExitCode, UserError } from '../command.ts'
import { nearest } from '../help.ts'

export const declaration: CommandDeclaration = {
  argument: {
    name: '[words...]',
    description:
      '`run`, `status`, `verify`, `restore SESSION…`, `prune`, `import DIR|TAR`, `export FILE [SESSION…]`, `install`, `uninstall`; `status` when absent',
  },
  description:
    'Stores byte-exact copies of what sessions own, every generation of every file, and restores them. docs/archive.md describes the format.',
  options: [
    { flags: '--quick', description: 'verify: the manifest only, not what is stored' },
    { flags: '--mend', description: 'verify: repair what it can' },
    { flags: '--all', description: 'restore, export: everything that is archived' },
    { flags: '--to <dir>', description: 'restore: below this folder, not where it was' },
    { flags: '--generation <n>', description: 'restore: this generation of the session (or ID@n)' },
    { flags: '--overwrite', description: 'restore: also over a different file, which is archived first' },
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
    ['clew archive run', 'archive what is new'],
    ['clew archive restore 1f2e --to ./restored', 'one session, elsewhere'],
  ],
}

interface Verb {
  /** Flags that mean something to it, as commander names them. */
  flags: readonly string[]
  load: () => Promise<{ run: CommandRun }>
}

const verbs: Readonly<Record<string, Verb>> = {
  run: { flags: [], load: () => import('./archive/run.ts') },
  status: { flags: [], load: () => import('./archive/status.ts') },
  verify: { flags: ['quick', 'mend'], load: () => import('./archive/verify.ts') },
  restore: {
    flags: ['all', 'to', 'generation', 'overwrite', 'keepTimes'],
    load: () => import('./archive/restore.ts'),
  },
  prune: {
    flags: ['olderThan', 'project', 'gone', 'generations', 'apply', 'dryRun', 'yes', 'evenIfDamaged'],
    load: () => import('./archive/prune.ts'),
  },
  import: { flags: ['as'], load: () => import('./archive/import.ts') },
  export: { flags: ['all'], load: () => import('./archive/export.ts') },
  install: { flags: ['by', 'every', 'dryRun', 'yes'], load: () => import('./archive/install.ts') },
  uninstall: { flags: ['by', 'dryRun', 'yes'], load: () => import('./archive/uninstall.ts') },
}

const ownFlags = new Set(Object.values(verbs).flatMap(verb => verb.flags))

export async function run(input: CommandInput): Promise<ExitCode> {
  const [word = 'status', ...args] = input.args
  const verb = verbs[word]
  if (verb === undefined) throw new UserError(unknownVerb(word))
  for (const flag of Object.keys(input.options)) {
    if (ownFlags.has(flag) && !verb.flags.includes(flag)) {
      throw new UserError(`clew archive ${word} has no ${flagText(flag)}; it is for ${ownersOf(flag)}`)
    }
  }
  const { run: act } = await verb.load()
  return act({ ...input, args })
}

function unknownVerb(word: string): string {
  const names = Object.keys(verbs)
  const [closest] = nearest(word, names)
  const hint = closest === undefined ? `it knows ${names.join(', ')}` : `did you mean clew archive ${closest}?`
  return `archive does not know "${word}"; ${hint}`
}

/** `keepTimes` → `--keep-times`. */
function flagText(name: string): string {
  return `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
}

function ownersOf(flag: string): string {
  const owners = Object.entries(verbs).filter(([, verb]) => verb.flags.includes(flag))
  return owners.map(([name]) => name).join(', ')
}

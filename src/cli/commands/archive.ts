// `clew archive`: passes each subcommand to its file, after checking that the flags fit.

import { UserError } from '../../answers/error.ts'
import type { CommandInput, CommandRun } from '../command.ts'
import { unknownVerb } from '../help.ts'

interface Verb {
  /** Flags that mean something to it, as commander names them. */
  flags: readonly string[]
  load: () => Promise<{ run: CommandRun }>
}

const verbs: Readonly<Record<string, Verb>> = {
  run: { flags: [], load: () => import('./archive/run.ts') },
  status: { flags: [], load: () => import('./archive/status.ts') },
  verify: { flags: ['quick', 'mend'], load: () => import('./archive/verify.ts') },
  salvage: { flags: [], load: () => import('./archive/salvage.ts') },
  restore: {
    flags: ['all', 'to', 'generation', 'overwrite', 'keepTimes'],
    load: () => import('./archive/restore.ts'),
  },
  prune: {
    flags: ['olderThan', 'project', 'gone', 'generations', 'apply', 'dryRun', 'yes', 'evenIfDamaged'],
    load: () => import('./archive/prune.ts'),
  },
  import: { flags: ['as', 'homeMap', 'yes'], load: () => import('./archive/import.ts') },
  install: { flags: ['dryRun', 'yes'], load: () => import('./archive/install.ts') },
  uninstall: { flags: ['dryRun', 'yes'], load: () => import('./archive/uninstall.ts') },
}

const ownFlags = new Set(Object.values(verbs).flatMap(verb => verb.flags))

export async function run(input: CommandInput): Promise<number> {
  const [word = 'status', ...args] = input.args
  const verb = verbs[word]
  if (verb === undefined) throw new UserError(unknownVerb('archive', word, Object.keys(verbs)))
  for (const flag of Object.keys(input.options)) {
    if (ownFlags.has(flag) && !verb.flags.includes(flag)) {
      throw new UserError(`clew archive ${word} has no ${flagText(flag)}; it is for ${ownersOf(flag)}`)
    }
  }
  const { run: act } = await verb.load()
  return act({ ...input, args })
}

/** `keepTimes` → `--keep-times`. */
function flagText(name: string): string {
  return `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
}

function ownersOf(flag: string): string {
  const owners = Object.entries(verbs).filter(([, verb]) => verb.flags.includes(flag))
  return owners.map(([name]) => name).join(', ')
}

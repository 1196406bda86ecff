// All commands, in the order of the help.

import { profiles } from '../model/finding.ts'
import type { CommandDeclaration, OptionDeclaration } from './command.ts'
import { archive, forget } from './commands/archive/declare-archive.ts'
import { declareCompletion } from './commands/declare-completion.ts'
import { config } from './commands/declare-config.ts'
import { context } from './commands/declare-context.ts'
import { grepDeclaration } from './commands/declare-grep.ts'
import { declareGuide } from './commands/declare-guide.ts'
import { historyDeclaration } from './commands/declare-history.ts'
import { indexDeclaration } from './commands/declare-index.ts'
import { lsDeclaration } from './commands/declare-ls.ts'
import { resumeDeclaration } from './commands/declare-resume.ts'
import { searchDeclaration } from './commands/declare-search.ts'
import { serveDeclaration } from './commands/declare-serve.ts'
import { show } from './commands/declare-show.ts'
import { stats } from './commands/declare-stats.ts'
import { statuslineDeclaration } from './commands/declare-statusline.ts'
import { tree } from './commands/declare-tree.ts'
import { usageDeclaration } from './commands/declare-usage.ts'
import { watchDeclaration } from './commands/declare-watch.ts'
import { doctor } from './commands/doctor/declare-doctor.ts'

/** Flags that stand before or after any command. */
export const globalOptions: readonly OptionDeclaration[] = [
  {
    flags: '--root <path>',
    description: 'a Claude home, projects folder, project folder or session file to read (repeatable)',
    isRepeatable: true,
  },
  { flags: '--json', description: 'print JSON' },
  { flags: '--home <path>', description: 'where Clew keeps its own files, such as its config' },
  { flags: '--timezone <zone>', description: 'time zone of printed times, such as Europe/Berlin' },
  { flags: '--no-index', description: 'read the files themselves, not what is indexed of them' },
  { flags: '--no-color', description: 'plain text' },
  { flags: '-q, --quiet', description: 'no messages on stderr but errors' },
]

export const commands: readonly CommandDeclaration[] = [
  lsDeclaration,
  show,
  tree,
  context,
  stats,
  usageDeclaration,
  historyDeclaration,
  searchDeclaration,
  grepDeclaration,
  watchDeclaration,
  serveDeclaration,
  statuslineDeclaration,
  resumeDeclaration,
  {
    name: 'events',
    argument: { name: '[paths...]', description: 'session files, folders, `-` for stdin, or a session' },
    summary: 'every event of files or of a session, one per line',
    description:
      'Decodes records into canonical events, in file order, while it reads. With --json: one object a line.',
    options: [{ flags: '--data', description: 'keep base64 data of images and documents' }],
    examples: [
      ['clew events last', 'the newest session, a line an event'],
      ['clew events a.jsonl b.jsonl --json', 'two files, for scripts'],
    ],
    load: () => import('./commands/run-events.ts'),
  },
  {
    name: 'records',
    argument: { name: '[paths...]', description: 'session files, folders, `-` for stdin, or a session' },
    summary: 'every record of files with its place, dialect and type',
    description:
      'Lists what each line is, byte for byte: nothing is skipped, and the bytes of all records add up to the size of the file.',
    options: [],
    examples: [
      ['clew records session.jsonl', 'a table of lines'],
      ['cat session.jsonl | clew records - --json', 'from stdin, for scripts'],
    ],
    load: () => import('./commands/run-records.ts'),
  },
  {
    name: 'check',
    argument: { name: '[paths...]', description: 'session files or folders; all homes when absent' },
    summary: 'what is wrong or odd in files, by the rules of a specification',
    description:
      'Applies the rules of one specification (s0 to s4), or of what the real client writes, and reports findings with file, line and byte. Exit code 1 when a finding is an error.',
    options: [
      { flags: '--profile <name>', description: 'whose rules apply (default: real)', choices: profiles },
      { flags: '--sarif', description: 'print SARIF 2.1.0, for CI systems' },
    ],
    examples: [
      ['clew check session.jsonl', 'by what the client is known to write'],
      ['clew check --profile s2 ~/.claude', 'by the rules of specification 002'],
      ['clew check . --sarif > clew.sarif', 'findings for a code scanning service'],
    ],
    load: () => import('./commands/run-check.ts'),
  },
  {
    name: 'schema',
    argument: { name: '[name]', description: 'name of a record kind or of printed JSON' },
    summary: 'JSON Schema of record kinds and of what commands print',
    description: 'Without a name: the list of names. With one: its JSON Schema.',
    options: [],
    examples: [
      ['clew schema', 'all names'],
      ['clew schema event', 'what `clew events --json` prints'],
    ],
    load: () => import('./commands/run-schema.ts'),
  },
  indexDeclaration,
  archive,
  forget,
  doctor,
  config,
  declareCompletion(() => ({ commands, globalOptions })),
  declareGuide(() => ({ commands, globalOptions })),
]

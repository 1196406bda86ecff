// The table of commands, in the order of the help: everything that the parser, the help, completion, the guide and the docs
// need to know. The code of a command is loaded when it runs, so that a start costs the same however much there is.

import { profiles, severities } from '../model/finding.ts'
import type { CommandDeclaration } from './command.ts'

export const commands: readonly CommandDeclaration[] = [
  {
    name: 'ls',
    summary: 'List sessions and projects',
    argument: { name: '[what]', description: '`sessions` (the default) or `projects`' },
    description:
      'Lists sessions from the index, latest first. Without an index it reads both ends of each file, or full files where columns or filters need them.',
    options: [
      { flags: '--long', description: 'show all columns' },
      { flags: '--csv', description: 'comma-separated values, all columns' },
      { flags: '--project <text>', description: 'working directory contains this; `.` is here' },
      { flags: '--since <time>', description: 'used since: 2026-02-17, 7d, 3mo, monday' },
      { flags: '--until <time>', description: 'started until; a day includes its end' },
      { flags: '--model <text>', description: 'model name contains this' },
      { flags: '--branch <text>', description: 'git branch contains this' },
      { flags: '--tool <name>', description: 'called this tool' },
      {
        flags: '--has <thing>',
        description: 'has this; repeat for several',
        choices: ['error', 'subagent', 'compaction', 'image'],
        isRepeatable: true,
      },
      { flags: '--gone', description: 'only sessions that are no longer on disk' },
      { flags: '--set-aside', description: 'only sessions archived in Claude Code (set aside)' },
      { flags: '--no-set-aside', description: 'only sessions that are not set aside' },
      { flags: '--typed', description: 'only sessions in which a person typed' },
      { flags: '--programmatic', description: 'only sessions that programs ran: `claude -p`, the agent SDK' },
      { flags: '--grep <text>', description: 'text or /regex/ in prompts, answers or title' },
      {
        flags: '--sort <key>',
        description: 'sort by (default: when)',
        choices: ['when', 'size', 'title', 'tokens', 'prompts', 'duration'],
      },
      { flags: '--reverse', description: 'reverse the order' },
      { flags: '--limit <n>', description: 'at most this many' },
    ],
    examples: [
      ['clew ls', 'all sessions, latest first'],
      ['clew ls --has error --sort size', 'sessions with errors, largest first'],
      ['clew ls --typed --no-set-aside', 'what people typed and did not set aside'],
      ['clew ls projects', 'all projects'],
    ],
    archives: 'afterwards',
    load: () => import('./commands/ls.ts'),
  },
  {
    name: 'show',
    summary: 'Read a session',
    argument: { name: '[session]', description: 'session id or its beginning, title, file path, or `last`' },
    description:
      'Prints prompts, answers, tool calls and subagents in order. On a terminal it opens a pager; without a session it lets you pick one. Long output is shortened; --full prints everything. --json prints threads, turns, calls and branches by id (see clew schema session-detail).',
    options: [
      { flags: '--full', description: 'do not shorten anything' },
      { flags: '--thinking', description: 'show thinking' },
      { flags: '--timestamps', description: 'show the time of every item, not only of prompts' },
      { flags: '--turn <n>', description: 'show only this turn; the first is 1' },
      { flags: '--thread <id>', description: 'show only this subagent' },
      { flags: '--event <id>', description: 'show only the turn with this event, as printed by search' },
      { flags: '--branch <leaf>', description: 'show only the branch that ends at this event' },
      { flags: '--since <time>', description: 'show only what is newer: 2026-02-17, "2026-02-17 14:30", 2h' },
      {
        flags: '--format <name>',
        description: 'output format (default: text)',
        choices: ['text', 'md', 'html', 'json'],
      },
      { flags: '--no-pager', description: 'do not use a pager' },
    ],
    examples: [
      ['clew show last', 'show the newest session'],
      ['clew show last --turn 2 --full', 'show one turn in full'],
      ['clew show last --format html > session.html', 'export to one HTML file'],
    ],
    load: () => import('./commands/show.ts'),
  },
  {
    name: 'tree',
    summary: 'Draw the shape of a session',
    argument: { name: '[session]', description: 'session id or its beginning, title, file path, or `last`' },
    description:
      'Draws turns with their tool calls, abandoned branches, subagents under the call that started them, compactions, and related sessions. Folds a long session to about 200 lines.',
    options: [{ flags: '--full', description: 'do not fold anything' }],
    examples: [
      ['clew tree last', 'draw the newest session'],
      ['clew tree last --full', 'draw every call and every subagent'],
    ],
    load: () => import('./commands/tree.ts'),
  },
  {
    name: 'context',
    summary: 'Show what the model would see on resume',
    argument: { name: '[session]', description: 'session id or its beginning, title, file path, or `last`' },
    description:
      'Computes the messages that Claude Code would send if it resumed the session now, and shows what fills the context window: prompts, answers, thinking, tool output by tool. Token counts come from the log; ~ marks estimates (four characters per token). --json prints the messages in full.',
    options: [
      { flags: '--messages', description: 'also list the messages, with their first words' },
      { flags: '--data', description: 'include base64 data of images and documents' },
    ],
    examples: [
      ['clew context last', 'show what fills the context window'],
      ['clew context last --messages', 'list every message with its tokens'],
      ['clew context last --json', 'print the messages for scripts'],
    ],
    load: () => import('./commands/context.ts'),
  },
  {
    name: 'stats',
    summary: 'Count turns, tools, files, models and tokens',
    argument: {
      name: '[session]',
      description: 'session id or its beginning, title, file path, or `last`; default: all sessions',
    },
    description:
      'Counts turns and their durations; tools by calls, failures, time and bytes; changed files; models and tokens; compactions; and the shape of the parent chain. For one session, or for all of them.',
    options: [],
    examples: [
      ['clew stats', 'count all sessions'],
      ['clew stats last', 'count the newest session'],
      ['clew stats --json', 'print all numbers for scripts'],
    ],
    archives: 'afterwards',
    load: () => import('./commands/stats.ts'),
  },
  {
    name: 'usage',
    summary: 'Report tokens and cost by day, session, project or model',
    argument: {
      name: '[by]',
      description:
        'daily (the default), weekly, monthly, session, project, model, blocks, tool, subagent, branch, git-branch',
    },
    description: 'Counts every API message once, at the prices of its time.',
    options: [
      { flags: '--since <time>', description: 'used since: 2026-02-17, 7d, 3mo, monday' },
      { flags: '--until <time>', description: 'used until; a day includes its end' },
      { flags: '--last <span>', description: 'the last 7d, 4w, 3mo or 1y, including today' },
      { flags: '--project <text>', description: 'working directory contains this; `.` is here' },
      { flags: '--model <text>', description: 'model name contains this' },
      { flags: '--session <id>', description: 'only this session: id, its beginning, or title' },
      { flags: '--order <how>', description: 'sort rows', choices: ['asc', 'desc', 'cost'] },
      { flags: '--breakdown', description: 'add a line for each model below every row' },
      { flags: '--group <by>', description: 'group again by project, model, session or subagent' },
      { flags: '--compact', description: 'fewer columns, shorter numbers' },
      { flags: '--csv', description: 'comma-separated values' },
      { flags: '--mode <mode>', description: 'cost source', choices: ['auto', 'calculate', 'display'] },
      { flags: '--prices <file>', description: 'use these prices instead of the bundled ones' },
      { flags: '--unknown-as <model>', description: 'use the price of this model for unknown models' },
      { flags: '--estimate', description: 'estimate output that the log does not state' },
      { flags: '--reconcile', description: 'compare with the cost that Claude Code stated' },
      { flags: '--budget <amount>', description: 'exit with 1 above this: 100, 20/day, 90/week, 300/month' },
      { flags: '--week-start <day>', description: 'first day of a week (default: monday)' },
      { flags: '--token-limit <n>', description: 'blocks: show the share of this limit, or of the max' },
      { flags: '--active', description: 'blocks: only the active block' },
      { flags: '--recent', description: 'blocks: only the last three days' },
    ],
    examples: [
      ['clew usage', 'tokens and cost of every day'],
      ['clew usage project --breakdown', 'where the money went'],
      ['clew usage model --since 2026-05-01 --json', 'by model, for scripts'],
    ],
    archives: 'afterwards',
    load: () => import('./commands/usage.ts'),
  },
  {
    name: 'history',
    summary: 'List your prompts, even those of deleted sessions',
    description:
      'Prints the prompts of history.jsonl, newest last, each with its project and session. Claude Code keeps this file when it deletes sessions: `gone` marks prompts whose session no longer exists, `?` a session that matches by project and time only.',
    options: [
      { flags: '--pasted', description: 'print pasted text too' },
      { flags: '--project <text>', description: 'working directory contains this; `.` is here' },
      { flags: '--since <time>', description: 'typed since: 2026-02-17, 7d, 3mo, monday' },
      { flags: '--until <time>', description: 'typed until; a day includes its end' },
      { flags: '--grep <text>', description: 'text or /regex/ in the prompt or pasted text' },
      { flags: '--limit <n>', description: 'only the newest n' },
    ],
    examples: [
      ['clew history --limit 20', 'the last twenty prompts'],
      ['clew history --grep picture --pasted', 'with pasted text'],
      ['clew history --project bakery --since 2026-05-01', 'of one project, since May'],
    ],
    archives: 'afterwards',
    load: () => import('./commands/history.ts'),
  },
  {
    name: 'search',
    aliases: ['find'],
    summary: 'Search everything that was said',
    argument: {
      name: '<query...>',
      description: 'words, "a phrase", begin*, a OR b, -word, filters such as tool:Bash',
    },
    description:
      'Searches the words of everything that was said and done in all sessions, archived ones included: `bar` finds foo_bar and fooBar. Filters: tool: kind: project: file: model: is:error is:archived since: until: session: thread:. A minus excludes, as in -draft or -tool:Bash. Refreshes the index first. For regular expressions use `clew grep`. Exits with 1 if nothing is found.',
    options: [
      { flags: '--flat', description: 'order hits by rank, not grouped by session' },
      {
        flags: '-n, --limit <n>',
        description: 'show at most n sessions (default 10), or hits with --flat (default 20)',
      },
      { flags: '--all', description: 'show all hits' },
      { flags: '--open <number>', description: 'read the session of this hit, at the hit' },
      { flags: '--kind <kind>', description: 'only prompt, answer, thinking, call, result, …', isRepeatable: true },
      { flags: '--tool <name>', description: 'only input and output of this tool' },
      {
        flags: '--project <text>',
        description: 'only where the working directory contains this; `.` is this directory',
      },
      { flags: '--session <id>', description: 'only this session: the beginning of its id, or a part of its title' },
      { flags: '--since <time>', description: 'only since then: 2026-02-17, 7d, 3mo, monday' },
      { flags: '--until <time>', description: 'only until then; a day includes its end' },
    ],
    examples: [
      ['clew search rounding cart', 'texts that have both words'],
      [`clew search '"fog of war" kind:prompt'`, 'a phrase, only in prompts'],
      ['clew search is:error tool:Bash since:2026-01-01', 'commands that failed, the latest first'],
      ['clew search croissant -price -tool:Bash', 'without a word, without a tool'],
      ['clew search croissant --flat -n 3', 'the three best hits'],
    ],
    takesExclusions: true,
    archives: 'afterwards',
    load: () => import('./commands/search.ts'),
  },
  {
    name: 'grep',
    summary: 'Print lines that match a regular expression',
    argument: { name: '<regex...>', description: 'expression to search for; optionally a session' },
    description:
      'Searches the text of all sessions as people and tools wrote it, not its JSON form, latest session first. Includes spilled output and what only the archive has (57bae280@1 is an earlier generation). Needs no index, and finds what the index leaves out.',
    options: [
      { flags: '-i, --ignore-case', description: 'ignore case' },
      { flags: '-F, --fixed-strings', description: 'search for the text itself, not an expression' },
      { flags: '-A, --after <n>', description: 'print this many lines after each match' },
      { flags: '-B, --before <n>', description: 'print this many lines before each match' },
      { flags: '-C, --context <n>', description: 'print this many lines before and after each match' },
      { flags: '-l, --sessions', description: 'print only the sessions that match' },
      { flags: '-c, --count', description: 'print only the number of matching lines of each session' },
      {
        flags: '--kind <kind>',
        description: 'search only this kind of event: prompt, answer, …',
        isRepeatable: true,
      },
      { flags: '--tool <name>', description: 'search only input and output of this tool' },
      {
        flags: '--project <text>',
        description: 'only sessions in directories with this name; `.` is here',
      },
      { flags: '--since <time>', description: 'only events since: 2026-02-17, 7d, 3mo, monday' },
      { flags: '--until <time>', description: 'only events until; a day includes its end' },
      { flags: '--limit <n>', description: 'stop after this many lines, or sessions with -l and -c' },
    ],
    examples: [
      ['clew grep croissant', 'every line with this word, latest session first'],
      ['clew grep -i "fail(s|ed)?" -C 1 --limit 3', 'with one line of context'],
      ['clew grep -F "npm test" --tool Bash', 'in commands and their output'],
      ['clew grep -i -l "fog of war|croissants?"', 'only the sessions that match'],
    ],
    archives: 'afterwards',
    load: () => import('./commands/grep.ts'),
  },
  {
    name: 'watch',
    summary: 'Follow sessions as they are written',
    argument: {
      name: '[session]',
      description: 'follow only this session: id or its beginning, title, file path, or `last`',
    },
    description:
      'Follows one session or all of them, with subagents: prompts, answers, calls, results and errors, as soon as they are written. New sessions appear automatically. Reports files that were truncated, rewritten, moved or deleted. Keeps the index up to date, and the archive where that is switched on, except with --no-index. --json prints one event per line, like `clew events`. Press Ctrl-C to stop.',
    options: [
      { flags: '--since <time>', description: 'start with what was written since: 5m, 2h, today' },
      {
        flags: '--kind <kind>',
        description: 'show only events of this kind, such as prompt or answer',
        isRepeatable: true,
      },
      { flags: '--tool <name>', description: 'show only calls of this tool and their results' },
      {
        flags: '--project <text>',
        description: 'only sessions whose working directory contains this; `.` is the current one',
      },
      { flags: '--all', description: 'also show thinking, progress, state, hooks and checkpoints' },
      { flags: '--full', description: 'do not shorten anything' },
      { flags: '--wait', description: 'wait for a session that does not exist yet, by id or its beginning' },
      { flags: '--poll', description: 'poll for changes, for file systems without change events' },
    ],
    examples: [
      ['clew watch', 'follow all sessions from now on'],
      ['clew watch last --since 10m', 'follow the newest session, starting ten minutes ago'],
      ['clew watch --tool Bash --project .', 'follow the commands run in this directory'],
      ['clew watch --json | grep --line-buffered api-error', 'filter events in a script'],
    ],
    archives: 'meanwhile',
    load: () => import('./commands/watch.ts'),
  },
  {
    name: 'serve',
    summary: 'Start the web app',
    description:
      'Starts a server on 127.0.0.1 and opens the browser at an address that works once. Nothing leaves this machine, and other sites and programs get no answers. Press Enter for a new address, Ctrl-C to stop.',
    options: [
      { flags: '--port <number>', description: 'port, or the next free one after it (default: any free port)' },
      { flags: '--no-open', description: 'print the address, do not open the browser' },
      { flags: '--read-only-token', description: 'allow reading only: no archiving, restoring or forgetting' },
      { flags: '--host <address>', description: 'listen on this address of the machine (default: 127.0.0.1)' },
      {
        flags: '--allow-network',
        description: 'with --host: answer other machines that have the token; traffic is not encrypted',
      },
      {
        flags: '--token <text>',
        description: 'use this token, which works more than once: at least 22 characters, hard to guess',
      },
    ],
    examples: [
      ['clew serve', 'open the app in the browser'],
      ['clew serve --port 4321 --no-open', 'use a fixed port and do not open the browser'],
      ['clew serve --host 192.168.1.20 --allow-network --read-only-token', 'read sessions from another device'],
    ],
    archives: 'meanwhile',
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'statusline',
    summary: 'Print a status line for Claude Code',
    description:
      'Reads the JSON that Claude Code gives its status line on stdin, and prints one line: the model, the cost of the session, of today and of the active five-hour block, the burn rate, and the share of the context in use. Each call reads only what is new. --json prints the same as an object. Always prints a line and exits with 0. docs/statusline.md describes the installation.',
    options: [
      {
        flags: '--parts <names>',
        description: 'show these parts in this order: model,session,today,block,burn,context,limits,folder,lines',
      },
      { flags: '--template <text>', description: 'fill in this text, such as "{model} {today}"' },
      {
        flags: '--session <from>',
        description: "session cost from Claude Code or from Clew's own count",
        choices: ['client', 'ours'],
      },
      { flags: '--columns <count>', description: 'print at most this many columns (default: $COLUMNS)' },
    ],
    examples: [
      ["echo '{}' | clew statusline", 'try it without Claude Code'],
      ['clew statusline --parts model,today,context', 'print three parts'],
      ['clew config set statusline model today context', 'store these parts as the default'],
      ['clew statusline --template "{model} | {session} | {context}"', 'use your own words'],
    ],
    load: () => import('./commands/statusline.ts'),
  },
  {
    name: 'resume',
    summary: 'Print or run the command that resumes a session',
    argument: { name: '[session]', description: 'id or unique beginning of one, title, file path, or `last`' },
    description:
      'Prints the command that changes to the folder of a session and resumes it in Claude Code, quoted for a shell; --run runs it. Exits with 1 and the reason if Claude Code would not resume it: nothing to continue, files that are no longer on disk, or a folder that does not exist.',
    options: [
      { flags: '--run', description: 'run it here, and end with its exit code' },
      {
        flags: '--shell <name>',
        description: 'quote for this shell (default: posix, on Windows powershell)',
        choices: ['posix', 'fish', 'powershell', 'cmd'],
      },
    ],
    examples: [
      ['clew resume last', 'for the newest session'],
      ['clew resume last --run', 'go there and continue it'],
      ['clew resume "Fog of war"', 'by title'],
      ['clew resume last --shell fish', 'for another shell'],
    ],
    load: () => import('./commands/resume.ts'),
  },
  {
    name: 'events',
    summary: 'Print every event, one per line',
    argument: { name: '[paths...]', description: 'session files, folders, `-` for stdin, or a session' },
    description: 'Decodes records into canonical events, in file order. --json prints one object per line.',
    options: [{ flags: '--data', description: 'include base64 data of images and documents' }],
    examples: [
      ['clew events last', 'print the newest session'],
      ['clew events a.jsonl b.jsonl --json', 'print two files for scripts'],
    ],
    load: () => import('./commands/events.ts'),
  },
  {
    name: 'records',
    summary: 'Print every record with its position, dialect and type',
    argument: { name: '[paths...]', description: 'session files, folders, `-` for stdin, or a session' },
    description:
      'Lists every line with its position, size, dialect and type. Nothing is skipped: the sizes add up to the size of the file.',
    options: [],
    examples: [
      ['clew records session.jsonl', 'list the lines of a file'],
      ['cat session.jsonl | clew records - --json', 'read stdin, print JSON'],
    ],
    load: () => import('./commands/records.ts'),
  },
  {
    name: 'check',
    summary: 'Check logs against a specification',
    argument: {
      name: '[paths...]',
      description: 'sessions, session files, folders, or `-` for stdin (default: all homes)',
    },
    description:
      'Applies the rules of one specification (s0 to s4), or of what Claude Code really writes. Prints for each rule that is broken how often that is and the first place, the worst first. Exits with 1 if a finding is an error.',
    options: [
      { flags: '--profile <name>', description: 'apply these rules (default: real)', choices: profiles },
      { flags: '--severity <least>', description: 'report findings at least as severe', choices: severities },
      { flags: '--rule <id>', description: 'report findings of this rule only (repeatable)', isRepeatable: true },
      { flags: '--all', description: 'print every finding with file, line and byte, in the order of files' },
      { flags: '--sarif', description: 'print SARIF 2.1.0, for CI systems' },
    ],
    examples: [
      ['clew check last', 'check the newest session against what Claude Code writes'],
      ['clew check --severity warning', 'check all homes, without notes'],
      ['clew check session.jsonl --rule orphan-parent --all', 'print every finding of one rule'],
      ['clew check --profile s2 ~/.claude', 'check against specification 002'],
      ['clew check . --sarif > clew.sarif', 'write a report for code scanning'],
    ],
    load: () => import('./commands/check.ts'),
  },
  {
    name: 'schema',
    summary: 'Print the JSON Schema of records and of JSON output',
    argument: { name: '[name]', description: 'name of a record kind or of a JSON output' },
    description: 'Prints the JSON Schema with this name. Without a name, lists the names.',
    options: [],
    examples: [
      ['clew schema', 'list the names'],
      ['clew schema event', 'print the schema of `clew events --json`'],
    ],
    load: () => import('./commands/schema.ts'),
  },
  {
    name: 'index',
    summary: 'Manage the search index',
    argument: {
      name: '[words...]',
      description: '`refresh`, `rebuild`, `status`, `verify`; `status` when absent',
    },
    description:
      'Indexes what is new, and archives it first where that is switched on (clew config set archive auto). Other commands refresh the index by themselves when that is cheap. The index is derived from logs and archive: you can delete or rebuild it at any time.',
    options: [],
    examples: [
      ['clew index refresh', 'index what is new'],
      ['clew index status --json', 'print how much is indexed'],
      ['clew index verify', 'compare the index with a new one'],
    ],
    archives: 'meanwhile',
    load: () => import('./commands/index.ts'),
  },
  {
    name: 'archive',
    summary: 'Manage copies that outlive the clean-up of Claude Code',
    argument: {
      name: '[words...]',
      description:
        '`run`, `status`, `verify`, `restore SESSION…`, `prune`, `import DIR|TAR`, `export FILE [SESSION…]`, `install`, `uninstall`; `status` when absent',
    },
    description:
      'Stores byte-exact copies of what sessions own, every generation of every file, and restores them. docs/archive.md describes the format.',
    options: [
      { flags: '--quick', description: 'verify: only the manifest, not the stored bytes' },
      { flags: '--mend', description: 'verify: repair what it can' },
      { flags: '--all', description: 'restore, export: everything that is archived' },
      { flags: '--to <dir>', description: 'restore: into this folder, not the original place' },
      { flags: '--generation <n>', description: 'restore: this generation of the session (or ID@n)' },
      { flags: '--overwrite', description: 'restore: replace files that differ, after archiving them' },
      { flags: '--keep-times', description: 'restore: set the original file times' },
      { flags: '--older-than <days>', description: 'prune: sessions unchanged for this many days' },
      { flags: '--project <path>', description: 'prune: sessions of this project' },
      { flags: '--gone', description: 'prune: only sessions that are no longer on disk' },
      { flags: '--generations <n>', description: 'prune: all but the last n generations of a file' },
      { flags: '--apply', description: 'prune: remove; without this, only show what would go' },
      { flags: '--even-if-damaged', description: 'prune: even if the manifest is damaged' },
      { flags: '--as <home>', description: 'import: the Claude home that the files belong to' },
      { flags: '--by <way>', description: 'install: how to run', choices: ['timer', 'cron', 'hook'] },
      { flags: '--every <time>', description: 'install: how often, such as 30m or 1h' },
      { flags: '--dry-run', description: 'install, uninstall, prune: only show what would happen' },
      { flags: '-y, --yes', description: 'do not ask' },
    ],
    examples: [
      ['clew archive run', 'archive what is new'],
      ['clew archive restore 1f2e --to ./restored', 'restore one session into a folder'],
    ],
    load: () => import('./commands/archive.ts'),
  },
  {
    name: 'forget',
    summary: 'Erase a session from the archive and the index',
    argument: { name: '[session]', description: 'id, prefix or title of the session to erase' },
    description:
      'Removes every copy of a session from the archive, excludes it from now on, and reports what remains where. Files of Claude Code are named, not touched.',
    options: [
      { flags: '--undo', description: 'allow a forgotten session to be archived again' },
      { flags: '--list', description: 'list the forgotten sessions' },
      { flags: '--dry-run', description: 'only show what would be erased' },
      { flags: '--even-if-damaged', description: 'even if the manifest is damaged' },
      { flags: '-y, --yes', description: 'do not ask' },
    ],
    examples: [
      ['clew forget 1f2e --dry-run', 'what would go, and what would remain'],
      ['clew forget 1f2e --yes', 'erase it without asking'],
    ],
    load: () => import('./commands/forget.ts'),
  },
  {
    name: 'doctor',
    summary: 'Check homes, permissions, retention and the index',
    description:
      'Checks the environment, the Claude homes, file permissions, the sessions that Claude Code will delete soon, the archive, the index, the clock and the terminal. Suggests a fix for every problem. Exits with 1 if a problem loses data.',
    options: [],
    examples: [
      ['clew doctor', 'check everything'],
      ['clew doctor --json', 'print the report for scripts'],
    ],
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'config',
    summary: 'Read and change settings',
    argument: {
      name: '[words...]',
      description: '`list` (the default), `path`, `get KEY`, `set KEY VALUE…`, `unset KEY`',
    },
    description:
      'Reads and writes config.json in the home of Clew. Keys: roots, exclude (lists), timezone, archive (auto, manual, off), prices, statusline. Options and environment variables take precedence.',
    options: [],
    examples: [
      ['clew config', 'list all keys and values'],
      ['clew config set timezone Europe/Berlin', 'print times in this zone'],
      ['clew config path', 'print the path of the file'],
    ],
    load: () => import('./commands/config.ts'),
  },
  {
    name: 'completion',
    summary: 'Print a completion script for your shell',
    argument: { name: '<shell>', description: 'bash, zsh or fish' },
    description: 'Prints a completion script. Save it where your shell loads completions from, as the examples show.',
    options: [],
    examples: [
      ['clew completion bash', 'save as ~/.local/share/bash-completion/completions/clew'],
      ['clew completion zsh', 'save as _clew in a folder of $fpath'],
      ['clew completion fish', 'save as ~/.config/fish/completions/clew.fish'],
    ],
    load: () => import('./commands/completion.ts'),
  },
  {
    name: 'guide',
    summary: 'Print instructions for an agent that uses clew',
    description:
      'Prints a Markdown page for agents: what to ask clew, with exact commands, exit codes and the shapes of the JSON.',
    options: [],
    examples: [['clew guide', 'paste the page into the instructions of an agent']],
    load: () => import('./commands/guide.ts'),
  },
]

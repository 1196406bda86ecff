// Where files of a Claude home lie and what they hold. Shapes of those that have one stand in `files.ts`.

export interface Place {
  /** Below the Claude home. */
  path: string
  what: string
  /** Name of the schema that describes its content or its lines. */
  schema?: string
  /** Letters of `sourceNames`. */
  sources: string
}

export const places: readonly Place[] = [
  {
    path: 'projects/<slug>/<session>.jsonl',
    what: 'The session file. The folder is the working directory with every character outside A–Z, a–z, 0–9 replaced by `-`; over 200 characters it is cut and a hash is added. It cannot be turned back: the `cwd` of the records says where it was. `CLAUDE_CONFIG_DIR` moves the home, `CLAUDE_CODE_PROJECT_DIR_NAME` (2.1.234) sets the folder.',
    sources: 'mdck234',
  },
  {
    path: 'projects/<slug>/agent-<id>.jsonl',
    what: "A subagent's file, in the flat layout of 2.0.28 to 2.1.1. Some of them are warm-ups that no person asked for.",
    sources: 'md',
  },
  {
    path: 'projects/<slug>/<session>/subagents/agent-<id>.jsonl',
    what: "A subagent's file since 2.1.2. Ids: 8 hex digits, then 7, then `a` and 16. Those of agents that the client starts for itself begin with `aprompt_suggestion-`, `acompact-` or `aside_question-`; they replay messages of their parent.",
    sources: 'mdk2',
  },
  {
    path: 'projects/<slug>/<session>/subagents/agent-<id>.meta.json',
    what: 'What the agent file beside it belongs to.',
    schema: 'file-agent-meta',
    sources: 'mdk',
  },
  {
    path: 'projects/<slug>/<session>/subagents/workflows/<run>/journal.jsonl',
    what: 'Steps of a workflow (2.1.154), beside the files of its agents.',
    schema: 'journal',
    sources: 'kn',
  },
  {
    path: 'projects/<slug>/<session>/workflows/<run>.json',
    what: 'The end state of a workflow. Phases are counted from 0 in the list and from 1 on the agents. Scripts lie in `workflows/scripts/`.',
    sources: 'n',
  },
  {
    path: 'projects/<slug>/<session>/tool-results/*.txt',
    what: 'Output that was too long for the log. Named by call id (2.1.20), by a short id (2.1.45) or `mcp-<server>-<tool>-<milliseconds>`. The text in the log is `<persisted-output>`; `persistedOutputPath` names the file from 2.1.45 on.',
    sources: 'md2',
  },
  {
    path: 'projects/<slug>/<session>/custom-title.json',
    what: 'The title a person gave the session (2.1.325).',
    sources: 'd',
  },
  {
    path: 'projects/<slug>/sessions-index.json',
    what: "A list of the folder's sessions, in 2.1.20 to 2.1.29.",
    schema: 'file-sessions-index',
    sources: 'dc',
  },
  {
    path: 'projects/<slug>/.session-aliases',
    what: 'Folders of the same project under other names, one absolute path per line.',
    sources: 'n',
  },
  {
    path: 'projects/<slug>/memory/',
    what: "The client's own notes about the project, in Markdown.",
    sources: 'n',
  },
  {
    path: 'projects/<slug>/<session>.*',
    what: 'Recordings (`.cast`), notes before a compaction (`.precompact.json`), half-done rewrites (`.jsonl.compact.tmp.*`) and backups (`.jsonl.backup`, 1.0.x).',
    sources: 'n',
  },
  {
    path: 'history.jsonl',
    what: 'What was typed at the prompt, over all sessions.',
    schema: 'history',
    sources: 'd2n',
  },
  {
    path: 'file-history/<session>/<hash>@v<n>',
    what: 'Backups of files for a rewind, as `file-history-snapshot` names them.',
    sources: 'dn',
  },
  {
    path: 'todos/<session>-agent-<agent>.json',
    what: 'To-do lists; up to 1.0.3 named by the session alone.',
    schema: 'file-todos',
    sources: 'dn',
  },
  {
    path: 'tasks/<session or team>/<n>.json',
    what: 'Tasks of the Task tools (2.1.16).',
    sources: 'n',
  },
  {
    path: 'teams/<name>/',
    what: 'A team of agents: `config.json` and `inboxes/*.json` (2.1.32).',
    sources: 'n',
  },
  {
    path: 'plans/<name>.md',
    what: 'Plans made in plan mode.',
    sources: 'md',
  },
  {
    path: 'sessions/<pid>.json',
    what: 'Running clients: process id, session, directory, version, status. Neither written in one step nor a sign of life.',
    sources: 'n',
  },
  {
    path: 'conversations/<project>/*.jsonl',
    what: 'Where specification 000 puts session files: the directory with `/` replaced by `_`, file names by time. The client never wrote there.',
    sources: '0',
  },
  {
    path: '__store.db',
    what: 'Where 0.2.x kept its sessions before it wrote JSONL. Clew does not read it.',
    sources: 'c',
  },
  {
    path: 'session-env/, shell-snapshots/, debug/, paste-cache/, image-cache/, stats-cache.json, statsig/, ide/, backups/, plugins/',
    what: 'Files the client needs to run. Clew leaves them alone.',
    sources: 'n',
  },
]

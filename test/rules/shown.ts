// The statements that no file can break, and the test that shows how each is honoured. Those that nothing can honour yet
// say why.

export interface ShownBy {
  /** From the project's root. */
  file: string
  test: string
}

/** A statement about something that does not exist yet. */
export interface NotYet {
  notYet: string
}

const decode = (test: string): ShownBy => ({ file: 'test/rules/statements-decode.test.ts', test })
const stats = (test: string): ShownBy => ({ file: 'test/rules/statements-stats.test.ts', test })
const graph = (test: string): ShownBy => ({ file: 'test/rules/statements-graph.test.ts', test })

const progressLine = decode('progress lines are links of the chain that tell what they are about')
const userPrompt = decode('human and user lines are prompts of a person')
const sidechain3 = graph(
  'a sidechain of several exchanges is one thread, and the main thread may continue from its last message',
)
const delegation0 = graph('a delegation of 000 is a thread of its own, and its outcome is in the main thread')
const joined = graph('messages that a compaction cut off are joined again by their logical parent')
const compactions = graph('compactions of a session may be many; each begins one more context window')
const summaries = graph('a summary is the title of the branch whose leaf it names, and several are all kept')
const runs = graph('a failed run is a result with is_error, an interrupted one keeps its output so far')
const history = decode('the prompt history is next to projects and each of its lines is one input')
const system = decode('system lines are notices of Claude Code, or results where a text answers a call')

export const shownBy: Readonly<Record<string, ShownBy | NotYet>> = {
  'streaming-read': decode('records come before the file ends, and chunks of any size give the same ones'),
  'many-files-per-project': decode('a project folder has any number of sessions'),
  'tool-results-plain-text': {
    file: 'test/cli/show-spill.test.ts',
    test: 'is shown whole with --full, in every format, and named without',
  },
  'history-file-location': history,
  'session-size-range': stats('stats reports the sizes of sessions: least, median and most'),
  'spec-version-range': decode('a file of versions that a specification does not know is read all the same'),
  'type-human': userPrompt,
  'type-user': userPrompt,
  'type-assistant': decode('assistant lines are answers, whatever dialect'),
  'type-progress': progressLine,
  'type-system': system,
  'type-summary': decode('a summary line is a title and no message'),
  'type-queue-operation': decode('queue lines tell their operation and what was queued'),
  'type-file-history-snapshot': decode('a snapshot line names its message and stands outside the chain'),
  'type-compact-system': decode('compact_system lines are the phases of a compaction'),
  'type-frequencies': stats('stats counts records of each type, in all and by version of Claude Code'),
  'ignore-unknown-types': decode('a type from the future stops nothing and stays in the chain'),
  'ids-opaque': decode('ids of any form are kept as they are'),
  'orphan-as-root': graph('an orphan is the root of its descendants'),
  'orphan-causes': graph('an orphan whose parent is in another session links the two'),
  'orphan-cluster-at-compaction': stats('stats reports which share of the orphans directly follows a compaction'),
  'orphan-rate': stats('stats reports the orphan rate, of all sessions and of compacted ones'),
  'branch-shared-parent': graph('children of one parent open branches, and parallel results do not'),
  'session-groups-messages': graph('sessionId groups messages: all files of a session are one conversation'),
  'version-is-app-version': decode(
    'version is the release of Claude Code: the dialect comes from the shape of the line',
  ),
  'version-guides-migration': decode('one canonical event for all versions of a tool call and its result'),
  'cwd-per-message': decode('the working directory is that of the message'),
  'is-sidechain-subagent': graph('isSidechain true is a subagent, false the main conversation'),
  'assistant-mixed-blocks': decode('an assistant line may mix text, thinking and calls, and keeps their order'),
  'prompt-vs-tool-delivery': decode('a user line with results is a delivery and no prompt'),
  'system-message-text': system,
  'model-examples-other': graph('every model that answered is listed'),
  'usage-sum-cache-variants': graph('usage is counted once per message, with all cache variants'),
  'tool-pair-by-id': graph('a result belongs to the call with its id, wherever it is'),
  'flow-turn-s2': graph('a tool turn is one turn: text, thinking, call, progress, result, text'),
  'flow-progress-optional': graph('progress lines between call and result may be absent'),
  'flow-development-s0': graph('the development flow of 000 has two calls, both done'),
  'flow-development-s3': graph('the development flow of 003 has two calls whose results are inferred'),
  'tool-usage-mix': stats('stats counts calls of each tool, with failures, time, bytes and MCP servers'),
  'progress-agent-fields': progressLine,
  'progress-bash-output': progressLine,
  'progress-waiting-for-task': progressLine,
  'compact-near-limit': compactions,
  'history-every-input': history,
  'subagent-same-format': decode('an agent file is read line by line like a session file'),
  'sidechain-role-reversal': decode('in a sidechain the user side is the delegating agent'),
  'sidechain-inline': delegation0,
  'sidechain-main-resumes': sidechain3,
  'sidechain-multi-turn': sidechain3,
  'sidechain-depth': stats('stats reports how many exchanges a delegation has'),
  'flow-delegation': delegation0,
  'compact-removes-parents': joined,
  'compact-repeats': compactions,
  'compactions-per-session': stats('stats counts compactions per session, of all sessions and of long ones'),
  'logical-parent-reconstruction': joined,
  'message-volume': stats('stats reports how many messages sessions have, without what is not a message'),
  'chain-depth': stats('stats reports the longest parent chain of a session, however deep'),
  'summary-is-title': summaries,
  'summary-several': summaries,
  'meta-caveat-text': decode('the caveat about local commands is marked as meta and is not a prompt'),
  'command-output': decode('the output of a local command is command output and no prompt'),
  'tool-error-in-user-line': runs,
  'interrupted-operation': runs,
  'tool-flow-s4': graph('a tool run has request, result and duration, and the answer continues in the same turn'),
  'unknown-fields-kept': decode('fields that no one knows are kept and the record is still known'),
  'field-semantics-stable': decode('preservedMessages is read as the number of 003 and as the list of Claude Code'),
  'optional-fields-rollout': decode('a record with a type alone is read, and what it lacks is empty'),
  'third-party-readable': { file: 'test/cli/commands.test.ts', test: 'print JSON that fits the schemas' },
  'split-large-conversations': graph('sessionId groups messages: all files of a session are one conversation'),
  'archive-compression': {
    file: 'test/archive/round-trip.test.ts',
    test: 'brings every file of the sample history back',
  },
  'message-cache': {
    file: 'test/index/ingest.test.ts',
    test: 'gives the same rows in random pieces as at once, and only what is new is read',
  },
  'lazy-history': { file: 'test/cli/ls.test.ts', test: 'lists sessions from the ends of files, the latest first' },
  'parallel-files': { file: 'test/cli/ls.test.ts', test: 'prints rows by the contract' },
  'atomic-writes': {
    file: 'test/archive/power-cut-archive.test.ts',
    test: 'in runs, a prune and a forget loses nothing that was kept',
  },
  'tool-parameters-common': graph('a tool that no list names is kept with its name and input'),
}

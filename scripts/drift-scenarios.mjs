// What the drift watch has Claude Code do: folders, command lines and typed keys, and for every `[[word]]` in a prompt the
// answers that the stand-in for the API gives, one per request. It starts nothing; `drift-inside.mjs` does.

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const pdf = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj
4 0 obj<</Length 38>>stream
BT /F1 12 Tf 20 50 Td (A pear) Tj ET
endstream endobj
trailer<</Root 1 0 R>>
%%EOF
`

const text = value => ({ type: 'text', text: value })
const thinking = value => ({ type: 'thinking', thinking: value, signature: 'c2lnbmF0dXJlIG9mIGEgc3RhbmQtaW4=' })
/** A tool call; of several names, the first that the request offers. */
const call = (names, input) => ({ type: 'tool_use', names: [names].flat(), input })
/**
 * One answer: blocks, and what else there is to say: `stop`, `input` tokens, milliseconds to `wait` before it or to `pause`
 * in its first block, `cutOnce` where the connection breaks the first time.
 */
const answer = (blocks, more = {}) => ({ blocks, ...more })
const done = value => answer([text(value)])
/** Calls one after the other, then a text. */
const inTurn = (...calls) => [...calls.map(one => answer([one])), done('All done.')]

const agent = (prompt, more = {}) =>
  call(['Agent', 'Task'], { description: 'Look around', prompt, subagent_type: 'general-purpose', ...more })

/** By the word in the prompt: answers to the first, second, … request after that prompt. */
export const scripts = {
  basics: [done('Hello from the stand-in.')],
  continue: [done('Here we go on.')],
  think: [answer([thinking('A short thought about pears.'), text('Pears are fruit.')])],
  redacted: [answer([{ type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' }, text('That is all I say.')])],
  read: [
    answer([thinking('First I read it.'), text('I read the file.'), call('Read', { file_path: '$CWD/pear.txt' })]),
    done('It is about pears.'),
  ],
  files: inTurn(
    call('Write', { file_path: '$CWD/plum.txt', content: 'plum\nprune\n' }),
    call('Read', { file_path: '$CWD/plum.txt' }),
    call('Edit', { file_path: '$CWD/plum.txt', old_string: 'prune', new_string: 'sloe' }),
    call('MultiEdit', { file_path: '$CWD/plum.txt', edits: [{ old_string: 'plum', new_string: 'damson' }] }),
    call('Write', { file_path: '$CWD/plum.txt', content: 'damson\nsloe\nquince\n' }),
    call('Read', { file_path: '$CWD/plum.txt', offset: 2, limit: 1 }),
    call('Bash', { command: 'sed -i s/sloe/medlar/ plum.txt; cat plum.txt', description: 'Change a word' }),
    call('Read', { file_path: '$CWD/plum.txt' }),
  ),
  find: inTurn(
    call('Glob', { pattern: '**/*.txt' }),
    call('Grep', { pattern: 'pear', output_mode: 'content', '-n': true }),
    call('Grep', { pattern: 'pear', output_mode: 'count' }),
    call('Grep', { pattern: 'pear' }),
    call('LS', { path: '$CWD' }),
    call('Bash', { command: 'ls; grep -n pear *.txt' }),
  ),
  parallel: [
    answer([
      text('Three at once.'),
      call('Read', { file_path: '$CWD/pear.txt' }),
      call('Bash', { command: 'echo two', description: 'Say two' }),
      call('Bash', { command: 'echo three >&2; sleep 0.2; echo 3' }),
    ]),
    done('All three came back.'),
  ],
  mixed: [
    answer([
      call('Bash', { command: 'sleep 0.3; exit 3' }),
      call('Read', { file_path: '$CWD/none.txt' }),
      call('Read', { file_path: '$CWD/pear.txt' }),
    ]),
    answer([thinking('Two failed.'), call('Read', { file_path: '$CWD/pear.txt' })]),
    done('One of three worked.'),
  ],
  fail: inTurn(
    call('Read', { file_path: '$CWD/none.txt' }),
    call('Bash', { command: 'echo so; echo bad >&2; exit 3' }),
    call('Edit', { file_path: '$CWD/pear.txt', old_string: 'not there', new_string: 'x' }),
    call('Grep', { pattern: '(' }),
    call('Read', { wrong: 1 }),
    call('NoSuchTool', { a: 1 }),
    call('Bash', { command: 'sleep 5', timeout: 1000 }),
    call('Read', { file_path: '$CWD' }),
  ),
  denied: inTurn(
    call('Bash', { command: 'touch /home/dev/denied.txt', description: 'Touch a file' }),
    call('Write', { file_path: '$CWD/denied.txt', content: 'x' }),
    call('WebFetch', { url: 'https://example.com/', prompt: 'What is it?' }),
  ),
  big: inTurn(
    call('Bash', { command: 'seq 1 40000', description: 'Count far' }),
    call('Read', { file_path: '$CWD/long.txt' }),
    call('Bash', { command: 'head -c 300000 /dev/zero | tr "\\0" x' }),
    call('Grep', { pattern: 'line', output_mode: 'content', path: '$CWD/long.txt' }),
  ),
  background: inTurn(
    call('Bash', { command: 'echo started; sleep 1; echo ended', run_in_background: true, description: 'Work behind' }),
    call('Bash', { command: 'sleep 1.5' }),
    call(['TaskOutput', 'BashOutput', 'AgentOutputTool'], {
      task_id: '$TASK',
      bash_id: '$TASK',
      block: true,
      timeout: 3000,
    }),
    call('Bash', { command: 'sleep 60', run_in_background: true }),
    call(['TaskStop', 'KillShell', 'KillBash'], { task_id: '$TASK', shell_id: '$TASK' }),
  ),
  agent: [answer([text('I delegate.'), agent('[[sub]] Look at pear.txt')]), done('The agent has answered.')],
  agents: [
    answer([agent('[[sub]] Look at pear.txt'), agent('[[suberror]] Look at none.txt', { subagent_type: 'Explore' })]),
    done('Both have answered.'),
  ],
  behind: [
    answer([agent('[[slowsub]] Look at pear.txt', { run_in_background: true })]),
    answer([call('Bash', { command: 'sleep 2' })]),
    answer([
      call(['TaskOutput', 'AgentOutputTool'], { task_id: '$TASK', agentId: '$TASK', block: true, timeout: 4000 }),
    ]),
    done('It works behind.'),
  ],
  custom: [answer([agent('[[sub]] Look', { subagent_type: 'gardener' })]), done('The gardener has answered.')],
  nested: [answer([agent('[[subsub]] Ask another')]), done('Two levels deep.')],
  subsub: [answer([agent('[[sub]] Look at pear.txt')]), done('It said something.')],
  sub: [answer([thinking('A look.'), call('Read', { file_path: '$CWD/pear.txt' })]), done('The file is about pears.')],
  slowsub: [answer([call('Bash', { command: 'sleep 1; echo looked' })]), done('Looked slowly.')],
  suberror: inTurn(call('Read', { file_path: '$CWD/none.txt' }), call('Bash', { command: 'exit 1' })),
  resumed: [
    answer([call('SendMessage', { to: '$AGENT', message: '[[sub]] Once more', summary: 'Once more' })]),
    done('Sent.'),
  ],
  todo: inTurn(
    call('TodoWrite', {
      todos: [
        { content: 'Peel', status: 'in_progress', activeForm: 'Peeling' },
        { content: 'Eat', status: 'pending', activeForm: 'Eating' },
      ],
    }),
    call('TodoWrite', { todos: [{ content: 'Peel', status: 'completed', activeForm: 'Peeling' }] }),
    call('TaskCreate', { subject: 'Peel', description: 'Peel the pear', activeForm: 'Peeling' }),
    call('TaskCreate', { subject: 'Eat', description: 'Eat the pear' }),
    call('TaskUpdate', { taskId: '2', addBlockedBy: ['1'] }),
    call('TaskUpdate', { taskId: '1', status: 'in_progress' }),
    call('TaskList', {}),
    call('TaskGet', { taskId: '1' }),
    call('TaskUpdate', { taskId: '1', status: 'completed' }),
    call('TaskUpdate', { taskId: '2', status: 'deleted' }),
  ),
  mention: [done('You showed me a file.')],
  look: inTurn(
    call('Read', { file_path: '$CWD/dot.png' }),
    call('Read', { file_path: '$CWD/pear.pdf' }),
    call('Read', { file_path: '$CWD/notes.ipynb' }),
    call('NotebookEdit', { notebook_path: '$CWD/notes.ipynb', cell_id: 'one', new_source: 'print(2)' }),
    call('NotebookEdit', { notebook_path: '$CWD/notes.ipynb', cell_id: 'none', new_source: 'print(2)' }),
  ),
  hooks: inTurn(
    call('Bash', { command: 'echo hooked' }),
    call('Read', { file_path: '$CWD/pear.txt' }),
    call('Read', { file_path: '$CWD/secret.txt' }),
    call('Glob', { pattern: '*.txt' }),
    call('Edit', { file_path: '$CWD/pear.txt', old_string: 'pear', new_string: 'Pear' }),
  ),
  mcp: inTurn(
    call('mcp__garden__echo', { say: 'hello' }),
    call('mcp__garden__picture', {}),
    call('mcp__garden__fail', {}),
    call('mcp__garden__long', {}),
    call('mcp__garden__structured', {}),
    call(['ListMcpResourcesTool', 'ListMcpResources'], {}),
    call(['ReadMcpResourceTool', 'ReadMcpResource'], { server: 'garden', uri: 'garden://bed' }),
  ),
  skill: inTurn(call('Skill', { skill: 'prune', args: 'the tree' }), call('SlashCommand', { command: '/greet you' })),
  plan: [
    answer([call('Read', { file_path: '$CWD/pear.txt' })]),
    answer([call('Write', { file_path: '$PLAN', content: '# Plan\n\n1. Peel the pear.\n' })]),
    answer([call('ExitPlanMode', { plan: '# Plan\n\n1. Peel the pear.' })]),
    done('That is the plan.'),
  ],
  enterplan: [
    answer([call('EnterPlanMode', {})]),
    answer([call('Write', { file_path: '$PLAN', content: '# Plan\n\n1. Eat the pear.\n' })]),
    answer([call('ExitPlanMode', { plan: '# Plan\n\n1. Eat the pear.' })]),
    answer([call('Bash', { command: 'echo eaten' })]),
    done('Eaten.'),
  ],
  question: [
    answer([
      call('AskUserQuestion', {
        questions: [
          {
            question: 'Which fruit?',
            header: 'Fruit',
            multiSelect: false,
            options: [
              { label: 'Pear', description: 'Soft' },
              { label: 'Plum', description: 'Blue' },
            ],
          },
        ],
      }),
    ]),
    done('Good choice.'),
  ],
  search: inTurn(
    call('ToolSearch', { query: 'select:WebFetch,WebSearch,NotebookEdit,TaskCreate,Monitor' }),
    call('ToolSearch', { query: 'pear of nothing' }),
    call('WebSearch', { query: 'pears' }),
    call('WebFetch', { url: 'https://example.com/', prompt: 'What is it?' }),
  ),
  // Every other tool that some version offers, with an input that it takes.
  tools: inTurn(
    call('ToolSearch', {
      query:
        'select:CronCreate,CronList,CronDelete,Monitor,EnterWorktree,ExitWorktree,LSP,SendMessage,TeamCreate,TeamDelete,PushNotification,RemoteTrigger,ScheduleWakeup,Workflow,ReportFindings,TaskCreate,TaskUpdate,TaskList,TaskGet,TaskOutput,TaskStop,WaitForMcpServers,Artifact,DesignSync,ShareOnboardingGuide',
      max_results: 40,
    }),
    call('CronCreate', { cron: '0 9 * * *', prompt: 'Water the tree', recurring: true }),
    call('CronList', {}),
    call('CronDelete', { id: '$CRON' }),
    call('Monitor', { command: 'echo ripe; sleep 1', description: 'Ripeness', timeout_ms: 2000, persistent: false }),
    call('LSP', { operation: 'documentSymbol', filePath: '$CWD/pear.txt', line: 1, character: 1 }),
    call('TeamCreate', { team_name: 'orchard', description: 'People of the orchard' }),
    call('TeamDelete', {}),
    call('PushNotification', { message: 'Ripe', status: 'proactive' }),
    call('ReportFindings', {
      level: 'low',
      findings: [
        {
          file: 'pear.txt',
          line: 1,
          summary: 'A pear',
          category: 'x',
          failure_scenario: 'It rots.',
          verdict: 'CONFIRMED',
          short_summary: 'Pear',
        },
      ],
    }),
    call('Workflow', {
      script:
        "export const meta = { name: 'small', description: 'Small' }\nreturn await agent('[[sub]] Look at pear.txt')",
    }),
    call('Bash', { command: 'sleep 3' }),
    call('WaitForMcpServers', { timeoutSeconds: 1 }),
    call('Config', { setting: 'theme' }),
    call('Artifact', { file_path: '$CWD/pear.txt', description: 'A pear', favicon: 'P' }),
  ),
  worktree: inTurn(
    call('ToolSearch', { query: 'select:EnterWorktree,ExitWorktree' }),
    call('EnterWorktree', { name: 'graft' }),
    call('Bash', { command: 'pwd; git branch --show-current' }),
    call('ExitWorktree', { action: 'remove', discard_changes: true }),
  ),
  isolated: [answer([agent('[[sub]] Look', { isolation: 'worktree' })]), done('It looked elsewhere.')],
  overloaded: [done('In the end it worked.')],
  badrequest: [done('Never sent.')],
  ratelimit: [done('Never sent.')],
  toolong: [done('Never sent.')],
  maxtokens: [
    answer([text('This answer is cut')], { stop: 'max_tokens' }),
    answer([text('and goes on')], { stop: 'max_tokens' }),
    done('and ends.'),
  ],
  refusal: [answer([text('I')], { stop: 'refusal' })],
  pause: [answer([text('A pause.')], { stop: 'pause_turn' }), done('And on.')],
  window: [answer([text('Full')], { stop: 'model_context_window_exceeded' }), done('And on.')],
  empty: [answer([]), done('Now with words.')],
  cut: [answer([text('This stream is whole the second time.')], { cutOnce: true })],
  json: [answer([call('StructuredOutput', { fruit: 'pear', count: 3 })]), done('Given.')],
  badjson: [
    answer([call('StructuredOutput', { fruit: 3 })]),
    answer([call('StructuredOutput', { fruit: 'plum', count: 1 })]),
    done('Given.'),
  ],
  slow: [
    answer([text('Slowly.'), call('Bash', { command: 'sleep 2; echo slow' })], { wait: 500 }),
    done('Slow, but done.'),
  ],
  slower: [answer([text('A long answer that takes its time.'), text('Its second half.')], { pause: 6000 })],
  slowtool: [answer([text('I wait.'), call('Bash', { command: 'sleep 20' })]), done('It did not end.')],
  second: [done('The second prompt.')],
  third: [done('The third prompt.')],
  full: [answer([text('The window is full.')], { input: 197_000 })],
  fulltool: [
    answer([text('Nearly full.'), call('Read', { file_path: '$CWD/pear.txt' })], { input: 197_000 }),
    done('After the summary.'),
  ],
  nestedmemory: inTurn(
    call('Read', { file_path: '$CWD/bed/seed.txt' }),
    call('Edit', { file_path: '$CWD/bed/seed.txt', old_string: 'seed', new_string: 'sprout' }),
  ),
  changed: [
    answer([call('Read', { file_path: '$CWD/pear.txt' })]),
    answer([call('Bash', { command: 'echo more >> pear.txt' })]),
    answer([call('Bash', { command: 'echo waited' })]),
    done('It changed.'),
  ],
}

/** Prompts whose first requests fail: status, type and message of the error, and how often. */
export const failures = {
  overloaded: { times: 2, status: 529, type: 'overloaded_error', message: 'Overloaded' },
  badrequest: {
    times: 9,
    status: 400,
    type: 'invalid_request_error',
    message: 'messages: text content blocks must be non-empty',
  },
  ratelimit: { times: 9, status: 429, type: 'rate_limit_error', message: 'This request would exceed your rate limit' },
  toolong: {
    times: 1,
    status: 400,
    type: 'invalid_request_error',
    message: 'prompt is too long: 210000 tokens > 200000 maximum',
  },
  auth: { times: 9, status: 401, type: 'authentication_error', message: 'invalid x-api-key' },
}

const free = '--dangerously-skip-permissions'
const fruit = { 'pear.txt': 'A pear is a fruit.\nIt grows on trees.\n' }
const echo = value => `echo '${JSON.stringify(value)}'`
const hook = (command, more = {}) => [{ hooks: [{ type: 'command', command, ...more }] }]
const hooks = {
  hooks: {
    SessionStart: hook('echo session started'),
    UserPromptSubmit: hook(
      echo({ hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'The sun shines.' } }),
    ),
    PreToolUse: [
      { matcher: 'Bash', hooks: [{ type: 'command', command: echo({ systemMessage: 'A shell starts.' }) }] },
      {
        matcher: 'Read',
        hooks: [{ type: 'command', command: 'grep -q secret && { echo "not that one" >&2; exit 2; } || true' }],
      },
      { matcher: 'Glob', hooks: [{ type: 'command', command: 'echo odd >&2; exit 1' }] },
      {
        matcher: 'Edit',
        hooks: [
          {
            type: 'command',
            command: echo({
              hookSpecificOutput: {
                hookEventName: 'PreToolUse',
                permissionDecision: 'deny',
                permissionDecisionReason: 'Not today',
              },
            }),
          },
        ],
      },
    ],
    PostToolUse: hook(
      echo({ hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'It was quick.' } }),
    ),
    PostToolUseFailure: hook('echo failed'),
    Stop: hook('test -e .stopped || { touch .stopped; echo "one more thing" >&2; exit 2; }'),
    SubagentStart: hook('echo a subagent starts'),
    SubagentStop: hook('echo a subagent stops'),
    PreCompact: hook('echo keep the fruit'),
    PostCompact: hook('echo compacted'),
    Notification: hook('true'),
    SessionEnd: hook('echo bye'),
  },
}
const notebook = JSON.stringify({
  cells: [
    {
      cell_type: 'code',
      id: 'one',
      source: ['print(1)'],
      metadata: {},
      outputs: [{ output_type: 'stream', name: 'stdout', text: ['1\n'] }],
      execution_count: 1,
    },
  ],
  metadata: { language_info: { name: 'python' } },
  nbformat: 4,
  nbformat_minor: 5,
})
const user = content => ({ type: 'user', message: { role: 'user', content } })
const stream = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose']
const long = Array.from({ length: 6000 }, (_, index) => `line ${index} of a long file`).join('\n')
const schema = JSON.stringify({
  type: 'object',
  properties: { fruit: { type: 'string' }, count: { type: 'number' } },
  required: ['fruit'],
})

const one = (name, prompt, args = [free], more = {}) => ({ name, files: fruit, runs: [{ prompt, args }], ...more })
/** A session that is resumed once it has ended. */
const twice = (name, prompt, args = [free], more = {}) => ({
  name,
  files: fruit,
  runs: [
    { prompt, args },
    { prompt: '[[continue]] go on', args: [free], resume: true },
  ],
  ...more,
})

/** Esc twice, the prompt before the last, and one of the choices. */
const rewindTo = choice => [
  { wait: 3000, key: '\u001b' },
  { wait: 200, key: '\u001b' },
  { wait: 1200, key: '\u001b[A' },
  { wait: 400, key: '\r' },
  { wait: 1200, key: choice },
  { wait: 1000, key: '\r' },
]

/**
 * A folder each. `runs` follow one another in it: `resume` and `fork` mean the session of the run before, `input` is what
 * goes to a stream of JSON, `keys` what is typed at a terminal, each once the screen shows `after` or some time has passed.
 */
export const scenarios = [
  {
    name: 'basics',
    files: fruit,
    runs: [
      { prompt: '[[basics]] Hello', args: [] },
      { prompt: '[[continue]] again', args: [], resume: true },
      { prompt: '[[read]] and by continuing', args: [free, '--continue'] },
      { prompt: '[[think]] on a fork', args: [free], fork: true },
    ],
  },
  twice('think', '[[think]] What is a pear?'),
  one('redacted', '[[redacted]] Tell me', [free, '--model', 'claude-sonnet-4-5']),
  twice('read', '[[read]] Read pear.txt'),
  twice('files', '[[files]] Work on files'),
  one('find', '[[find]] Find pears'),
  twice('parallel', '[[parallel]] Three at once'),
  twice('mixed', '[[mixed]] Three at once, two fail'),
  one('fail', '[[fail]] Try what fails'),
  one('denied', '[[denied]] Do what you may not', []),
  {
    ...one('denied-by-rule', '[[denied]] Do what a rule forbids', ['--permission-mode', 'acceptEdits']),
    files: {
      ...fruit,
      '.claude/settings.json': JSON.stringify({ permissions: { deny: ['Bash(touch:*)', 'WebFetch'] } }),
    },
  },
  twice('big', '[[big]] Print much', [free], { files: { ...fruit, 'long.txt': long } }),
  one('background', '[[background]] Work behind'),
  twice('agent', '[[agent]] Delegate'),
  one('agents', '[[agents]] Delegate two'),
  {
    name: 'agent-behind',
    files: fruit,
    runs: [
      { args: [free, ...stream], input: [{ send: user('[[behind]] Delegate behind') }, { wait: 9000 }] },
      { prompt: '[[continue]] go on', args: [free], resume: true },
    ],
  },
  one('agent-custom', '[[custom]] Ask the gardener', [free], {
    files: {
      ...fruit,
      '.claude/agents/gardener.md':
        '---\nname: gardener\ndescription: Knows plants\nmodel: haiku\ntools: Read\n---\nYou are a gardener.\n',
    },
  }),
  one('agent-nested', '[[nested]] Delegate deeply'),
  {
    name: 'agent-again',
    files: fruit,
    runs: [
      { prompt: '[[agent]] Delegate', args: [free] },
      {
        prompt: '[[resumed]] Ask it once more',
        args: [free],
        resume: true,
        env: { CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1' },
      },
    ],
  },
  one('todo', '[[todo]] Make a list', [free], { env: { CLAUDE_CODE_ENABLE_TODO_TOOLS: '1' } }),
  one('todo-old', '[[todo]] Make a list', [free], { env: { CLAUDE_CODE_ENABLE_TASKS: '0' } }),
  twice('mention', '[[mention]] See @pear.txt and @bed and @dot.png and @long.txt', [free], {
    files: {
      ...fruit,
      'bed/seed.txt': 'seed\n',
      'bed/CLAUDE.md': 'Water the bed.\n',
      'dot.png': Buffer.from(png, 'base64'),
      'long.txt': long,
    },
  }),
  one('look', '[[look]] Look at media', [free], {
    files: { ...fruit, 'dot.png': Buffer.from(png, 'base64'), 'pear.pdf': pdf, 'notes.ipynb': notebook },
  }),
  {
    name: 'media',
    files: fruit,
    runs: [
      {
        args: [free, ...stream],
        input: [
          {
            send: user([
              { type: 'text', text: '[[mention]] What is this?' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
              {
                type: 'document',
                source: { type: 'base64', media_type: 'application/pdf', data: Buffer.from(pdf).toString('base64') },
              },
            ]),
          },
        ],
      },
      { prompt: '[[continue]] go on', args: [free], resume: true },
    ],
  },
  twice('hooks', '[[hooks]] Under hooks', [free], {
    files: { ...fruit, 'secret.txt': 'no\n', '.claude/settings.json': JSON.stringify(hooks) },
  }),
  one('hooks-stop', '[[basics]] Not at all', [free], {
    files: {
      '.claude/settings.json': JSON.stringify({
        hooks: {
          UserPromptSubmit: hook(echo({ continue: false, stopReason: 'Closed' })),
          SessionStart: hook(
            echo({ hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'Closed today.' } }),
          ),
        },
      }),
    },
  }),
  one('hooks-block', '[[basics]] Blocked', [free], {
    files: {
      '.claude/settings.json': JSON.stringify({
        hooks: { UserPromptSubmit: hook(echo({ decision: 'block', reason: 'Not this prompt' })) },
      }),
    },
  }),
  one('mcp', '[[mcp]] Ask the server', [free, '--mcp-config', 'mcp.json'], {
    files: {
      'mcp.json': JSON.stringify({
        mcpServers: { garden: { command: '$NODE', args: ['/mnt/drift-mcp.mjs'] }, broken: { command: 'false' } },
      }),
    },
  }),
  twice('skill', '[[skill]] Use the skill', [free], {
    files: {
      ...fruit,
      '.claude/skills/prune/SKILL.md':
        '---\nname: prune\ndescription: Prunes trees\nallowed-tools: Read\n---\nPrune $ARGUMENTS with care.\n',
      '.claude/commands/greet.md':
        '---\ndescription: Greets\nallowed-tools: Bash(echo:*)\n---\nGreet $ARGUMENTS. [[basics]]\n',
    },
  }),
  {
    name: 'command',
    files: {
      ...fruit,
      '.claude/commands/greet.md':
        '---\ndescription: Greets\nallowed-tools: Bash(echo:*)\nmodel: haiku\n---\nGreet $ARGUMENTS. !`echo hi` [[read]]\n',
    },
    runs: [
      { prompt: '/greet the pear', args: [free] },
      { prompt: '/context', args: [free], resume: true },
      { prompt: '/cost', args: [free], resume: true },
      { prompt: '/nosuchcommand', args: [free], resume: true },
      { prompt: '[[continue]] go on', args: [free], resume: true },
    ],
  },
  one('plan', '[[plan]] Make a plan', ['--permission-mode', 'plan']),
  {
    name: 'plan-approved',
    files: fruit,
    runs: [
      {
        args: ['--permission-prompt-tool', 'stdio', ...stream],
        input: [{ send: user('[[enterplan]] Plan and do') }],
        permit: 'allow',
      },
      { prompt: '[[continue]] go on', args: [free], resume: true },
    ],
  },
  {
    name: 'permission',
    files: fruit,
    runs: [
      {
        args: ['--permission-prompt-tool', 'stdio', ...stream],
        input: [{ send: user('[[denied]] May I?') }],
        permit: 'deny',
      },
      {
        args: ['--permission-prompt-tool', 'stdio', ...stream],
        input: [{ send: user('[[question]] Ask me') }],
        permit: 'allow',
        resume: true,
      },
      {
        args: ['--permission-prompt-tool', 'stdio', ...stream],
        input: [{ send: user('[[denied]] Stop') }],
        permit: 'interrupt',
        resume: true,
      },
    ],
  },
  one('search', '[[search]] Search tools', [free], { env: { ENABLE_TOOL_SEARCH: 'true' } }),
  one('tools', '[[tools]] Use every tool', [free], {
    env: { ENABLE_TOOL_SEARCH: 'true', CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1', ENABLE_LSP_TOOL: '1' },
  }),
  one('worktree', '[[worktree]] In a worktree', [free], { git: true }),
  one('isolated', '[[isolated]] In a worktree of its own', [free], { git: true }),
  twice('overloaded', '[[overloaded]] Try again'),
  twice('badrequest', '[[badrequest]] Wrong'),
  one('ratelimit', '[[ratelimit]] Too much', [free], { env: { CLAUDE_CODE_MAX_RETRIES: '1' } }),
  one('toolong', '[[toolong]] Too long'),
  one('auth', '[[auth]] Who?', [free], { env: { CLAUDE_CODE_MAX_RETRIES: '1' } }),
  one('fallback', '[[overloaded]] With another model', [free, '--fallback-model', 'claude-haiku-4-5'], {
    env: { CLAUDE_CODE_MAX_RETRIES: '1' },
  }),
  twice('maxtokens', '[[maxtokens]] Long'),
  twice('refusal', '[[refusal]] No'),
  one('pause', '[[pause]] Pause'),
  one('window', '[[window]] Full'),
  twice('empty', '[[empty]] Say nothing'),
  twice('cut', '[[cut]] Break off'),
  one('turns', '[[files]] Not for long', [free, '--max-turns', '2']),
  one('budget', '[[files]] Not for much', [free, '--max-budget-usd', '0.000001']),
  {
    name: 'json',
    files: fruit,
    runs: [
      { prompt: '[[json]] As JSON', args: [free, '--json-schema', schema] },
      { prompt: '[[badjson]] As JSON', args: [free, '--json-schema', schema], resume: true },
    ],
  },
  {
    name: 'queue',
    files: fruit,
    runs: [
      {
        args: [free, ...stream],
        input: [
          { send: user('[[slow]] First') },
          { wait: 1500, send: user('[[second]] While you work') },
          { wait: 100, send: user('[[third]] And this') },
          { wait: 3000 },
        ],
      },
      { prompt: '[[continue]] go on', args: [free], resume: true },
    ],
  },
  {
    name: 'interrupt',
    files: fruit,
    runs: [
      {
        args: [free, ...stream],
        input: [
          { send: user('[[slowtool]] Wait') },
          { wait: 3500, interrupt: true },
          { wait: 500, send: user('[[slower]] And now') },
          { wait: 1500, interrupt: true },
          { wait: 300, send: user('[[second]] Quick') },
          { wait: 500 },
        ],
      },
      { prompt: '[[continue]] go on', args: [free], resume: true },
    ],
  },
  {
    name: 'compact',
    files: fruit,
    runs: [
      { prompt: '[[read]] Read', args: [free] },
      { prompt: '/compact keep the fruit', args: [free], resume: true },
      { prompt: '[[continue]] go on', args: [free], resume: true },
    ],
  },
  {
    name: 'compact-stream',
    files: { ...fruit, '.claude/settings.json': JSON.stringify(hooks) },
    runs: [
      {
        args: [free, ...stream],
        input: [
          { send: user('[[files]] Work') },
          { result: 1, send: user('/compact') },
          { result: 2, send: user('[[read]] And on') },
        ],
      },
      { prompt: '[[continue]] go on', args: [free], resume: true },
    ],
  },
  {
    name: 'compact-auto',
    files: fruit,
    // Whatever the window of the model is, what the stand-in says fills it.
    env: { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: '10', CLAUDE_CODE_AUTO_COMPACT_WINDOW: '200000' },
    runs: [
      { prompt: '[[read]] Read', args: [free, '--model', 'claude-sonnet-4-5'] },
      { prompt: '[[full]] Fill', args: [free, '--model', 'claude-sonnet-4-5'], resume: true },
      { prompt: '[[fulltool]] Fill on', args: [free, '--model', 'claude-sonnet-4-5'], resume: true },
      { prompt: '[[continue]] go on', args: [free, '--model', 'claude-sonnet-4-5'], resume: true },
    ],
  },
  {
    name: 'models',
    files: fruit,
    runs: [
      { prompt: '[[read]] With one', args: [free, '--model', 'haiku'] },
      { prompt: '[[think]] With another', args: [free, '--model', 'opus'], resume: true },
      {
        prompt: '[[think]] With a third',
        args: [free, '--model', 'sonnet', '--append-system-prompt', 'Be brief.'],
        resume: true,
      },
      { prompt: '[[basics]] ultrathink please', args: [free, '--effort', 'high'], resume: true },
    ],
  },
  one('memory', '[[nestedmemory]] Look in the bed', [free], {
    files: {
      ...fruit,
      'CLAUDE.md': 'Be kind to plants. See @pear.txt\n',
      'bed/seed.txt': 'seed\n',
      'bed/CLAUDE.md': 'Water the bed.\n',
      '.claude/rules/seeds.md': '---\npaths: ["**/seed.txt"]\n---\nSeeds are small.\n',
      '.claude/settings.json': JSON.stringify({ outputStyle: 'Explanatory' }),
    },
  }),
  twice('changed', '[[changed]] Watch a file'),
  {
    name: 'settings',
    files: {
      ...fruit,
      '.claude/settings.json': JSON.stringify({
        language: 'Latin',
        outputStyle: 'Learning',
        alwaysThinkingEnabled: true,
        env: { FRUIT: 'pear' },
      }),
    },
    runs: [
      { prompt: '[[read]] In Latin', args: [free, '--name', 'A named one', '--add-dir', '/home/dev'] },
      { prompt: '[[continue]] go on', args: [free, '--resume-session-at', '$LAST'], resume: true },
    ],
  },
  {
    name: 'job',
    files: fruit,
    runs: [
      { command: ['--bg', '[[read]] Work without me'] },
      { command: ['agents', '--json'], wait: 6000 },
      { command: ['stop', '$JOB'] },
    ],
  },
  {
    name: 'terminal',
    files: fruit,
    runs: [
      {
        keys: [
          { after: 'shortcuts|for help|effort|Try "', type: '[[read]] Read pear.txt', enter: true },
          { after: 'about pears', type: '[[slow]] Slowly', enter: true },
          { wait: 1500, type: '[[second]] While you work', enter: true },
          { wait: 700, type: '[[third]] And this', enter: true },
          { wait: 5000, type: '/rename a pear tree', enter: true },
          { wait: 1500, type: '[[slowtool]] Wait', enter: true },
          { wait: 3500, key: '\u001b' },
          { wait: 1500, type: '[[slower]] A long one', enter: true },
          { wait: 2000, key: '\u001b' },
          { wait: 1500, key: '\u0015' },
          { wait: 300, key: '!' },
          { wait: 300, type: 'echo typed', enter: true },
          { wait: 2000, type: '/cost', enter: true },
          { wait: 1000, key: '\u001b' },
          { wait: 700, type: '/compact', enter: true },
          { wait: 5000, type: '[[think]] After it', enter: true },
          { wait: 2500, type: '/exit', enter: true },
        ],
      },
      { prompt: '[[continue]] go on', args: [free], newest: true },
    ],
  },
  {
    name: 'terminal-modes',
    files: fruit,
    runs: [
      {
        keys: [
          { after: 'shortcuts|for help|effort|Try "', type: '[[plan]] Plan it', enter: false },
          { wait: 300, key: '\u001b[Z' },
          { wait: 300, key: '\u001b[Z' },
          { wait: 300, key: '\r' },
          { wait: 6000, key: '\r' },
          { wait: 3000, type: '/model haiku', enter: true },
          { wait: 1500, type: '[[agent]] Delegate', enter: true },
          { wait: 4500, type: '/clear', enter: true },
          { wait: 1500, type: '[[question]] Ask me', enter: true },
          { wait: 3000, key: '\r' },
          { wait: 2500, type: '[[denied]] May I', enter: true },
          { wait: 2500, key: '\r' },
          { wait: 2000, key: '\u001b' },
          { wait: 1500, type: '/color red', enter: true },
          { wait: 800, type: '/tag fruit', enter: true },
          { wait: 800, type: '/exit', enter: true },
        ],
      },
      { prompt: '[[continue]] go on', args: [free], newest: true },
    ],
  },
  {
    name: 'terminal-rewind',
    files: fruit,
    runs: [
      {
        keys: [
          { after: 'shortcuts|for help|effort|Try "', type: '[[files]] Work', enter: true },
          { after: 'All done', type: '[[read]] Read', enter: true },
          { wait: 4000, key: '\u001b' },
          { wait: 200, key: '\u001b' },
          { wait: 1200, key: '\u001b[A' },
          { wait: 400, key: '\r' },
          { wait: 1200, key: '\r' },
          { wait: 2000, key: '\u0015' },
          { wait: 300, type: '[[think]] Another way', enter: true },
          { wait: 3000, type: '/btw what is it', enter: true },
          { wait: 2500, key: '\u001b' },
          { wait: 600, type: '/branch', enter: true },
          { wait: 2500, type: '[[second]] On the branch', enter: true },
          { wait: 2500, type: '/exit', enter: true },
        ],
      },
      { prompt: '[[continue]] go on', args: [free], newest: true },
    ],
  },
  {
    name: 'terminal-summary',
    files: fruit,
    runs: [
      {
        keys: [
          { after: 'shortcuts|for help|effort|Try "', type: '[[read]] Read', enter: true },
          { after: 'about pears', type: '[[think]] Think', enter: true },
          { after: 'are fruit', type: '[[second]] One more', enter: true },
          ...rewindTo('2'),
          { wait: 5000, key: '\u0015' },
          { wait: 300, type: '[[think]] After the first', enter: true },
          ...rewindTo('3'),
          { wait: 5000, key: '\u0015' },
          { wait: 300, type: '[[third]] After the second', enter: true },
          { wait: 2500, type: '/exit', enter: true },
        ],
      },
      { prompt: '[[continue]] go on', args: [free], newest: true },
    ],
  },
]

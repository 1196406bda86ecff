// Runs inside the namespaces of the drift watch, as an ordinary user: the stand-in for the API on loopback, and Claude Code
// in one scenario after the other. It leaves what was sent in `requests/`; who reads the sessions is `drift.mjs`.

import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { failures, scenarios, scripts } from './drift-scenarios.mjs'

const port = 8787
const lanes = 2
const longestRun = 75_000
const home = '/home/dev'
const key = 'sk-stand-in-0000000000000000000000000000'
const [only] = process.argv.slice(2)
const program = findProgram()
/** Requests by session id, in the order they came. */
const requests = new Map()
/** How often a run's prompt was answered with an error or half an answer. */
const failed = new Map()

function findProgram() {
  const folder = '/mnt/client/node_modules/@anthropic-ai'
  const native = `${folder}/claude-code-linux-x64/claude`
  return existsSync(native) ? [native] : [process.execPath, `${folder}/claude-code/cli.js`]
}

// The stand-in for the API

const server = createServer((request, response) => {
  const parts = []
  request.on('data', part => parts.push(part))
  request.on('end', () => {
    const [, run, ...rest] = request.url.split('/')
    let body = {}
    try {
      body = JSON.parse(Buffer.concat(parts).toString())
    } catch {}
    answerRequest(run, `/${rest.join('/')}`, body, response).catch(() => response.destroy())
  })
})

async function answerRequest(run, path, body, response) {
  if (path.includes('count_tokens')) return response.end('{"input_tokens":10}')
  if (!path.includes('/v1/messages')) return response.writeHead(404).end('{}')
  remember(run, body)
  const { word, answer } = chooseAnswer(run, body)
  const failure = failures[word]
  const count = failed.get(run + word) ?? 0
  if (failure !== undefined && count < failure.times && (body.tools ?? []).length > 2) {
    failed.set(run + word, count + 1)
    const error = { type: 'error', error: { type: failure.type, message: failure.message }, request_id: 'req_stand_in' }
    return response
      .writeHead(failure.status, { 'content-type': 'application/json', 'request-id': 'req_stand_in' })
      .end(JSON.stringify(error))
  }
  if (answer.wait !== undefined) await sleep(answer.wait)
  const isCut = answer.cutOnce === true && count === 0
  if (isCut) failed.set(run + word, 1)
  return sendAnswer(body, answer, response, isCut)
}

function remember(run, body) {
  const [, session] = /session(?:_id)?["\\:_]+([0-9a-f-]{36})/.exec(body.metadata?.user_id ?? '') ?? []
  const name = session ?? run
  const list = requests.get(name) ?? []
  requests.set(name, list)
  list.push({ run, model: body.model, tools: (body.tools ?? []).length, messages: body.messages })
}

const textsOf = message =>
  typeof message.content === 'string'
    ? [message.content]
    : message.content.flatMap(block => (block.type === 'text' ? [block.text] : []))

function chooseAnswer(run, body) {
  const messages = body.messages ?? []
  const tools = body.tools ?? []
  const lastTexts = messages.length === 0 ? '' : textsOf(messages.at(-1)).join('\n')
  if (tools.some(tool => tool.type?.startsWith('web_search'))) return { answer: webSearch() }
  if (/create a detailed summary/i.test(lastTexts) && !/being continued from/.test(lastTexts)) {
    return {
      answer: said(
        '<analysis>Pears were read.</analysis>\n<summary>\n1. Primary request: pears.\n2. Nothing is left.\n</summary>',
      ),
    }
  }
  const format = body.output_config?.format ?? body.output_format
  if (format !== undefined) return { answer: said(JSON.stringify(bySchema(format.schema))) }
  const last = messages.findLastIndex(
    message => message.role === 'user' && textsOf(message).some(text => wordIn(text) !== undefined),
  )
  if (tools.length === 0 || last < 0) return { answer: said('A look at a pear') }
  const word = textsOf(messages[last]).map(wordIn).filter(Boolean).at(-1)
  const step = messages.slice(last + 1).filter(message => message.role === 'assistant').length
  const answer = scripts[word]?.[step]
  return { word, answer: answer === undefined ? said('Nothing more to do.') : fillIn(run, body, answer) }
}

/** The last word in double brackets of a text, reminders left out. */
function wordIn(text) {
  const found = [
    ...text
      .replaceAll(/<system-reminder>[\s\S]*?<\/system-reminder>/g, part =>
        /sent a new message|queued/i.test(part) ? part : '',
      )
      .matchAll(/\[\[(\w+)\]\]/g),
  ]
  return found.at(-1)?.[1]
}

const said = text => ({ blocks: [{ type: 'text', text }] })

function bySchema(schema) {
  const properties = Object.entries(schema?.properties ?? {})
  return Object.fromEntries(
    properties.map(([name, { type }]) => [
      name,
      type === 'boolean' ? true : type === 'number' ? 1 : 'A look at a pear',
    ]),
  )
}

function webSearch() {
  return {
    blocks: [
      { type: 'text', text: 'I search.' },
      { type: 'server_tool_use', id: 'srvtoolu_01', name: 'web_search', input: { query: 'pears' } },
      {
        type: 'web_search_tool_result',
        tool_use_id: 'srvtoolu_01',
        content: [
          {
            type: 'web_search_result',
            title: 'Pears',
            url: 'https://example.com/pears',
            encrypted_content: 'eA==',
            page_age: null,
          },
        ],
      },
      { type: 'text', text: 'Pears are well known.' },
    ],
  }
}

/** The answer with the names of the run in it: folder, ids of the task or agent started last, plan file. */
function fillIn(run, body, answer) {
  const names = new Set((body.tools ?? []).map(tool => tool.name))
  const sent = JSON.stringify(body.messages)
  const lastOf = pattern => [...sent.matchAll(pattern)].at(-1)?.[1] ?? 'none'
  const values = {
    $CWD: join(home, run.split('.')[0]),
    $TASK: lastOf(/(?:with ID: |task_id>|agentId: |bash_id: )(\w+)/g),
    $AGENT: lastOf(/agentId: (\w+)/g),
    $CRON: lastOf(/\bjob (\w{8})\b/g),
    $PLAN: lastOf(/(\/home\/dev\/\.claude\/plans\/[\w.-]+\.md)/g),
  }
  const fill = value => Object.entries(values).reduce((text, [name, to]) => text.replaceAll(name, to), value)
  const blocks = answer.blocks.map(block => {
    if (block.type !== 'tool_use') return block
    const name = block.names.find(one => names.has(one)) ?? block.names[0]
    return { type: 'tool_use', id: id('toolu_'), name, input: JSON.parse(fill(JSON.stringify(block.input))) }
  })
  return { ...answer, blocks }
}

let ids = 0
function id(prefix) {
  ids += 1
  return `${prefix}01StandIn${String(ids).padStart(15, '0')}`
}

async function sendAnswer(body, answer, response, isCut) {
  const hasCall = answer.blocks.some(block => block.type === 'tool_use')
  const stop = answer.stop ?? (hasCall ? 'tool_use' : 'end_turn')
  const usage = {
    input_tokens: answer.input ?? 12,
    cache_creation_input_tokens: 300,
    cache_read_input_tokens: 4000,
    cache_creation: { ephemeral_5m_input_tokens: 300, ephemeral_1h_input_tokens: 0 },
    output_tokens: 1,
    service_tier: 'standard',
  }
  const message = {
    id: id('msg_'),
    type: 'message',
    role: 'assistant',
    model: body.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  }
  const headers = { 'request-id': id('req_') }
  if (body.stream !== true) {
    const whole = { ...message, content: answer.blocks, stop_reason: stop, usage: { ...usage, output_tokens: 25 } }
    return response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(whole))
  }
  response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' })
  const send = event => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  send({ type: 'message_start', message })
  for (const [index, block] of answer.blocks.entries()) {
    await sendBlock(send, index, block, { isCut, pause: index === 0 ? answer.pause : undefined })
  }
  if (isCut) return setTimeout(() => response.destroy(), 300)
  send({
    type: 'message_delta',
    delta: { stop_reason: stop, stop_sequence: null },
    usage: { ...usage, output_tokens: 25 },
  })
  send({ type: 'message_stop' })
  return response.end()
}

async function sendBlock(send, index, block, { isCut, pause }) {
  const start =
    {
      text: { ...block, text: '' },
      thinking: { ...block, thinking: '', signature: '' },
      tool_use: { ...block, input: {} },
      server_tool_use: { ...block, input: {} },
    }[block.type] ?? block
  const deltas = {
    text: [{ type: 'text_delta', text: block.text }],
    thinking: [
      { type: 'thinking_delta', thinking: block.thinking },
      { type: 'signature_delta', signature: block.signature },
    ],
    tool_use: [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }],
    server_tool_use: [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }],
  }
  send({ type: 'content_block_start', index, content_block: start })
  for (const delta of deltas[block.type] ?? []) send({ type: 'content_block_delta', index, delta })
  if (pause !== undefined) await sleep(pause)
  if (!isCut) send({ type: 'content_block_stop', index })
}

// The scenarios

async function runScenario(scenario) {
  const cwd = join(home, scenario.name)
  for (const [name, content] of Object.entries(scenario.files ?? {})) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true })
    writeFileSync(
      join(cwd, name),
      typeof content === 'string' ? content.replaceAll('$NODE', process.execPath) : content,
    )
  }
  if (scenario.git === true) makeRepository(cwd)
  let session
  for (const [index, run] of scenario.runs.entries()) {
    const started = Date.now()
    const name = `${scenario.name}.${index + 1}`
    const known = run.newest === true ? newestSession(cwd) : session
    if (run.wait !== undefined) await sleep(run.wait)
    if (known === undefined && needsSession(run)) {
      console.error(`${name}: left out, there is no session to go on with`)
      continue
    }
    const outcome = await runClient({ ...run, name, cwd, session: known, env: { ...scenario.env, ...run.env } })
    session = outcome.session ?? newestSession(cwd) ?? session
    writeFileSync(`/mnt/log/${name}.txt`, outcome.output)
    console.error(
      `${name}: ${outcome.exit === 0 ? 'ok' : `exit ${outcome.exit}`}, ${((Date.now() - started) / 1000).toFixed(1)} s`,
    )
  }
}

const needsSession = run =>
  run.resume === true || run.fork === true || run.newest === true || run.command?.includes('$JOB') === true

function makeRepository(cwd) {
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=Dev', '-c', 'user.email=dev@example.com', ...args], { cwd, stdio: 'ignore' })
  git('init', '-b', 'main')
  git('add', '.')
  git('commit', '-m', 'Plant a pear')
}

const projectFolder = cwd => join(home, '.claude/projects', cwd.replaceAll(/[^A-Za-z0-9]/g, '-'))

function newestSession(cwd) {
  const folder = projectFolder(cwd)
  const files = existsSync(folder) ? readdirSync(folder).filter(name => /^[0-9a-f-]{36}\.jsonl$/.test(name)) : []
  const byTime = files.sort((a, b) => statSync(join(folder, a)).mtimeMs - statSync(join(folder, b)).mtimeMs)
  return byTime.at(-1)?.slice(0, -'.jsonl'.length)
}

async function runClient(run) {
  const args = [...(run.args ?? [])]
  if (run.resume === true || run.newest === true) args.push('-r', run.session)
  if (run.fork === true) args.push('-r', run.session, '--fork-session')
  if (run.command !== undefined) args.unshift(...run.command)
  else if (run.prompt !== undefined) args.unshift('-p', run.prompt, '--output-format', 'json')
  else if (run.input !== undefined) args.unshift('-p')
  const values = { $LAST: () => lastUuid(run), $JOB: () => run.session.slice(0, 8) }
  const filled = args.map(word => values[word]?.() ?? word)
  if (run.keys !== undefined) return runTyped(run, filled)
  // Older versions do without an option that they do not know.
  for (let rest = filled; ; ) {
    const outcome = await runPiped(run, rest)
    const at = rest.indexOf(/unknown option '(--[\w-]+)'/.exec(outcome.output)?.[1])
    if (at < 0 || run.command !== undefined) return outcome
    const hasValue = rest[at + 1] !== undefined && !rest[at + 1].startsWith('-')
    rest = rest.toSpliced(at, hasValue ? 2 : 1)
  }
}

/** The uuid of the last answer in a session. */
function lastUuid(run) {
  const lines = readFileSync(join(projectFolder(run.cwd), `${run.session}.jsonl`), 'utf8')
    .trim()
    .split('\n')
  return lines.map(line => JSON.parse(line)).findLast(record => record.type === 'assistant')?.uuid ?? ''
}

function environment(run) {
  return {
    HOME: home,
    USER: 'dev',
    SHELL: '/bin/bash',
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    TERM: 'xterm-256color',
    TMPDIR: '/mnt/tmp',
    PATH: process.env.PATH,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}/${run.name}`,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    API_TIMEOUT_MS: '20000',
    ...run.env,
  }
}

/** Without a terminal: the prompt is an argument, or messages go in as lines of JSON. */
function runPiped(run, args) {
  const [command, ...first] = program
  const child = spawn(command, [...first, ...args], {
    cwd: run.cwd,
    env: environment(run),
    stdio: [run.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  const state = { output: '', results: 0, session: undefined }
  let rest = ''
  child.stdout.on('data', data => {
    state.output += data
    const lines = (rest + data).split('\n')
    rest = lines.pop()
    for (const line of lines) readEvent(run, child, state, line)
  })
  child.stderr.on('data', data => {
    state.output += data
  })
  child.stdin?.on('error', () => {})
  if (run.input !== undefined) void feed(run, child, state)
  return ended(child, state, () => readEvent(run, child, state, rest))
}

function readEvent(run, child, state, line) {
  let event
  try {
    event = JSON.parse(line)
  } catch {
    return
  }
  if (typeof event?.session_id === 'string') state.session = event.session_id
  if (event?.type === 'result') state.results += 1
  if (event?.type === 'control_request' && event.request?.subtype === 'can_use_tool') reply(run, child, event)
}

function reply(run, child, event) {
  const input = event.request.input
  const answers =
    input.questions === undefined
      ? {}
      : { answers: Object.fromEntries(input.questions.map(one => [one.question, one.options[0].label])) }
  const response =
    run.permit === 'allow'
      ? { behavior: 'allow', updatedInput: { ...input, ...answers } }
      : { behavior: 'deny', message: 'The user said no.', interrupt: run.permit === 'interrupt' }
  write(child, { type: 'control_response', response: { subtype: 'success', request_id: event.request_id, response } })
}

const write = (child, value) => child.stdin.write(`${JSON.stringify(value)}\n`)

/** Writes the messages of a run, each after its time or after this many results, and ends the input after the last result. */
async function feed(run, child, state) {
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  const results = async count => {
    while (state.results < count && !isOver()) await sleep(50)
  }
  let sent = 0
  for (const step of run.input) {
    if (step.result !== undefined) await results(step.result)
    if (step.wait !== undefined) await sleep(step.wait)
    if (isOver()) return
    if (step.send !== undefined) write(child, step.send)
    if (step.send !== undefined) sent += 1
    if (step.interrupt === true)
      write(child, { type: 'control_request', request_id: id('interrupt_'), request: { subtype: 'interrupt' } })
  }
  await Promise.race([results(sent), sleep(15_000), results(1).then(() => sleep(4000))])
  child.stdin.end()
}

/** At a terminal of its own: keys are typed once the screen shows what they wait for. */
function runTyped(run, args) {
  const words = [...program, ...args].map(word => `'${word}'`).join(' ')
  const child = spawn('script', ['-qfec', `stty rows 50 cols 150; exec ${words}`, '/dev/null'], {
    cwd: run.cwd,
    env: environment(run),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const state = { output: '', session: undefined }
  child.stdout.on('data', data => {
    state.output += data
  })
  child.stdin.on('error', () => {})
  void type(run, child, state)
  return ended(child, state, () => {})
}

async function type(run, child, state) {
  let seen = 0
  for (const step of run.keys) {
    const pattern = step.after === undefined ? undefined : new RegExp(step.after)
    for (
      let time = 0;
      pattern !== undefined && time < 12_000 && !pattern.test(plain(state.output.slice(seen)));
      time += 100
    )
      await sleep(100)
    seen = state.output.length
    await sleep(step.wait ?? 400)
    if (child.exitCode !== null) return
    child.stdin.write(step.key ?? step.type)
    // Return in the same write as the text would be a line of a pasted text.
    if (step.enter === true) await sleep(350)
    if (step.enter === true) child.stdin.write('\r')
  }
  await sleep(3000)
  child.stdin.write('\u0003')
  await sleep(200)
  child.stdin.write('\u0003')
}

const plain = screen =>
  screen.replaceAll(/\u001b\[\d*C/g, ' ').replaceAll(/\u001b(\[[0-?]*[ -/]*[@-~]|\][^\u0007]*\u0007|.)/g, '')

function ended(child, state, flush) {
  return new Promise(resolve => {
    const timer = setTimeout(() => child.kill('SIGKILL'), longestRun)
    child.on('error', () => resolve({ exit: 'not started', ...state }))
    child.on('close', exit => {
      clearTimeout(timer)
      flush()
      resolve({ ...state, exit })
    })
  })
}

/** What Claude Code would ask a person the first time. */
function prepareHome() {
  const trust = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true, projectOnboardingSeenCount: 4 }
  writeFileSync(
    join(home, '.claude.json'),
    JSON.stringify({
      hasCompletedOnboarding: true,
      bypassPermissionsModeAccepted: true,
      theme: 'dark',
      numStartups: 9,
      lastOnboardingVersion: '9.9.9',
      lastReleaseNotesSeen: '9.9.9',
      customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
      projects: Object.fromEntries(scenarios.map(({ name }) => [join(home, name), trust])),
    }),
  )
  mkdirSync(join(home, '.claude'), { recursive: true })
}

server.listen(port, '127.0.0.1', async () => {
  prepareHome()
  const pattern = only === undefined || only === '' ? undefined : new RegExp(only)
  const queue = scenarios.filter(({ name }) => pattern?.test(name) ?? true)
  // The long ones first, so that both lanes end about together.
  queue.sort((a, b) => Number(b.name.startsWith('terminal')) - Number(a.name.startsWith('terminal')))
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let scenario = queue.shift(); scenario !== undefined; scenario = queue.shift()) await runScenario(scenario)
    }),
  )
  mkdirSync('/mnt/requests', { recursive: true })
  for (const [session, list] of requests)
    writeFileSync(`/mnt/requests/${session}.json`, `${JSON.stringify(list, null, 1)}\n`)
  process.exit(0)
})

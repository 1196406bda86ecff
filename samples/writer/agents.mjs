// Subagents: the call that starts one, its own thread in the place where the version keeps it, and how it ends. Also
// Claude Code's own helpers that replay a message of their parent.

import { startCall, takeCall, writeProgress, writeResult } from './calls.mjs'
import { optional } from './form.mjs'
import { tokens } from './turns.mjs'

export const agentEvents = {
  agent(session, thread, event) {
    const isAsync = event.args[0] === 'background'
    const agentType = event.args.at(-1)
    const prompt = event.events.find(inner => inner.word === 'prompt').text
    const input = {
      description: event.text,
      prompt,
      subagent_type: agentType,
      ...(isAsync ? { run_in_background: true } : {}),
    }
    const call = { id: `toolu_01${session.ids.letters(22)}`, name: session.form.agentTool, input }
    startCall(session, thread, event, call)
    const agent = startAgent(session, thread, { call, agentType, events: event.events })
    takeCall(session, thread, event.label === undefined ? { word: 'agent', text: '' } : event)
    if (isAsync) launched(session, thread, call, agent)
    else finished(session, thread, call, agent)
  },

  /** A background agent or command has come to its end: what Claude Code tells the model about it. */
  notify(session, thread, event) {
    const call = session.calls.get(event.label)
    const status = event.args[0] ?? 'completed'
    thread.clock = Math.max(thread.clock, call.endsAt ?? 0)
    session.pass(thread, 0.1, 0.6)
    const text = notificationText(call, status, event.text)
    session.side(thread, queueLine(session, thread, 'enqueue', text))
    session.side(thread, queueLine(session, thread, 'dequeue'))
    thread.promptId = session.ids.uuid()
    const { since } = session.form
    const origin = since('2.1.119') ? { origin: { kind: 'task-notification' } } : {}
    const source = since('2.1.161') ? { promptSource: 'system' } : {}
    const mode = since('2.1.15') ? { permissionMode: session.permissionMode ?? 'default' } : {}
    session.user(thread, text, { more: { ...mode, ...origin, ...source } })
    thread.context += tokens(text)
  },

  /** `internal prompt_suggestion: text`: a helper that replays the last answer, message id and all. */
  internal(session, thread, event) {
    const kind = event.args[0]
    const agent = `a${kind}-${session.ids.hex(6)}`
    const own = session.newThread({ clock: thread.clock, context: thread.context, agent, isSidechain: true })
    const last = thread.lines.findLast(line => line.type === 'assistant')
    session.user(own, session.lastPrompt)
    session.chain(own, stamp => ({ message: last.message, requestId: last.requestId, type: 'assistant', ...stamp }))
    session.user(own, '[SUGGESTION MODE: Suggest what the user might naturally type next]')
    session.run(own, [{ word: 'say', rest: '', args: [], text: event.text, body: '' }])
    session.home.put(agentPath(session, agent), session.bytesOf(own.lines))
  },
}

function startAgent(session, thread, { call, agentType, events }) {
  const agent = newAgentId(session)
  const isInline = session.form.agentFiles === 'inline'
  const own = session.newThread({
    clock: thread.clock,
    context: 8_900,
    isSidechain: true,
    ...(isInline ? { lines: thread.lines } : { agent }),
    ...optional('parentAgent', thread.agent),
  })
  session.pass(own, 0.1, 0.4)
  session.run(own, events)
  const said = events.findLast(event => event.word === 'say')?.text ?? ''
  const ended = { agent, agentType, own, said, calls: events.filter(event => event.word === 'call').length }
  if (!isInline) putAgent(session, call, ended)
  if (session.form.progress) reportProgress(session, thread, call, ended)
  return ended
}

function newAgentId(session) {
  session.agentCount += 1
  return session.form.longAgentIds ? `a${session.ids.hex(16)}` : `a${session.ids.hex(6)}`
}

function agentPath(session, agent) {
  const folder = session.form.agentFiles === 'flat' ? session.folder : `${session.folder}/${session.id}/subagents`
  return `${folder}/agent-${agent}.jsonl`
}

function putAgent(session, call, { agent, agentType, own }) {
  const path = agentPath(session, agent)
  session.home.put(path, session.bytesOf(own.lines))
  if (!session.form.agentMeta) return
  const sure = session.form.since('2.1.150')
    ? { toolUseId: call.id, ...optional('parentAgentId', own.parentAgent) }
    : {}
  const depth = own.parentAgent === undefined ? {} : { spawnDepth: 2 }
  const meta = { agentType, description: call.input.description, ...sure, ...depth }
  session.home.put(path.replace(/\.jsonl$/, '.meta.json'), JSON.stringify(meta))
}

/** Two progress lines per agent are enough to show the form: its prompt, and its first answer. */
function reportProgress(session, thread, call, { agent, own }) {
  const lines = [own.lines[0], own.lines.find(line => line.type === 'assistant')]
  for (const line of lines) {
    const { type, message, uuid, timestamp } = line
    const data = {
      message: { type, message, uuid, timestamp },
      ...(session.form.since('2.1.69') ? {} : { normalizedMessages: [] }),
      type: 'agent_progress',
      prompt: call.input.prompt,
      agentId: agent,
    }
    session.pass(thread, 0.2, 0.9)
    writeProgress(session, thread, data, call.id, `agent_${message.id ?? 'msg_01'}`)
  }
}

function finished(session, thread, call, agent) {
  thread.clock = Math.max(thread.clock, agent.own.clock)
  session.pass(thread, 0.1, 0.5)
  const content = [{ type: 'text', text: agent.said }]
  const facts = {
    totalDurationMs: thread.clock - call.at,
    totalTokens: agent.own.context,
    totalToolUseCount: agent.calls,
    usage: agent.own.lines.findLast(line => line.type === 'assistant').message.usage,
  }
  if (session.form.agentFiles === 'inline') {
    writeResult(session, thread, call, { content, structured: { content, ...facts } })
    return
  }
  const hint = { type: 'text', text: `agentId: ${agent.agent} (for resuming to continue this agent's work if needed)` }
  const kind = session.form.since('2.1.91') ? { agentType: agent.agentType } : {}
  const model = session.form.since('2.1.178') ? { resolvedModel: session.model } : {}
  const start = { status: 'completed', prompt: call.input.prompt, agentId: agent.agent, ...kind }
  writeResult(session, thread, call, {
    content: [...content, hint],
    structured: { ...start, content, ...model, ...facts },
  })
}

function launched(session, thread, call, agent) {
  call.taskId = agent.agent
  call.endsAt = agent.own.clock
  call.said = agent.said
  call.outputFile = `/tmp/claude-1000/${session.folder.split('/')[1]}/${session.id}/tasks/${agent.agent}.output`
  const { description, prompt } = call.input
  if (session.form.queue && !session.form.since('2.1.91')) {
    const task = JSON.stringify({ task_id: agent.agent, description, task_type: 'local_agent' })
    session.side(thread, queueLine(session, thread, 'enqueue', task))
  }
  const text = `Async agent launched successfully.\nagentId: ${agent.agent} (internal ID - do not mention to user. Use SendMessage with to: '${agent.agent}' to continue this agent.)\nThe agent is working in the background. You will be notified automatically when it completes.`
  const start = { isAsync: true, status: 'async_launched', agentId: agent.agent, description }
  const model = session.form.since('2.1.178') ? { resolvedModel: session.model } : {}
  session.pass(thread, 0.1, 0.4)
  writeResult(session, thread, call, {
    content: [{ type: 'text', text }],
    structured: { ...start, ...model, prompt, outputFile: call.outputFile, canReadOutputFile: true },
  })
}

function notificationText(call, status, text) {
  const isAgent = call.said !== undefined
  const named = call.input.description ?? call.input.command
  const summary =
    text !== ''
      ? text
      : isAgent
        ? `Agent "${named}" ${status}`
        : `Background command "${named}" ${status} (exit code 0)`
  const result = isAgent ? `\n<result>${call.said}</result>` : ''
  return `<task-notification>\n<task-id>${call.taskId}</task-id>\n<tool-use-id>${call.id}</tool-use-id>\n<output-file>${call.outputFile}</output-file>\n<status>${status}</status>\n<summary>${summary}</summary>${result}\n</task-notification>`
}

export function queueLine(session, thread, operation, content) {
  const start = { type: 'queue-operation', operation, timestamp: session.time(thread), sessionId: session.id }
  return { ...start, ...optional('content', content) }
}

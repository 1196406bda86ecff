// Tool calls and how they end: results, failures, refusals, answers to questions. The shapes of the single tools'
// results are in results.

import { optional } from './form.mjs'
import { inputOf, nameOf } from './inputs.mjs'
import { resultOf } from './results.mjs'
import { tokens, writeBlock } from './turns.mjs'

export const callEvents = {
  call: request,
  also: request,

  result(session, thread, event) {
    const call = takeCall(session, thread, event)
    session.pass(thread, 0.2, call.name === 'Bash' ? 9 : 1.4)
    if (session.head.options.has('results together')) return together(session, thread, call, event)
    const { content, structured, isError, after } = resultOf(session, thread, call, event)
    writeResult(session, thread, call, { content, structured, ...optional('isError', isError) })
    after?.()
  },

  fail(session, thread, event) {
    const call = takeCall(session, thread, event)
    session.pass(thread, 0.2, 6)
    writeResult(session, thread, call, { content: event.text, structured: `Error: ${event.text}`, isError: true })
  },

  denied(session, thread, event) {
    const call = takeCall(session, thread, event)
    const reason = event.text === '' ? '' : ` The user provided the following reason for the rejection:  ${event.text}`
    const content = `The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).${reason}`
    session.pass(thread, 3, 12)
    const kind = session.form.since('2.1.205') ? { toolDenialKind: 'user-rejected' } : {}
    writeResult(session, thread, call, { content, structured: `Error: ${content}`, isError: true, more: kind })
  },

  /** Esc while a tool runs: the call fails, and a line says so. */
  stop(session, thread, event) {
    const call = takeCall(session, thread, event)
    const content =
      "The user doesn't want to take this action right now. STOP what you are doing and wait for the user to tell you how to proceed."
    session.pass(thread, 2, 15)
    writeResult(session, thread, call, { content, structured: `Error: ${content}`, isError: true })
    session.user(thread, [{ type: 'text', text: '[Request interrupted by user for tool use]' }])
    thread.turn = undefined
  },

  answer(session, thread, event) {
    const call = takeCall(session, thread, event)
    const { questions } = call.input
    const answers = { [questions[0].question]: event.text }
    const said = `"${questions[0].question}"="${event.text}"`
    const content = `User has answered your questions: ${said}. You can now continue with the user's answers in mind.`
    session.pass(thread, 6, 40)
    writeResult(session, thread, call, { content, structured: { questions, answers } })
  },

  progress(session, thread, event) {
    const [type] = event.args
    const call = thread.open.at(-1)
    const data = { type, ...JSON.parse(event.rest.slice(type.length).trim()) }
    session.pass(thread, 1, 3)
    writeProgress(session, thread, data, call.id)
  },
}

function request(session, thread, event) {
  const name = nameOf(event)
  const id = `toolu_01${session.ids.letters(22)}`
  const call = { id, name, input: inputOf(session, event) }
  startCall(session, thread, event, call)
}

/** Writes the request and keeps it open until its result comes. */
export function startCall(session, thread, event, call) {
  const caller = session.form.since('2.1.45') ? { caller: { type: 'direct' } } : {}
  const block = { type: 'tool_use', id: call.id, name: call.name, input: call.input, ...caller }
  if (call.name === 'WebSearch') event.message.searches = 1
  call.uuid = writeBlock(session, thread, event, block)
  call.at = thread.clock
  thread.open.push(call)
  if (event.label !== undefined) session.calls.set(event.label, call)
  // Where a whole message is one line, the calls written earlier get the line's uuid too.
  for (const open of thread.open) if (session.form.wholeMessages) open.uuid = call.uuid
}

/** The call that an outcome is for: the labelled one, else the oldest that is open. */
export function takeCall(session, thread, event) {
  const call = event.label === undefined ? thread.open[0] : session.calls.get(event.label)
  if (call === undefined) throw new Error(`${session.head.name}: "${event.word}" without a call: ${event.text}`)
  thread.open = thread.open.filter(open => open !== call)
  return call
}

export function writeResult(session, thread, call, { content, structured, isError, more = {} }) {
  const block =
    isError === true
      ? { type: 'tool_result', content, is_error: true, tool_use_id: call.id }
      : { tool_use_id: call.id, type: 'tool_result', content, ...(call.name === 'Bash' ? { is_error: false } : {}) }
  thread.context += tokens(typeof content === 'string' ? content : JSON.stringify(content))
  return deliver(session, thread, call, [block], structured, more)
}

function deliver(session, thread, call, blocks, structured, more = {}) {
  const { form } = session
  const source = form.since('2.1.1') ? { sourceToolAssistantUUID: call.uuid } : {}
  // Files of subagents mostly leave the structured result out, the outcome of an agent of their own excepted.
  const isKept = thread.agent === undefined || !form.since('2.1.17') || call.name === form.agentTool
  return session.user(thread, blocks, {
    ...(form.resultOnCall ? { parent: call.uuid } : {}),
    more: { ...(isKept ? optional('toolUseResult', structured) : {}), ...more, ...source },
  })
}

/** Specification 002 puts the results of parallel calls into one line. */
function together(session, thread, call, event) {
  const { content } = resultOf(session, thread, call, event)
  thread.gathered ??= []
  thread.gathered.push({ type: 'tool_result', tool_use_id: call.id, content, is_error: false })
  if (thread.open.length > 0) return
  deliver(session, thread, call, thread.gathered)
  thread.gathered = undefined
}

export function writeProgress(session, thread, data, callId, toolUseID) {
  session.progressCount = (session.progressCount ?? -1) + 1
  const id = toolUseID ?? (data.type === 'bash_progress' ? `bash-progress-${session.progressCount}` : callId)
  const fields = stamp => ({ type: 'progress', data, toolUseID: id, parentToolUseID: callId, ...stamp })
  session.chain(thread, fields)
}

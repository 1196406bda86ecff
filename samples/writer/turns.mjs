// What the human and the model say: prompts, thinking, text, and the API messages they are parts of. Tool calls are
// written in calls; here they only count as blocks of their message.

import { optional } from './form.mjs'
import { inputOf } from './inputs.mjs'
import { pictureBase64 } from './media.mjs'

const spoken = new Set(['think', 'say', 'call', 'agent'])

/** Groups neighbouring spoken events into API messages; `also` goes on with the last one although results came between. */
export function noteMessages(session, events) {
  let message
  let isOpen = false
  for (const event of events) {
    if (!spoken.has(event.word) && event.word !== 'also') {
      if (event.word !== 'progress') isOpen = false
      continue
    }
    if (!isOpen && event.word !== 'also') message = newMessage(session)
    isOpen = event.word !== 'agent'
    event.message = message
    message.events.push(event)
  }
}

function newMessage(session) {
  const { ids } = session
  return { id: `msg_01${ids.letters(22)}`, requestId: `req_011C${ids.letters(20)}`, events: [], written: 0 }
}

export const turnEvents = {
  prompt(session, thread, event) {
    closeTurn(session, thread)
    // Somebody reads the answer before they type the next prompt.
    if (thread === session.main && thread.last !== null) session.pass(thread, 12, 95)
    thread.promptId = session.ids.uuid()
    const uuid = session.ids.uuid()
    if (thread === session.main) openTurn(session, thread, event.text, uuid)
    session.user(thread, promptContent(event), {
      uuid,
      ...optional('label', event.label),
      more: thread === session.main ? promptFields(session, event) : {},
    })
    thread.context += tokens(event.text)
    session.pass(thread, 0.3, 1.2)
  },

  think: speak,
  say: speak,

  meta(session, thread, event) {
    session.user(thread, event.text, { flags: { isMeta: true } })
  },

  interrupt(session, thread, event) {
    const forTool = event.args.includes('tool')
    const text = forTool ? '[Request interrupted by user for tool use]' : '[Request interrupted by user]'
    session.pass(thread, 2, 9)
    session.user(thread, [{ type: 'text', text }])
    thread.turn = undefined
  },

  wait(session, thread, event) {
    closeTurn(session, thread)
    const [, amount, unit] = /^(\d+)([smhd])$/.exec(event.rest)
    thread.clock += Number(amount) * { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit]
    session.pass(thread, 0, 30)
  },

  /** As if so much had been read: makes the numbers before a compaction plausible. */
  context(_session, thread, event) {
    thread.context = Number(event.rest)
  },

  back(session, thread, event) {
    closeTurn(session, thread)
    thread.last = session.labels.get(event.args.at(-1)) ?? fail(session, event)
  },
}

function fail(session, event) {
  throw new Error(`${session.head.name}: no such label in "${event.word} ${event.rest}"`)
}

function promptContent(event) {
  if (event.args[0] !== 'image') return event.text
  const source = { type: 'base64', media_type: 'image/png', data: pictureBase64(event.args[1]) }
  return [
    { type: 'text', text: event.text },
    { type: 'image', source },
  ]
}

function promptFields(session, event) {
  const { since } = session.form
  return {
    ...(since('1.0.117') && !since('2.1.46') ? { thinkingMetadata: thinking(since) } : {}),
    ...(since('2.0.47') && !since('2.1.63') ? { todos: session.todos } : {}),
    ...(event.args[0] === 'image' && since('2.1.29') ? { imagePasteIds: [1] } : {}),
    ...(since('2.1.15') ? { permissionMode: session.permissionMode ?? 'default' } : {}),
    ...(since('2.1.183') ? { origin: { kind: 'human' } } : {}),
    ...(since('2.1.161') ? { promptSource: 'typed' } : {}),
  }
}

function thinking(since) {
  return since('2.1.20') ? { maxThinkingTokens: 31_999 } : { level: 'high', disabled: false, triggers: [] }
}

function openTurn(session, thread, text, uuid) {
  thread.turn = { startedAt: thread.clock, lines: thread.lines.length }
  session.lastPrompt = text
  session.promptUuid = uuid
  session.home.typed(session, thread, text)
  if (!session.form.snapshots) return
  const snapshot = { messageId: uuid, trackedFileBackups: { ...session.tracked }, timestamp: session.time(thread) }
  session.side(thread, { type: 'file-history-snapshot', messageId: uuid, snapshot, isSnapshotUpdate: false })
}

/** Claude Code measures a turn when it is over: at the next prompt, before a pause, at the end. */
export function closeTurn(session, thread) {
  const turn = thread.turn
  thread.turn = undefined
  if (turn === undefined || !session.form.turnDuration || thread.lines.length <= turn.lines + 2) return
  const count = session.form.since('2.1.91') ? { messageCount: thread.lines.length - turn.lines } : {}
  session.system(thread, 'turn_duration', { durationMs: thread.clock - turn.startedAt, ...count, isMeta: false })
}

/** Think and say: a block of the current message. */
export function speak(session, thread, event) {
  writeBlock(
    session,
    thread,
    event,
    event.word === 'think' ? thinkingBlock(session, event) : { type: 'text', text: event.text },
  )
}

function thinkingBlock(session, event) {
  const data = Buffer.from(session.ids.letters(32) + session.ids.letters(32)).toString('base64')
  if (event.args[0] === 'redacted') return { type: 'redacted_thinking', data }
  return { type: 'thinking', thinking: event.text, signature: data }
}

/** Writes one block as its own line, or with the first block the whole message where the version does so. */
export function writeBlock(session, thread, event, block) {
  const { message } = event
  message.blocks ??= []
  message.blocks.push(block)
  message.written += 1
  const isLast = message.written === message.events.length
  if (message.usage === undefined) startMessage(session, thread, message)
  session.pass(thread, 0.8, 4.5)
  if (session.form.wholeMessages && !isLast) return thread.last
  const content = session.form.wholeMessages ? message.blocks : [block]
  const record = answer(session, thread, message, { content, isLast }, event.label)
  return record.uuid
}

function startMessage(session, thread, message) {
  message.startedAt = thread.clock
  message.output = message.events.reduce(
    (sum, event) => sum + 12 + tokens(event.text + JSON.stringify(eventInput(session, event))),
    0,
  )
  message.stop = message.events.some(event => event.word !== 'say' && event.word !== 'think') ? 'tool_use' : 'end_turn'
  message.usage = {
    input: session.ids.between(3, 11),
    written: Math.max(0, thread.context - thread.cached),
    read: thread.cached,
  }
  thread.cached = thread.context
  thread.context += message.output
}

function eventInput(session, event) {
  return event.word === 'call' || event.word === 'also' ? inputOf(session, event) : ''
}

function answer(session, thread, message, { content, isLast }, label) {
  const { form } = session
  const isFinal = form.usage.final === 'all' || (form.usage.final === 'last' && isLast)
  const body = apiMessage(session, message, content, isFinal)
  const cost = form.costPerAnswer ? { costUSD: costOf(message), durationMs: thread.clock - message.startedAt } : {}
  const request = form.requestId ? { requestId: message.requestId } : {}
  const effort = form.since('2.1.215') ? { effort: 'high' } : {}
  const fields = stamp => ({ message: body, ...cost, ...request, ...effort, type: 'assistant', ...stamp })
  return session.chain(thread, fields, optional('label', label))
}

function apiMessage(session, message, content, isFinal) {
  const { form } = session
  const stop = { stop_reason: isFinal ? message.stop : null }
  const usage = usageOf(session, message, isFinal)
  const start = { id: message.id, type: 'message', role: 'assistant' }
  const model = message.model ?? session.model
  if (!form.since('2.1.200')) return { ...start, model, stop_sequence: null, content, ...stop, usage }
  return { model, ...start, content, ...stop, stop_sequence: null, stop_details: null, usage, diagnostics: null }
}

function usageOf(session, message, isFinal) {
  const { input, written, read } = message.usage
  const form = session.form.usage
  const output = isFinal ? message.output : 1 + (message.output % 7)
  const parts = {
    ephemeral_5m_input_tokens: form.long ? 0 : written,
    ephemeral_1h_input_tokens: form.long ? written : 0,
  }
  const start = { input_tokens: input, cache_creation_input_tokens: written, cache_read_input_tokens: read }
  const geo = form.geo ? { inference_geo: 'not_available' } : {}
  if (!form.parts) return { ...start, output_tokens: output, service_tier: 'standard' }
  if (!form.long) return { ...start, cache_creation: parts, output_tokens: output, service_tier: 'standard', ...geo }
  const step = { ...start, output_tokens: output, cache_creation: parts, type: 'message' }
  return {
    ...start,
    output_tokens: output,
    server_tool_use: { web_search_requests: message.searches ?? 0, web_fetch_requests: 0 },
    service_tier: 'standard',
    cache_creation: parts,
    ...geo,
    iterations: form.iterations ? [step] : [],
    speed: 'standard',
  }
}

/** Dollars at 3 / 15 per million, as the versions that logged a cost reckoned for their default model. */
function costOf({ usage, output }) {
  const micro = usage.input * 3 + output * 15 + usage.written * 3.75 + usage.read * 0.3
  return Number((micro / 1_000_000).toFixed(8))
}

/** A rough count: enough for numbers that grow as a real log's do. */
export function tokens(text) {
  return Math.ceil(text.length / 3.6)
}

// Writes a sketch in the vocabulary of specification 000: `conversations/`, `human` lines, times in milliseconds,
// softly deleted and aborted lines, `compact_prelude` and `compact_recap`. No other dialect is known here.

import { seeded } from './ids.mjs'
import { inputOf, nameOf } from './inputs.mjs'
import { pictureBase64 } from './media.mjs'

const form = { since: () => true }

export function writeS0({ head, events }, home) {
  const cwd = head.project.split(' ')[0]
  const start = Date.parse(`${head.start.replace(' ', 'T')}Z`)
  const ids = seeded(head.name)
  const session = {
    head,
    home,
    cwd,
    form,
    ids,
    calls: new Map(),
    labels: new Map(),
    lines: [],
    id: `session_${ids.letters(12)}`,
  }
  const main = { last: null, clock: start, isSidechain: false, open: [] }
  run(session, main, events)
  const name = new Date(start).toISOString().slice(0, 19).replaceAll(':', '-')
  const folder = cwd.replaceAll('/', '_')
  home.put(`conversations/${folder}/${name}.jsonl`, session.lines.map(line => `${JSON.stringify(line)}\n`).join(''))
  return { ...session, main }
}

function run(session, thread, events) {
  for (const event of events) {
    const handle = handlers[event.word]
    if (handle === undefined) throw new Error(`${session.head.name}: 000 has no "${event.word}"`)
    handle(session, thread, event)
  }
}

/** One line; `marks` are the optional flags of the dialect. */
function line(session, thread, type, content, marks = {}) {
  const { ids } = session
  const uuid = `msg_${ids.letters(12)}`
  thread.clock += ids.between(900, 7_000)
  session.lines.push({
    uuid,
    parentUuid: thread.last,
    sessionId: session.id,
    type,
    timestamp: thread.clock,
    version: '1.0.128',
    ...(thread.isSidechain ? { isSidechain: true } : {}),
    ...(thread.isSidechain && type === 'human' ? { userType: 'external' } : {}),
    ...marks,
    message: { type: 'message', content },
  })
  thread.last = uuid
  return uuid
}

function named(session, event, uuid) {
  if (event.label !== undefined) session.labels.set(event.label, uuid)
}

function marksOf(event) {
  const marks = {
    deleted: { isDeleted: true },
    aborted: { isAborted: true },
    active: { is_active: true },
    inactive: { is_active: false },
  }
  return Object.assign({}, ...event.args.map(word => marks[word] ?? {}))
}

const handlers = {
  prompt(session, thread, event) {
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: pictureBase64(event.args[1]) },
    }
    const content = event.args[0] === 'image' ? [{ type: 'text', text: event.text }, image] : event.text
    named(session, event, line(session, thread, 'human', content, marksOf(event)))
  },

  /** Text and calls that follow each other are one line in this dialect; `call` joins the `say` before it. */
  say(session, thread, event) {
    named(session, event, line(session, thread, 'assistant', [{ type: 'text', text: event.text }], marksOf(event)))
  },

  call(session, thread, event) {
    const call = { id: `toolu_01${session.ids.letters(8)}`, name: nameOf(event) }
    thread.open.push(call)
    const block = { type: 'tool_use', id: call.id, name: call.name, input: inputOf(session, event) }
    const last = session.lines.at(-1)
    if (last.type === 'assistant' && last.uuid === thread.last) last.message.content.push(block)
    else line(session, thread, 'assistant', [block])
  },

  result: (session, thread, event) => outcome(session, thread, event, false),
  fail: (session, thread, event) => outcome(session, thread, event, true),

  agent(session, thread, event) {
    const prompt = event.events[0].text
    handlers.call(session, thread, { rest: `Task ${JSON.stringify({ subagent_type: event.args[0], prompt })}` })
    const own = { last: thread.last, clock: thread.clock, isSidechain: true, open: [] }
    run(session, own, event.events)
    thread.clock = own.clock
    outcome(session, thread, { args: [], text: event.events.findLast(inner => inner.word === 'say').text }, false)
  },

  back(session, thread, event) {
    thread.last = session.labels.get(event.args.at(-1))
  },

  wait(_session, thread, event) {
    thread.clock += Number(event.rest.replace('m', '')) * 60_000
  },

  /** Two messages are carried over as they were, then the recap. */
  compact(session, thread, event) {
    const texts = session.lines.filter(other => typeof other.message.content === 'string').slice(-2)
    thread.last = null
    for (const other of texts)
      line(session, thread, 'compact_prelude', other.message.content, { compactMetadata: { trigger: event.args[0] } })
    line(session, thread, 'compact_recap', event.text)
  },
}

function outcome(session, thread, event, isError) {
  const call = thread.open.shift()
  const block = { type: 'tool_result', tool_use_id: call.id, content: event.text, is_error: isError }
  line(session, thread, 'tool_result', [block], { ...(isError ? { isError: true } : {}), ...marksOf(event) })
}

// Writes a sketch in the vocabulary of specification 003: string messages, `toolName` lines answered by `system` lines,
// three `compact_system` lines, orphans with a logical parent. No other dialect is known here.

import { projectSlug } from './form.mjs'
import { seeded } from './ids.mjs'
import { inputOf, nameOf } from './inputs.mjs'

const form = { since: () => true }

export function writeS3({ head, events }, home) {
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
    id: `session-${ids.hex(8)}`,
  }
  const main = { clock: start, isSidechain: false, count: 0 }
  run(session, main, events)
  const name = new Date(start).toISOString().slice(0, 19).replaceAll(':', '-')
  home.put(
    `projects/${projectSlug(cwd)}/${name}.jsonl`,
    session.lines.map(line => `${JSON.stringify(line)}\n`).join(''),
  )
  return { ...session, main }
}

function run(session, thread, events) {
  for (const event of events) {
    const handle = handlers[event.word]
    if (handle === undefined) throw new Error(`${session.head.name}: 003 has no "${event.word}"`)
    handle(session, thread, event)
  }
}

function line(session, thread, type, fields, event = { args: [] }) {
  const uuid = `msg-${session.ids.hex(10)}`
  thread.clock += session.ids.between(700, 6_000)
  const marks = { deleted: { isDeleted: true }, aborted: { isAborted: true } }
  session.lines.push({
    type,
    uuid,
    ...(thread.last === undefined ? {} : { parentUuid: thread.last }),
    ...(thread.logical === undefined ? {} : { logicalParentUuid: thread.logical }),
    timestamp: new Date(thread.clock).toISOString(),
    sessionId: session.id,
    ...fields,
    ...(thread.isSidechain ? { isSidechain: true } : {}),
    ...Object.assign({}, ...event.args.map(word => marks[word] ?? {})),
  })
  thread.last = uuid
  thread.logical = undefined
  if (event.label !== undefined) session.labels.set(event.label, uuid)
}

const handlers = {
  prompt(session, thread, event) {
    const userType = thread.isSidechain ? 'external' : 'human'
    line(session, thread, 'user', { message: event.text, userType }, event)
  },

  say: (session, thread, event) =>
    line(session, thread, 'assistant', { message: event.text, subtype: 'response' }, event),
  think: (session, thread, event) =>
    line(session, thread, 'assistant', { message: event.text, subtype: 'thinking' }, event),

  call(session, thread, event) {
    const fields = { subtype: 'tool_use', toolName: nameOf(event), toolArguments: inputOf(session, event) }
    line(session, thread, 'assistant', fields, event)
  },

  /** A call that somebody stopped: it never gets a result. */
  abort(session, _thread, event) {
    const call = session.lines.at(-1)
    call.isAborted = true
    call.message = event.text
  },

  result: (session, thread, event) => line(session, thread, 'system', { message: event.text }, event),
  fail: (session, thread, event) => line(session, thread, 'system', { message: `Error: ${event.text}` }, event),

  /** The main thread goes on from the sidechain's last line, as the specification draws it. */
  sidechain(session, thread, event) {
    const own = { ...thread, isSidechain: true }
    run(session, own, event.events)
    thread.last = own.last
    thread.clock = own.clock
  },

  back(session, thread, event) {
    thread.last = session.labels.get(event.args.at(-1))
  },

  wait(_session, thread, event) {
    thread.clock += Number(event.rest.replace('m', '')) * 60_000
  },

  compact(session, thread, event) {
    const before = thread.last
    const metadata = { preservedMessages: Number(event.args[0]), totalMessages: Number(event.args[1]) }
    line(session, thread, 'compact_system', { message: 'conversation_compacting' })
    line(session, thread, 'compact_system', { message: 'conversation_compacted', metadata })
    line(session, thread, 'compact_system', { message: 'conversation_restored' })
    // The next line names a parent that the compaction removed, and its logical parent.
    thread.last = `msg-${session.ids.hex(10)}`
    thread.logical = before
  },
}

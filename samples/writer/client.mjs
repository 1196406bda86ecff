// Writes a sketch as the real client would: the session's state, its threads, and the envelope of every record. What
// the single events become is in turns, calls, agents and extras.

import { agentEvents } from './agents.mjs'
import { callEvents } from './calls.mjs'
import { extraEvents } from './extras.mjs'
import { clientForm, optional, projectSlug } from './form.mjs'
import { seeded, sessionIdOf } from './ids.mjs'
import { noteMessages, turnEvents } from './turns.mjs'

const handlers = { ...turnEvents, ...callEvents, ...agentEvents, ...extraEvents }

export class ClientSession {
  constructor(sketch, home) {
    const { head, events } = sketch
    this.head = head
    this.events = events
    this.home = home
    this.version = head.dialect.split(' ')[1]
    this.form = clientForm(this.version)
    this.ids = seeded(head.name)
    this.id = sessionIdOf(head.session ?? head.name)
    const [cwd, branch = 'main'] = head.project.split(' ')
    this.cwd = cwd
    this.branch = branch
    this.folder = `projects/${projectSlug(cwd)}`
    this.model = head.model ?? 'claude-sonnet-4-5-20250929'
    this.entrypoint = 'cli'
    this.files = new Map()
    this.labels = new Map()
    this.calls = new Map()
    this.backups = new Map()
    this.todos = []
    this.tasks = []
    this.agentCount = 0
    this.main = this.newThread({ clock: Date.parse(`${head.start.replace(' ', 'T')}Z`), context: 14_200 })
  }

  newThread({ clock, context, agent, isSidechain = false, lines = [], parentAgent, last = null }) {
    const thread = { lines, last, clock, context, cached: 0, isSidechain, promptId: this.ids.uuid(), open: [] }
    if (agent !== undefined) thread.agent = agent
    if (parentAgent !== undefined) thread.parentAgent = parentAgent
    return thread
  }

  write() {
    this.run(this.main, this.events)
    handlers.end(this, this.main)
    this.home.put(`${this.folder}/${sessionIdOf(this.head.name)}.jsonl`, this.bytesOf(this.main.lines))
    this.putSideFiles()
    return this
  }

  run(thread, events) {
    noteMessages(this, events)
    for (const event of events) {
      const handle = handlers[event.word]
      if (handle === undefined) throw new Error(`${this.head.name}: no such word "${event.word}"`)
      handle(this, thread, event)
    }
  }

  /** Lets time pass on a thread, by seconds. */
  pass(thread, low, high = low) {
    thread.clock += this.ids.between(Math.round(low * 1000), Math.round(high * 1000))
  }

  time(thread) {
    return new Date(thread.clock).toISOString()
  }

  /** A line without a place in the chain. */
  side(thread, record) {
    thread.lines.push(record)
    return record
  }

  /**
   * A record of the uuid chain. `fields(stamp)` gives everything between the session's fields, in the order of the
   * wire; `stamp` holds uuid and timestamp.
   */
  chain(thread, fields, { parent = thread.last, logicalParent, label, advance = true, uuid = this.ids.uuid() } = {}) {
    const stamp = { uuid, timestamp: this.time(thread) }
    const start = {
      parentUuid: parent,
      ...optional('logicalParentUuid', logicalParent),
      isSidechain: thread.isSidechain,
    }
    const session = this.sessionFields(thread)
    const agent = optional('agentId', thread.agent)
    const record = this.form.sessionLast
      ? { ...start, ...agent, ...fields(stamp), ...session }
      : { ...start, ...withAgent(session, agent), ...fields(stamp) }
    thread.lines.push(record)
    if (advance) thread.last = uuid
    if (label !== undefined) this.labels.set(label, uuid)
    return record
  }

  sessionFields() {
    return {
      userType: 'external',
      ...(this.form.sessionLast ? { entrypoint: this.entrypoint } : {}),
      cwd: this.cwd,
      sessionId: this.id,
      version: this.version,
      ...(this.form.gitBranch ? { gitBranch: this.branch } : {}),
      ...(this.form.slug ? optional('slug', this.head.slug) : {}),
    }
  }

  /** A `user` record; `more` holds the fields after the stamp. */
  user(thread, content, { flags = {}, more = {}, ...options } = {}) {
    const prompt = this.form.since('2.1.74') ? { promptId: thread.promptId } : {}
    const fields = stamp => ({
      ...prompt,
      type: 'user',
      message: { role: 'user', content },
      ...flags,
      ...stamp,
      ...more,
    })
    return this.chain(thread, fields, options)
  }

  system(thread, subtype, body, options) {
    return this.chain(thread, stamp => ({ type: 'system', subtype, ...body, ...stamp }), options)
  }

  attach(thread, attachment, options) {
    return this.chain(thread, stamp => ({ attachment, type: 'attachment', ...stamp }), options)
  }

  /** The bytes of a file; a line marked `glued` shares its line with the one before it, one marked `torn` is cut. */
  bytesOf(lines) {
    let text = ''
    for (const line of lines) {
      const { glued, torn, ...record } = line
      const json = JSON.stringify(resolve(record))
      if (glued === true) text = text.replace(/\n$/, '')
      text += torn === true ? json.slice(0, Math.floor(json.length * 0.6)) : `${json}\n`
    }
    return text
  }

  putSideFiles() {
    const { home, id, form } = this
    if (this.todos.length > 0 && !form.since('2.1.98')) {
      const name = form.since('1.0.17') ? `${id}-agent-${id}` : id
      home.put(`todos/${name}.json`, `${JSON.stringify(this.todos, null, 2)}`)
    }
    for (const task of this.tasks) home.put(`tasks/${id}/${task.id}.json`, `${JSON.stringify(task, null, 2)}`)
    for (const [name, content] of this.backups) home.put(`file-history/${id}/${name}`, content)
    if (this.plan !== undefined) home.put(`plans/${this.head.slug}.md`, `${this.plan}\n`)
  }
}

/** Before 2.1.91 the agent's id stood between branch and slug. */
function withAgent({ slug, ...session }, agent) {
  return { ...session, ...agent, ...optional('slug', slug) }
}

/** Values that are known only at the end are written as functions. */
function resolve(record) {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key, typeof value === 'function' ? value() : value]),
  )
}

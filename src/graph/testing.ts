// Small sessions for tests of the graph: records as objects, decoded the way files are. Not part of the library.

import { decodeText, type EventOptions } from '../decode/events.ts'
import type { SessionEvent } from '../model/event.ts'
import { sessionId } from '../model/ids.ts'
import type { GraphFile, SessionGraph } from '../model/session.ts'
import type { SideFile } from '../model/source.ts'
import { buildGraph } from './graph.ts'

export type Wire = Record<string, unknown>

/** One record per minute from 10:00 on, in Claude Code's form: `user('u1', null, 'Hello')`. */
export class Sketch {
  readonly records: Wire[] = []
  readonly session: string
  private minute = 0

  constructor(session = 's') {
    this.session = session
  }

  /** A record of the chain; `fields` may overwrite anything. */
  chain(type: string, uuid: string, parentUuid: string | null, fields: Wire): this {
    const at = new Date(Date.UTC(2026, 0, 5, 10, this.minute++)).toISOString()
    const envelope = { type, uuid, parentUuid, sessionId: this.session, timestamp: at, isSidechain: false }
    this.records.push({ ...envelope, version: '2.1.100', cwd: '/home/dev/shop', ...fields })
    return this
  }

  side(record: Wire): this {
    this.records.push({ sessionId: this.session, ...record })
    return this
  }

  user(uuid: string, parent: string | null, content: unknown, fields: Wire = {}): this {
    return this.chain('user', uuid, parent, { message: { role: 'user', content }, ...fields })
  }

  answer(uuid: string, parent: string | null, text: string, fields: Wire = {}): this {
    return this.blocks(uuid, parent, [{ type: 'text', text }], `msg_${uuid}`, fields)
  }

  /** A request; calls of one message share `message`. */
  call(uuid: string, parent: string | null, id: string, name = 'Read', input: Wire = {}, fields: Wire = {}): this {
    const { message, ...rest } = fields
    const block = { type: 'tool_use', id, name, input }
    return this.blocks(uuid, parent, [block], typeof message === 'string' ? message : `msg_${uuid}`, rest)
  }

  blocks(uuid: string, parent: string | null, content: unknown[], message: string, fields: Wire = {}): this {
    const usage = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
    const api = { id: message, role: 'assistant', model: 'claude-opus-4-6', content, stop_reason: 'end_turn', usage }
    return this.chain('assistant', uuid, parent, { message: api, requestId: `req_${message}`, ...fields })
  }

  result(uuid: string, parent: string | null, id: string, content: unknown = 'ok', fields: Wire = {}): this {
    const { is_error, ...rest } = fields
    const block = { type: 'tool_result', tool_use_id: id, content, ...(is_error === undefined ? {} : { is_error }) }
    return this.user(uuid, parent, [block], rest)
  }

  system(uuid: string, parent: string | null, subtype: string, fields: Wire = {}): this {
    return this.chain('system', uuid, parent, { subtype, content: '', ...fields })
  }

  text(): string {
    return this.records.map(record => `${JSON.stringify(record)}\n`).join('')
  }

  file(options: Partial<GraphFile> = {}): GraphFile {
    return graphFile(this.text(), { session: this.session, path: `${this.session}.jsonl`, ...options })
  }

  graph(...more: GraphFile[]): SessionGraph {
    return buildGraph(sessionId(this.session), [this.file(), ...more], [], true)
  }

  graphWith(side: SideFile[]): SessionGraph {
    return buildGraph(sessionId(this.session), [this.file()], side, true)
  }
}

export function graphFile(text: string, options: Partial<GraphFile> & { session: string; path: string }): GraphFile {
  const { session, path, role = 'session', agent, meta } = options
  const decode: EventOptions & { file: string } = { session, role, file: path }
  if (agent !== undefined) decode.agent = agent
  const file: GraphFile = { path, role, events: decodeText(text, decode).events }
  if (agent !== undefined) file.agent = agent
  if (meta !== undefined) file.meta = meta
  return file
}

/** The graph of records as they are, such as a specification's own examples. */
export function graphOf(records: readonly Wire[], session = 's'): SessionGraph {
  const text = records.map(record => `${JSON.stringify(record)}\n`).join('')
  return buildGraph(sessionId(session), [graphFile(text, { session, path: `${session}.jsonl` })])
}

export function eventById(graph: SessionGraph, id: string): SessionEvent | undefined {
  return graph.events.find(event => event.id === id)
}

// Records of a session as records of another one: every id is a new one, wherever an envelope names it. What was said stays as
// it is, but for paths into the session's own folder.
//
//     {"uuid":"a…","parentUuid":"b…","sessionId":"old",…}   →   {"uuid":"1…","parentUuid":"2…","sessionId":"new",…}

import { isObject, type JsonObject, jsonText } from '../../base/json.ts'

/** Fields with what was said, which names no record. */
const said: ReadonlySet<string> = new Set(['message', 'toolUseResult', 'content', 'data', 'lastPrompt', 'summary'])

const sessionFields: ReadonlySet<string> = new Set(['sessionId', 'session_id'])

export interface CopyOptions {
  /** The session that records are copied from. */
  from: string
  to: string
  newId(): string
}

/** One for all files of a session: an agent's file may name records of the log. */
export class Copier {
  private readonly options: CopyOptions
  private readonly ids = new Map<string, string>()

  constructor(options: CopyOptions) {
    this.options = options
  }

  /** Gives a record's id its new one. All records are known before the first is copied: a parent may come later. */
  know(value: JsonObject): void {
    const { uuid } = value
    if (typeof uuid === 'string' && !this.ids.has(uuid)) this.ids.set(uuid, this.options.newId())
  }

  /** The new id of a record; undefined for one that is not copied. */
  idOf(uuid: string): string | undefined {
    return this.ids.get(uuid)
  }

  /** The record with new ids, and what it was copied from. */
  copy(value: JsonObject): JsonObject {
    const copied = this.renamed(value) as Record<string, unknown>
    const { uuid } = value
    if (typeof uuid !== 'string') return copied
    return { ...copied, forkedFrom: { sessionId: this.options.from, messageUuid: uuid } }
  }

  /** As a line, with paths into the folder of the session changed to the folder of the new one. */
  line(value: JsonObject): string {
    return this.pathsIn(jsonText(value))
  }

  pathsIn(text: string): string {
    const { from, to } = this.options
    return text
      .replaceAll(`/${from}/tool-results/`, `/${to}/tool-results/`)
      .replaceAll(`\\\\${from}\\\\tool-results\\\\`, `\\\\${to}\\\\tool-results\\\\`)
  }

  private renamed(value: unknown, field = ''): unknown {
    if (typeof value === 'string') return this.renamedText(value, field)
    if (Array.isArray(value)) return value.map(one => this.renamed(one, field))
    if (!isObject(value)) return value
    const copied: Record<string, unknown> = {}
    for (const [key, inner] of Object.entries(value)) copied[key] = said.has(key) ? inner : this.renamed(inner, key)
    return copied
  }

  private renamedText(text: string, field: string): string {
    if (sessionFields.has(field)) return this.options.to
    return this.ids.get(text) ?? text
  }
}

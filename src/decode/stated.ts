// What a record states next to its content, read when somebody asks: most of it is asked of few records.

import { asArray, asObject, asString, type JsonObject } from '../base/json.ts'
import { factFields } from '../model/record-facts.ts'
import type { CopiedFrom, ResultForms, Stated } from '../model/stated.ts'

export class RecordStated implements Stated {
  readonly #value: JsonObject

  constructor(value: JsonObject) {
    this.#value = value
  }

  get uuid(): string | undefined {
    return asString(this.#value['uuid']) || undefined
  }

  get parent(): string | null | undefined {
    const parent = this.#value['parentUuid']
    return parent === undefined ? undefined : (asString(parent) ?? null)
  }

  get session(): string | undefined {
    return asString(this.#value['sessionId'])
  }

  get foreignSession(): string | undefined {
    return asString(this.#value['session_id'])
  }

  get agent(): string | undefined {
    return asString(this.#value['agentId']) || undefined
  }

  get agentName(): string | undefined {
    return asString(this.#value['agentName'])
  }

  get team(): string | undefined {
    return asString(this.#value['teamName'])
  }

  get forkedFrom(): CopiedFrom | undefined {
    const fork = asObject(this.#value['forkedFrom'])
    const session = asString(fork?.['sessionId'])
    const uuid = asString(fork?.['messageUuid'])
    if (session === undefined) return undefined
    return uuid === undefined ? { session } : { session, uuid }
  }

  get parentSession(): string | undefined {
    return asString(this.#value['parentSessionId'])
  }

  get continuedIn(): string | undefined {
    return asString(this.#value['continuedInSessionId'])
  }

  get entrypoint(): string | undefined {
    return asString(this.#value['entrypoint'])
  }

  get promptSource(): string | undefined {
    return asString(this.#value['promptSource'])
  }

  get permissionMode(): string | undefined {
    return asString(this.#value['permissionMode'])
  }

  get denial(): string | undefined {
    return asString(this.#value['toolDenialKind'])
  }

  get results(): ResultForms | undefined {
    const contents = asArray(this.message['content'])
      .map(asObject)
      .flatMap(part => (part?.['type'] === 'tool_result' ? [part['content']] : []))
    const structured = this.#value['toolUseResult']
    return {
      texts: contents.filter(content => typeof content === 'string').length,
      blocks: contents.filter(content => Array.isArray(content)).length,
      structured: typeOf(structured),
    }
  }

  get outputSoFar(): string | undefined {
    const data = asObject(this.#value['data'])
    if (data?.['type'] !== 'bash_progress') return undefined
    return asString(data['fullOutput']) || asString(data['output']) || undefined
  }

  get isOpen(): boolean {
    return this.message['stop_reason'] === null
  }

  get request(): string | undefined {
    return this.#value['type'] === 'api-request' ? asString(this.#value['id']) : undefined
  }

  get answered(): string | undefined {
    return asString(this.#value['requestRef'])
  }

  get facts(): JsonObject {
    const facts: Record<string, unknown> = {}
    for (const field of factFields) if (this.#value[field] !== undefined) facts[field] = this.#value[field]
    return facts
  }

  private get message(): JsonObject {
    return asObject(this.#value['message']) ?? {}
  }
}

function typeOf(value: unknown): ResultForms['structured'] {
  if (value === undefined) return 'absent'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object'
}

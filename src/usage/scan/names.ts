// The fields that usage is read from, as bytes, by the objects that they stand in. How they are read is decided in
// `usage-line.ts`.

/** The objects of a record that are looked into. */
export const level = { record: 0, message: 1, usage: 2, cacheCreation: 3, serverToolUse: 4 } as const
export type Level = (typeof level)[keyof typeof level]

/** Counts stand together at the end. */
export const field = {
  type: 0,
  message: 1,
  uuid: 2,
  sessionId: 3,
  timestamp: 4,
  version: 5,
  isSidechain: 6,
  agentId: 7,
  requestId: 8,
  costUSD: 9,
  isApiErrorMessage: 10,
  forkedFrom: 11,
  parentUuid: 12,
  systemPayload: 13,
  id: 14,
  model: 15,
  stopReason: 16,
  usage: 17,
  parts: 18,
  cacheCreation: 19,
  serverToolUse: 20,
  speed: 21,
  geo: 22,
  input: 23,
  output: 24,
  cacheTotal: 25,
  cacheRead: 26,
  cache5m: 27,
  cache1h: 28,
  webSearches: 29,
} as const
export type Field = (typeof field)[keyof typeof field]

const names: Record<Level, Record<string, Field>> = {
  [level.record]: {
    type: field.type,
    message: field.message,
    uuid: field.uuid,
    sessionId: field.sessionId,
    timestamp: field.timestamp,
    version: field.version,
    isSidechain: field.isSidechain,
    agentId: field.agentId,
    requestId: field.requestId,
    costUSD: field.costUSD,
    isApiErrorMessage: field.isApiErrorMessage,
    forkedFrom: field.forkedFrom,
    parentUuid: field.parentUuid,
    systemPayload: field.systemPayload,
  },
  [level.message]: {
    id: field.id,
    model: field.model,
    stop_reason: field.stopReason,
    usage: field.usage,
    parts: field.parts,
  },
  [level.usage]: {
    input_tokens: field.input,
    output_tokens: field.output,
    cache_creation_input_tokens: field.cacheTotal,
    cache_read_input_tokens: field.cacheRead,
    cache_creation: field.cacheCreation,
    server_tool_use: field.serverToolUse,
    speed: field.speed,
    inference_geo: field.geo,
  },
  [level.cacheCreation]: { ephemeral_5m_input_tokens: field.cache5m, ephemeral_1h_input_tokens: field.cache1h },
  [level.serverToolUse]: { web_search_requests: field.webSearches },
}

/** The bytes of an ASCII text. */
export function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, character => character.charCodeAt(0))
}

/** Kinds of values, by how they begin. */
export const kind = { text: 1, nothing: 2, truth: 4, number: 8, object: 16, array: 32 } as const
const anyKind = 63
const textOrNothing = kind.text | kind.nothing

/** Values of other kinds are too unusual to be read from bytes; any kind is fine for fields that are not named. */
const usual: Partial<Record<Field, number>> = {
  [field.type]: kind.text,
  [field.uuid]: textOrNothing,
  [field.sessionId]: textOrNothing,
  [field.timestamp]: kind.text | kind.number,
  [field.version]: textOrNothing,
  [field.isSidechain]: kind.truth,
  [field.agentId]: textOrNothing,
  [field.requestId]: textOrNothing,
  [field.costUSD]: kind.number | kind.nothing,
  [field.isApiErrorMessage]: kind.truth,
  [field.systemPayload]: 0,
  [field.id]: textOrNothing,
  [field.model]: textOrNothing,
  [field.stopReason]: textOrNothing,
  [field.parts]: 0,
  [field.speed]: textOrNothing,
  [field.geo]: textOrNothing,
}

export interface Key {
  name: string
  at: Level
  field: Field
  /** Bits of `kind`. */
  usual: number
  /** Which object it opens, where it opens one that is looked into. */
  opens?: Level
}

const opened: Partial<Record<Field, Level>> = {
  [field.message]: level.message,
  [field.usage]: level.usage,
  [field.cacheCreation]: level.cacheCreation,
  [field.serverToolUse]: level.serverToolUse,
}

/** By the object that they stand in and the lengths of their names. */
export const keys: readonly Key[] = Object.values(level)
  .flatMap(at =>
    Object.entries(names[at]).map(([name, id]): Key => {
      const opens = opened[id]
      return { name, at, field: id, usual: usual[id] ?? anyKind, ...(opens !== undefined && { opens }) }
    }),
  )
  .sort((one, other) => one.at - other.at || one.name.length - other.name.length)

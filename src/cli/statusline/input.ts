// What Claude Code gives a status line on standard input: read at once, to its end or as soon as it is a whole object, and taken
// apart field by field. Whatever it is, nothing here fails.

import { fstatSync, readSync } from 'node:fs'
import { asNumber, asObject, asString, isObject, type JsonObject, parseJson } from '../../base/json.ts'

/** A share of a plan's limit, as Claude Code gives it. */
interface LimitUsed {
  percent: number
  /** Milliseconds since 1970. */
  resetsAt?: number
}

export interface StatusInput {
  session?: string
  /** The session's log. */
  transcript?: string
  /** The working directory. */
  folder?: string
  modelId?: string
  /** As Claude Code calls the model. */
  modelName?: string
  /** What Claude Code says that the session cost, in dollars. */
  costUsd?: number
  linesAdded?: number
  linesRemoved?: number
  /** What the last request sent, cached or not. */
  contextTokens?: number
  contextSize?: number
  contextPercent?: number
  fiveHours?: LimitUsed
  sevenDays?: LimitUsed
}

/**
 * `{"session_id":"…","transcript_path":"…","cwd":"…","model":{"id":"…","display_name":"…"},"workspace":{…},"cost":{…},
 * "context_window":{…},"rate_limits":{…}}`; null where the text is not a JSON object.
 */
export function readStatusInput(text: string): StatusInput | null {
  const value = parseJson(text.replace(/^\ufeff/, ''))
  if (!isObject(value)) return null
  const workspace = asObject(value['workspace'])
  const model = value['model']
  const cost = asObject(value['cost'])
  const limits = asObject(value['rate_limits'])
  const input: StatusInput = { ...contextOf(asObject(value['context_window'])) }
  set(input, 'session', textOf(value['session_id']))
  set(input, 'transcript', textOf(value['transcript_path']))
  set(input, 'folder', textOf(workspace?.['current_dir']) ?? textOf(value['cwd']))
  set(input, 'modelId', textOf(isObject(model) ? model['id'] : model))
  set(input, 'modelName', textOf(asObject(model)?.['display_name']))
  set(input, 'costUsd', amountOf(cost?.['total_cost_usd']))
  set(input, 'linesAdded', amountOf(cost?.['total_lines_added']))
  set(input, 'linesRemoved', amountOf(cost?.['total_lines_removed']))
  set(input, 'fiveHours', limitOf(limits?.['five_hour']))
  set(input, 'sevenDays', limitOf(limits?.['seven_day']))
  return input
}

function set<Key extends keyof StatusInput>(input: StatusInput, key: Key, value: StatusInput[Key] | undefined): void {
  if (value !== undefined) input[key] = value
}

/** Claude Code fills its window with what was sent; the answer counts when it is sent itself. */
function contextOf(window: JsonObject | undefined): StatusInput {
  const usage = asObject(window?.['current_usage'])
  const sent = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'].map(key =>
    amountOf(usage?.[key]),
  )
  const size = amountOf(window?.['context_window_size'])
  const percent = amountOf(window?.['used_percentage'])
  const context: StatusInput = {}
  if (sent.some(tokens => tokens !== undefined)) {
    context.contextTokens = sent.reduce<number>((sum, tokens) => sum + Math.trunc(tokens ?? 0), 0)
  }
  if (size !== undefined && size > 0) context.contextSize = size
  if (percent !== undefined) context.contextPercent = percent
  return context
}

/** `{"used_percentage":42,"resets_at":1781290000}`, in seconds. */
function limitOf(value: unknown): LimitUsed | undefined {
  const limit = asObject(value)
  const percent = amountOf(limit?.['used_percentage'])
  if (percent === undefined) return undefined
  const resets = amountOf(limit?.['resets_at'])
  return { percent, ...(resets !== undefined && { resetsAt: resets < 1e11 ? resets * 1000 : resets }) }
}

function textOf(value: unknown): string | undefined {
  const text = asString(value)?.trim()
  return text === '' ? undefined : text
}

function amountOf(value: unknown): number | undefined {
  const number = asNumber(value)
  return number === undefined || number < 0 ? undefined : number
}

/** Claude Code's status has a few kilobytes. */
const largest = 4 * 1024 * 1024

/** Null where nothing writes to it, such as at a terminal. */
export async function readStdin(): Promise<string | null> {
  const parts: Buffer[] = []
  try {
    if (fstatSync(0).isCharacterDevice()) return null
    if (readAtOnce(parts)) return Buffer.concat(parts).toString('utf8')
  } catch (error) {
    // A pipe that does not wait has nothing yet; some systems say the end as an error.
    const code = (error as { code?: unknown }).code
    if (code === 'EOF') return Buffer.concat(parts).toString('utf8')
    if (code !== 'EAGAIN') return null
  }
  for await (const part of process.stdin) {
    parts.push(part)
    if (isEnough(parts)) break
  }
  return Buffer.concat(parts).toString('utf8')
}

function readAtOnce(parts: Buffer[]): boolean {
  for (;;) {
    const part = Buffer.allocUnsafe(64 * 1024)
    const length = readSync(0, part, 0, part.length, null)
    if (length === 0) return true
    parts.push(part.subarray(0, length))
    if (isEnough(parts)) return true
  }
}

/** Some callers leave the pipe open: a whole object is the end too. */
function isEnough(parts: readonly Buffer[]): boolean {
  const size = parts.reduce((sum, part) => sum + part.length, 0)
  if (size > largest) return true
  const text = Buffer.concat(parts).toString('utf8').trimEnd()
  return text.endsWith('}') && parseJson(text) !== undefined
}

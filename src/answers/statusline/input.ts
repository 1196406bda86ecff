// What Claude Code gives a status line, taken apart field by field. Whatever it is, nothing here fails.

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

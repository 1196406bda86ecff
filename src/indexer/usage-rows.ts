// One statement about an API message from its row: which columns it takes, and what they mean.

import { asArray, parseJson } from '../base/json.ts'
import { requestKey } from '../decode/usage-key.ts'
import { nanosOf } from '../decode/usage-occurrence.ts'
import { eventFlags } from '../model/event.ts'
import { calledTool, type UsageOccurrence } from '../model/spent.ts'
import type { Cell } from './rows.ts'
import { eventsPerFile, spendFlags } from './schema.ts'
import type { ThinNames } from './thin-names.ts'
import { costText } from './thin-rows.ts'

const copy = 1 << eventFlags.indexOf('copy')

/** Of one occurrence, in the order in which `occurrenceOf` takes them. */
export const occurrenceColumns: readonly string[] = [
  'message.event',
  'message.key',
  'message.request',
  'message.echo',
  'coalesce(message.said, event.at)',
  'coalesce(message.thread, origin.thread)',
  'message.model',
  'message.input',
  'message.output',
  'message.cache_creation',
  'message.cache_1h',
  'message.cache_read',
  'message.searches',
  'message.marks',
  costText('message.cost'),
  'message.visible',
  'event.flags',
  'message.tools',
]

/** The calls of an occurrence, each as a name's id and the id of the call. */
export const calledColumn = `(SELECT json_group_array(name || ' ' || call) FROM call WHERE call.event = message.event)`

const noTools: readonly string[] = []

/** Names as they are kept together in one text. */
export function toolsIn(text: string | undefined): readonly string[] {
  return text === undefined ? noTools : asArray(parseJson(text)).map(String)
}

/** `called`: as `calledColumn` gives them. The file is told by its row id. */
export function occurrenceOf(cells: readonly Cell[], called: readonly string[], names: ThinNames): UsageOccurrence {
  const cell = (column: number): Cell => cells[column] ?? null
  const number = (column: number) => (cell(column) as number | null) ?? 0
  const marks = number(13)
  const request = cell(2) as string | null
  const cost = cell(14)
  return {
    key: number(1),
    request: request ? requestKey(request) : 0,
    echo: number(3),
    at: cell(4) as number | null,
    file: Math.floor(number(0) / eventsPerFile),
    // Events of a file have the order of their places in it.
    offset: number(0) % eventsPerFile,
    thread: names.name(number(5)) ?? '',
    model: names.name(cell(6) as number | null) ?? '',
    inputTokens: number(7),
    outputTokens: number(8),
    cacheCreationTokens: number(9),
    cacheCreation1hTokens: number(10),
    cacheReadTokens: number(11),
    webSearches: number(12),
    isFast: (marks & spendFlags.fast) !== 0,
    isUs: (marks & spendFlags.us) !== 0,
    isFinal: (marks & spendFlags.partial) === 0,
    isSynthetic: (marks & spendFlags.synthetic) !== 0,
    isError: (marks & spendFlags.error) !== 0,
    statedNanos: nanosOf(cost === null ? undefined : Number(cost)),
    visibleTokens: number(15),
    tools: (number(16) & copy) === 0 ? toolsOf(cell(17), called, names) : noTools,
  }
}

/** `told`: of a record without calls of its own. */
function toolsOf(told: Cell, called: readonly string[], names: ThinNames): readonly string[] {
  if (told !== null) return toolsIn(names.name(told as number))
  if (called.length === 0) return noTools
  return called.map(call => {
    const end = call.indexOf(' ')
    return calledTool(names.name(Number(call.slice(0, end))) ?? '', call.slice(end + 1))
  })
}

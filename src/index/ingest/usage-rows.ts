// One statement about an API message from its row: which columns it takes, and what they mean.

import { asArray, parseJson } from '../../base/json.ts'
import { eventFlags } from '../../model/event.ts'
import { calledTool, type UsageOccurrence } from '../../model/spent.ts'
import { requestKey } from '../../usage/key.ts'
import { nanosOf } from '../../usage/occurrence.ts'
import type { ThinNames } from '../refresh/thin-names.ts'
import { costText } from '../refresh/thin-rows.ts'
import { eventsPerFile, spendFlags } from '../store/schema.ts'
import type { Cell } from './rows.ts'

/** The flag of an event whose record is a copy: what it calls was called elsewhere. */
export const copy = 1 << eventFlags.indexOf('copy')

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

/** Calls as `calledColumn` gives them. */
export function calledIn(text: string, names: ThinNames): readonly string[] {
  if (text === '[]') return noTools
  return toolsIn(text).map(call => {
    const end = call.indexOf(' ')
    return calledTool(names.name(Number(call.slice(0, end))) ?? '', call.slice(end + 1))
  })
}

/** `called`: its calls as `calledTool` writes them. The file is told by its row id, a request by its id or by its key. */
export function occurrenceOf(cells: readonly Cell[], called: readonly string[], names: ThinNames): UsageOccurrence {
  const event = numberIn(cells, 0)
  const marks = numberIn(cells, 13)
  const file = Math.floor(event / eventsPerFile)
  const cost = cells[14] ?? null
  return {
    key: numberIn(cells, 1),
    request: requestIn(cells[2] ?? null),
    echo: numberIn(cells, 3),
    at: (cells[4] ?? null) as number | null,
    file,
    // Events of a file have the order of their places in it.
    offset: event - file * eventsPerFile,
    thread: names.name(numberIn(cells, 5)) ?? '',
    model: names.name(cells[6] as number | null) ?? '',
    inputTokens: numberIn(cells, 7),
    outputTokens: numberIn(cells, 8),
    cacheCreationTokens: numberIn(cells, 9),
    cacheCreation1hTokens: numberIn(cells, 10),
    cacheReadTokens: numberIn(cells, 11),
    webSearches: numberIn(cells, 12),
    isFast: (marks & spendFlags.fast) !== 0,
    isUs: (marks & spendFlags.us) !== 0,
    isFinal: (marks & spendFlags.partial) === 0,
    isSynthetic: (marks & spendFlags.synthetic) !== 0,
    isError: (marks & spendFlags.error) !== 0,
    statedNanos: nanosOf(cost === null ? undefined : Number(cost)),
    visibleTokens: numberIn(cells, 15),
    tools: (numberIn(cells, 16) & copy) === 0 ? toolsOf(cells[17] ?? null, called, names) : noTools,
  }
}

function numberIn(cells: readonly Cell[], column: number): number {
  return (cells[column] as number | null | undefined) ?? 0
}

function requestIn(cell: Cell): number {
  if (typeof cell === 'string') return cell === '' ? 0 : requestKey(cell)
  return cell ?? 0
}

/** `told`: of a record without calls of its own. */
function toolsOf(told: Cell, called: readonly string[], names: ThinNames): readonly string[] {
  return told === null ? called : toolsIn(names.name(told as number))
}

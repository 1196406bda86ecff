// An independent count of what API messages used: all statements in memory, grouped, sorted and added up message by message.
// It is slow and plain on purpose; the tool has to give the same numbers.

import { type CostMode, costOf, hasPrice, plainModel } from './judge-prices.ts'
import { readHome, type Statement } from './judge-read.ts'
import { blocksOf, dayOf, weekOf } from './judge-time.ts'

/** One API message, counted once. */
export type Message = Omit<Statement, 'id' | 'request' | 'record' | 'echo' | 'calls'> & { tools: string[] }

export interface Row {
  inputTokens: number
  outputTokens: number
  cacheCreationTokens: number
  cacheReadTokens: number
  totalTokens: number
  totalCost: number
}

export interface Count {
  messages: Message[]
  /** Errors, and what Claude Code wrote in the model's name. */
  apart: Message[]
  bounds: { messages: number; partial: number; synthetic: number; errors: number; unknownModels: string[] }
}

export function judge(...roots: string[]): Count {
  return judgeStatements(roots.flatMap(root => readHome(root)))
}

export function judgeStatements(statements: readonly Statement[]): Count {
  return countOf(groupsOf(statements).map(joined))
}

/** The count of those messages alone. */
export function limited({ messages, apart }: Count, isWanted: (message: Message) => boolean): Count {
  return countOf([...messages, ...apart].filter(isWanted))
}

function countOf(all: readonly Message[]): Count {
  const messages = all.filter(message => !message.isSynthetic && !message.isError)
  const apart = all.filter(message => message.isSynthetic || message.isError)
  // What states its own cost needs no price.
  const priced = messages.filter(message => message.stated === null).map(nameOf)
  return {
    messages,
    apart,
    bounds: {
      messages: messages.length,
      partial: messages.filter(message => !message.isFinal).length,
      synthetic: apart.filter(message => message.isSynthetic).length,
      errors: apart.filter(message => message.isError).length,
      unknownModels: [...new Set(priced.filter(model => !hasPrice(model)))].sort(),
    },
  }
}

function nameOf({ model }: Message): string {
  return plainModel(model) || '(no model)'
}

/** Statements of the same message together. */
function groupsOf(statements: readonly Statement[]): Statement[][] {
  const byId = grouped(statements, one => {
    const isOwn = one.id === null || one.isSynthetic || one.isError
    return isOwn ? `record ${one.record}` : `message ${one.id}`
  })
  return [...byId.values()].flatMap(byRequest)
}

function byRequest(sameId: Statement[]): Statement[][] {
  const first = sameId[0] as Statement
  if (first.id === null || first.isSynthetic || first.isError) return [sameId]
  const loose = sameId.filter(one => one.request === null)
  const groups = [
    ...grouped(
      sameId.filter(one => one.request !== null),
      one => one.request ?? '',
    ).values(),
  ]
  for (const group of groups) group.sort(nearest)
  groups.sort((one, other) => nearest(one[0] as Statement, other[0] as Statement))
  if (groups.length === 0) return [loose]
  groups[0]?.push(...loose)
  return groups
}

export function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return groups
}

/** The original first. */
function nearest(one: Statement, other: Statement): number {
  if (one.echo !== other.echo) return one.echo - other.echo
  if (one.at !== other.at) return (one.at ?? Number.POSITIVE_INFINITY) - (other.at ?? Number.POSITIVE_INFINITY)
  const spans = one.span.map((at, n) => at - (other.span[n] ?? 0))
  if (one.session !== other.session && spans.some(one => one !== 0)) return spans.find(one => one !== 0) ?? 0
  if (one.path !== other.path) return one.path < other.path ? -1 : 1
  return one.offset - other.offset
}

function joined(group: Statement[]): Message {
  const original = [...group].sort(nearest)[0] as Statement
  const largest = (field: 'input' | 'output' | 'written' | 'writtenLong' | 'read' | 'searches') =>
    Math.max(...group.map(one => one[field]))
  const written = largest('written')
  const costs = group.map(one => one.stated).filter(stated => stated !== null)
  const { id: _id, request: _request, record: _record, echo: _echo, calls: _calls, ...place } = original
  return {
    ...place,
    input: largest('input'),
    output: largest('output'),
    written,
    writtenLong: Math.min(largest('writtenLong'), written),
    read: largest('read'),
    searches: largest('searches'),
    isFinal: group.some(one => one.isFinal),
    isFast: group.some(one => one.isFast),
    isUs: group.some(one => one.isUs),
    stated: costs.length > 0 ? Math.max(...costs) : null,
    tools: [...new Map(group.flatMap(one => one.calls)).values()].sort(),
  }
}

export type Form = 'daily' | 'weekly' | 'monthly' | 'session' | 'project' | 'model' | 'blocks' | 'tool'

/** Sums by what the form asks for; messages without a time are under `unknown` where the form asks for one. */
export function rowsOf(messages: readonly Message[], form: Form, zone: string): Map<string, Row> {
  if (form === 'tool') return toolRows(messages)
  const blocks = blocksOf(messages.map(message => message.at).filter(at => at !== null))
  const day = ({ at }: Message) => (at === null ? 'unknown' : dayOf(at, zone))
  const keys: Record<Exclude<Form, 'tool'>, (message: Message) => string> = {
    daily: day,
    weekly: message => (message.at === null ? 'unknown' : weekOf(day(message))),
    monthly: message => day(message).replace(/-..$/, ''),
    session: message => message.session,
    project: message => message.slug,
    model: nameOf,
    blocks: ({ at }) => (at === null ? 'unknown' : new Date(blocks.get(at) as number).toISOString()),
  }
  const groups = grouped(messages, keys[form])
  return new Map([...groups].map(([key, group]) => [key, sumOf(group)]))
}

export function sumOf(messages: readonly Message[], mode: CostMode = 'auto'): Row {
  return messages.map(message => rowOf(message, mode)).reduce(added, noRow)
}

function rowOf(message: Message, mode: CostMode = 'auto'): Row {
  const { input, output, written, read } = message
  return {
    inputTokens: input,
    outputTokens: output,
    cacheCreationTokens: written,
    cacheReadTokens: read,
    totalTokens: input + output + written + read,
    totalCost: costOf(message, mode),
  }
}

const noRow: Row = {
  inputTokens: 0,
  outputTokens: 0,
  cacheCreationTokens: 0,
  cacheReadTokens: 0,
  totalTokens: 0,
  totalCost: 0,
}

const rowFields = Object.keys(noRow) as (keyof Row)[]

function added(one: Row, other: Row): Row {
  return Object.fromEntries(rowFields.map(field => [field, one[field] + other[field]])) as unknown as Row
}

/** A message in equal parts for the calls that it makes; of whole tokens that are left the first names get one each. */
function toolRows(messages: readonly Message[]): Map<string, Row> {
  const rows = new Map<string, Row>()
  for (const message of messages) {
    const names = message.tools.length > 0 ? message.tools : ['(no tool)']
    const row = rowOf(message)
    for (const [place, name] of names.entries()) {
      const share = (tokens: number) => Math.floor(tokens / names.length) + (place < tokens % names.length ? 1 : 0)
      const part = {
        inputTokens: share(row.inputTokens),
        outputTokens: share(row.outputTokens),
        cacheCreationTokens: share(row.cacheCreationTokens),
        cacheReadTokens: share(row.cacheReadTokens),
      }
      const totalTokens = Object.values(part).reduce((sum, tokens) => sum + tokens)
      rows.set(name, added(rows.get(name) ?? noRow, { ...part, totalTokens, totalCost: row.totalCost / names.length }))
    }
  }
  return rows
}

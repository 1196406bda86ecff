// Our costs next to what Claude Code itself wrote down: the cost of single messages, and running totals of its processes. It
// says how far they are apart and which causes explain that, not who is right. What a log shows of causes is read in
// `evidence.ts`.

import { asNumber, asObject, type JsonObject } from '../base/json.ts'
import type { StateDetail } from '../model/detail.ts'
import { believableCount, type MessageUsage, mostInProcess, type UsageCell } from '../model/usage.ts'
import type { Reconciliation } from '../schema/contract-shapes.ts'
import { emptyCell, rollUp } from './cell.ts'
import { type CostEvidence, type UnloggedCall, unloggedCalls } from './evidence.ts'
import { CostSum, costOf, modelName } from './prices.ts'
import { chooser, compareTexts, type Pricing, type Selection } from './report.ts'
import { nanosOf } from './statement.ts'

/** Tokens that are counted by model; a difference may have fewer than none. */
interface Amounts {
  usd: number
  inputTokens: number
  outputTokens: number
  cacheCreationTokens: number
  cacheReadTokens: number
  webSearches: number
}

/** By `modelName`. */
type ModelAmounts = Map<string, Amounts>

/** One `cost-state` record: what a process of Claude Code had cost by then. */
export interface ClientTotal {
  session: string
  /** When the process began, as the record states it; a later record of the same process replaces earlier ones. */
  startTime: number | null
  usd: number
  /** What each model used, as Claude Code names it. */
  models: readonly (readonly [model: string, used: Amounts])[]
}

export interface ReconcileOptions extends Selection, Omit<Pricing, 'mode'> {}

type Totals = NonNullable<Reconciliation['rows'][number]['totals']>
type Cause = NonNullable<Totals['causes']>[number]

interface SessionSums {
  all: CostSum
  ofStated: CostSum
  stated: CostSum
  messages: number
}

const noAnswer = {
  at: null,
  model: '',
  isFast: false,
  isUs: false,
  isSynthetic: false,
  isError: false,
  statedNanos: null,
}

/** Less than the cheapest token: what adding up leaves behind. */
const nothing = 1e-9

/** Null where the record states no total. */
export function clientTotal(session: string, detail: StateDetail | undefined): ClientTotal | null {
  const usd = detail?.totalCostUSD
  if (usd === undefined || nanosOf(usd) === null) return null
  const models = Object.entries(detail?.modelUsage ?? {}).map(
    ([model, used]) => [model, statedAmounts(asObject(used) ?? {})] as const,
  )
  return { session, startTime: detail?.startTime ?? null, usd, models }
}

function statedAmounts(used: JsonObject): Amounts {
  const count = (field: string) => believableCount(used[field], mostInProcess) ?? 0
  const usd = asNumber(used['costUSD'])
  return {
    usd: usd === undefined || nanosOf(usd) === null ? 0 : usd,
    inputTokens: count('inputTokens'),
    outputTokens: count('outputTokens'),
    cacheCreationTokens: count('cacheCreationInputTokens'),
    cacheReadTokens: count('cacheReadInputTokens'),
    webSearches: count('webSearchRequests'),
  }
}

/** `clientTotals`: in the order of the log. A total is about whole sessions: spans of time do not part it. */
export function reconcile(
  cells: Iterable<UsageCell>,
  clientTotals: Iterable<ClientTotal>,
  options: ReconcileOptions,
): Reconciliation {
  const clients = lastTotals(clientTotals)
  const sums = sumsBySession(cells, clients.keys(), options)
  const result: Reconciliation = { rows: [] }
  for (const [session, sum] of [...sums].sort(([a], [b]) => compareTexts(a, b))) {
    const row: Reconciliation['rows'][number] = { session, calculated: sum.all.usd() }
    if (sum.messages > 0) {
      row.stated = { ...compared(sum.ofStated.usd(), sum.stated.usd()), messages: sum.messages }
    }
    const processes = clients.get(session)
    if (processes !== undefined) {
      const usd = processes.reduce((all, total) => all + total.usd, 0)
      row.totals = { ...compared(row.calculated, usd), processes: processes.length }
    }
    if (row.stated !== undefined || row.totals !== undefined) result.rows.push(row)
  }
  addSums(result)
  return result
}

export function isEqual({ difference }: Pick<Totals, 'difference'>): boolean {
  return Math.abs(difference) < nothing
}

export interface ExplainOptions {
  /** All that is counted for this session. */
  cells: readonly UsageCell[]
  /** Of this session, in the order of the log. */
  clientTotals: readonly ClientTotal[]
  /** Null where its log cannot be read. */
  evidence: CostEvidence | null
  pricing: ReconcileOptions
}

/** Adds to the totals of one session what explains their difference, and how much of it nothing explains. */
export function explain(totals: Totals, { cells, clientTotals, evidence, pricing }: ExplainOptions): void {
  const ours = amountsOf(cells, pricing)
  const processes = [...lastTotals(clientTotals).values()].flat()
  const lastAt = cells.reduce((last, cell) => Math.max(last, cell.lastAt ?? 0), 0)
  const priceOf = (model: string, used: Amounts) => {
    const cell = { ...emptyCell({ ...noAnswer, at: lastAt, model, session: '', thread: '' }), ...used }
    return costOf(pricing.prices, cell, { ...pricing, mode: 'calculate' }).usd
  }
  const difference = new Difference(totals.difference, minus(ours, clientAmounts(processes, pricing)), priceOf)
  difference.addUsd('not-chosen', totals.ours - usdOf(ours))
  if (evidence !== null) {
    const messagesWhere = (isMeant: (message: MessageUsage) => boolean) =>
      amountsOf(cellsOf(evidence.messages.filter(isMeant), pricing), pricing)
    const inLog = messagesWhere(() => true)
    const beyondOurs = minus(inLog, ours)
    // We may also count what earlier contents of the files had.
    const shared = [...beyondOurs.values()].every(isPositive) ? beyondOurs : new Map()
    const { interrupted, totalAt } = evidence
    const isLate = ({ at }: MessageUsage) => at !== null && totalAt !== null && at > totalAt
    difference.take('after-total', messagesWhere(isLate))
    difference.take(
      'interrupted-answer',
      messagesWhere(message => interrupted.has(message.key) && !isLate(message)),
    )
    const start = Math.min(...processes.map(({ startTime }) => startTime ?? Number.NEGATIVE_INFINITY))
    // History of a fork is older too; a total that went on at the fork began before it.
    difference.take(
      'before-total',
      minus(
        messagesWhere(({ at }) => at !== null && at < start),
        shared,
      ),
    )
    difference.takeShared(shared)
    difference.takePrices()
    difference.takeCalls(evidence, new Set([...ours.keys(), ...inLog.keys()]))
  }
  totals.causes = difference.causes
  totals.unexplained = difference.left()
}

/** Counts of the sessions that have a total, by how far their difference is explained. */
export function explainedCounts(rows: Reconciliation['rows']): NonNullable<Reconciliation['sessions']> {
  const counts = { equal: 0, explained: 0, partly: 0, unexplained: 0 }
  for (const { totals } of rows) {
    if (totals === undefined) continue
    if (isEqual(totals)) counts.equal++
    else if (Math.abs(totals.unexplained ?? totals.difference) < nothing) counts.explained++
    else if ((totals.causes ?? []).length > 0) counts.partly++
    else counts.unexplained++
  }
  return counts
}

/** Claude Code sends a compaction twice where the first answer cannot be used. */
const attempts: Partial<Record<UnloggedCall, number>> = { compaction: 2 }
/** What a call adds to the largest prompt that is known: instructions, and what came after it. */
const promptMargin = 1.25
/** Tokens: a title is made from the beginning of a session. */
const largestTitlePrompt = 10_000
/** A long prompt, or a cache write for an hour, costs up to twice the usual price. */
const largestPriceFactor = 2
/** Calls that Claude Code makes with a small model where it has one. */
const sideCalls: ReadonlySet<UnloggedCall> = new Set(['title', 'web-search', 'web-fetch'])

/** A difference of one session, from which causes take their parts. All amounts are ours less those of Claude Code. */
class Difference {
  readonly causes: Cause[] = []
  private readonly usd: number
  /** By model, without what was taken. */
  private readonly rest: ModelAmounts
  /** USD, by the price table. */
  private readonly priceOf: (model: string, used: Amounts) => number

  constructor(usd: number, byModel: ModelAmounts, priceOf: Difference['priceOf']) {
    this.usd = usd
    this.rest = byModel
    this.priceOf = priceOf
  }

  left(): number {
    const left = this.causes.reduce((usd, cause) => usd - cause.usd, this.usd)
    return Math.abs(left) < nothing ? 0 : left
  }

  addUsd(cause: Cause['cause'], usd: number, more: Partial<Cause> = {}): void {
    if (Math.abs(usd) >= nothing) this.causes.push({ cause, usd, ...more })
  }

  /** What we count and Claude Code does not. */
  take(cause: Cause['cause'], part: ModelAmounts): void {
    if (![...part.values()].every(isPositive)) return
    this.subtract(part, 1)
    this.addUsd(cause, usdOf(part))
  }

  /** History that is counted in another session: a total that went on at a fork contains it, one that began again does not. */
  takeShared(part: ModelAmounts): void {
    const isInTotal = [...part].every(([model, used]) => {
      const rest = this.rest.get(model)
      return rest !== undefined && tokenFields.every(field => -rest[field] >= used[field])
    })
    if (!isInTotal) return
    this.subtract(part, -1)
    this.addUsd('shared-history', -usdOf(part))
  }

  /** The same tokens at other prices. */
  takePrices(): void {
    for (const [model, rest] of this.rest) {
      if (tokenFields.some(field => rest[field] !== 0)) continue
      this.addUsd('price', rest.usd, { model })
      this.rest.delete(model)
    }
  }

  /**
   * What Claude Code counts beyond the answers in the log, as far as the log gives a reason for calls. `logged`: the models of
   * those answers.
   */
  takeCalls({ calls, largestPrompt }: CostEvidence, logged: ReadonlySet<string>): void {
    const open = [...this.rest].filter(([, rest]) => tokenFields.every(field => rest[field] <= 0))
    const hasSideModel = open.some(([model]) => !logged.has(model))
    for (const [model, rest] of open) {
      const isSideModel = !logged.has(model)
      const isMeant = (call: UnloggedCall) =>
        isSideModel ? sideCalls.has(call) : !(hasSideModel && sideCalls.has(call))
      const known = unloggedCalls.flatMap(kind => {
        const count = calls.get(kind)
        return count !== undefined && isMeant(kind) ? [{ kind, count }] : []
      })
      if (isSideModel) {
        this.addUsd('calls-not-in-log', rest.usd, { model, ...(known.length > 0 && { calls: known }) })
      } else {
        this.takeKnown(model, rest, known, largestPrompt)
      }
    }
  }

  /** A request without an answer may have failed at no cost, so it is a reason only where the others do not suffice. */
  private takeKnown(model: string, rest: Amounts, known: NonNullable<Cause['calls']>, largestPrompt: number): void {
    const needed = -(rest.inputTokens + rest.cacheCreationTokens + rest.cacheReadTokens)
    const most = (calls: typeof known) => calls.reduce((sum, call) => sum + mostPrompts(call, largestPrompt), 0)
    const certain = known.filter(({ kind }) => kind !== 'lost-answer')
    const calls = certain.length > 0 && most(certain) >= needed ? certain : known
    if (calls.length === 0) return
    const share = needed > 0 ? Math.min(1, most(calls) / needed) : 1
    const beyond = noAmounts()
    for (const field of tokenFields) beyond[field] = -rest[field]
    const priced = this.priceOf(model, beyond) * largestPriceFactor
    const usd = priced > 0 ? Math.max(rest.usd, -priced) : rest.usd
    this.addUsd('calls-not-in-log', usd * share, { model, calls })
  }

  private subtract(part: ModelAmounts, sign: 1 | -1): void {
    for (const [model, used] of part) {
      const rest = this.rest.get(model) ?? noAmounts()
      for (const field of amountFields) rest[field] -= sign * used[field]
      this.rest.set(model, rest)
    }
  }
}

/** Tokens of all prompts that such calls can have had. */
function mostPrompts({ kind, count }: NonNullable<Cause['calls']>[number], largestPrompt: number): number {
  const most = largestPrompt * promptMargin
  return count * (attempts[kind] ?? 1) * (kind === 'title' ? Math.min(most, largestTitlePrompt) : most)
}

const tokenFields = ['inputTokens', 'outputTokens', 'cacheCreationTokens', 'cacheReadTokens', 'webSearches'] as const
const amountFields = ['usd', ...tokenFields] as const

function isPositive(amounts: Amounts): boolean {
  return tokenFields.every(field => amounts[field] >= 0)
}

function noAmounts(): Amounts {
  return { usd: 0, inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0, webSearches: 0 }
}

function cellsOf(messages: readonly MessageUsage[], { prices }: ReconcileOptions): UsageCell[] {
  return rollUp(messages, { promptSteps: prices.promptSteps, withTools: false })
}

function amountsOf(cells: readonly UsageCell[], options: ReconcileOptions): ModelAmounts {
  const sums = new Map<string, { cost: CostSum; amounts: Amounts }>()
  for (const cell of cells) {
    if (cell.isSynthetic || cell.isError) continue
    const model = modelName(cell.model, options.prices)
    let sum = sums.get(model)
    if (sum === undefined) {
      sum = { cost: new CostSum(options.prices, { ...options, mode: 'calculate' }), amounts: noAmounts() }
      sums.set(model, sum)
    }
    sum.cost.add(cell)
    for (const field of tokenFields) sum.amounts[field] += cell[field]
  }
  return new Map([...sums].map(([model, { cost, amounts }]) => [model, { ...amounts, usd: cost.usd() }]))
}

function clientAmounts(processes: readonly ClientTotal[], { prices }: ReconcileOptions): ModelAmounts {
  const sums: ModelAmounts = new Map()
  for (const [id, used] of processes.flatMap(({ models }) => models)) {
    const model = modelName(id, prices)
    const sum = sums.get(model) ?? noAmounts()
    for (const field of amountFields) sum[field] += used[field]
    sums.set(model, sum)
  }
  return sums
}

/** Models of which nothing is left are left out. */
function minus(all: ModelAmounts, part: ModelAmounts): ModelAmounts {
  const left: ModelAmounts = new Map()
  for (const model of new Set([...all.keys(), ...part.keys()])) {
    const amounts = { ...(all.get(model) ?? noAmounts()) }
    for (const field of amountFields) amounts[field] -= part.get(model)?.[field] ?? 0
    if (tokenFields.some(field => amounts[field] !== 0) || Math.abs(amounts.usd) >= nothing) left.set(model, amounts)
  }
  return left
}

function usdOf(amounts: ModelAmounts): number {
  let usd = 0
  for (const each of amounts.values()) usd += each.usd
  return usd
}

/** `others`: sessions that may have no cells. */
function sumsBySession(
  cells: Iterable<UsageCell>,
  others: Iterable<string>,
  options: ReconcileOptions,
): Map<string, SessionSums> {
  const { prices } = options
  const isChosen = chooser(options)
  const sums = new Map<string, SessionSums>()
  const newSum = (mode: 'calculate' | 'display'): CostSum => new CostSum(prices, { ...options, mode })
  const sumOf = (session: string): SessionSums => {
    let sum = sums.get(session)
    if (sum === undefined) {
      sum = { all: newSum('calculate'), ofStated: newSum('calculate'), stated: newSum('display'), messages: 0 }
      sums.set(session, sum)
    }
    return sum
  }
  for (const cell of cells) {
    if (!isChosen(cell)) continue
    const sum = sumOf(cell.session)
    sum.all.add(cell)
    if (!cell.hasStated || cell.isSynthetic || cell.isError) continue
    sum.ofStated.add(cell)
    sum.stated.add(cell)
    sum.messages += cell.messages
  }
  // Without an answer there is no time and no model to choose by.
  for (const session of others) {
    if (isChosen(emptyCell({ ...noAnswer, session, thread: session }))) sumOf(session)
  }
  return sums
}

/** By session, the last total of each process; those without a start are one process. */
function lastTotals(totals: Iterable<ClientTotal>): Map<string, ClientTotal[]> {
  const last = new Map<string, Map<number | null, ClientTotal>>()
  for (const total of totals) {
    const ofSession = last.get(total.session) ?? new Map<number | null, ClientTotal>()
    ofSession.set(total.startTime, total)
    last.set(total.session, ofSession)
  }
  return new Map([...last].map(([session, processes]) => [session, [...processes.values()]]))
}

/** In USD. */
function compared(ours: number, client: number) {
  return { ours, client, difference: ours - client }
}

function addSums(result: Reconciliation): void {
  const stated = { ours: 0, client: 0, messages: 0 }
  const totals = { ours: 0, client: 0, processes: 0 }
  for (const row of result.rows) {
    stated.ours += row.stated?.ours ?? 0
    stated.client += row.stated?.client ?? 0
    stated.messages += row.stated?.messages ?? 0
    totals.ours += row.totals?.ours ?? 0
    totals.client += row.totals?.client ?? 0
    totals.processes += row.totals?.processes ?? 0
  }
  if (stated.messages > 0) result.stated = { ...compared(stated.ours, stated.client), messages: stated.messages }
  if (totals.processes > 0) result.totals = { ...compared(totals.ours, totals.client), processes: totals.processes }
}

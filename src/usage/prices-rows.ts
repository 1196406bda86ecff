// The table of prices as the engine uses it: which model an id means, and which of its rows holds at a time, speed and
// prompt size. Reading a table from JSON and multiplying are not here.

/** What one million tokens of each kind cost in USD, under the conditions that the row names. */
export interface PriceRow {
  /** First day, `YYYY-MM-DD` in UTC; null: since ever. */
  from: string | null
  /** First day after it, `YYYY-MM-DD` in UTC; null: still. */
  to: string | null
  /** The same as milliseconds since 1970, infinite where open. */
  fromMs: number
  toMs: number
  speed: 'standard' | 'fast'
  /** Holds for prompts larger than this, for the whole request, its output too. */
  abovePromptTokens: number
  input: number
  output: number
  cacheWrite5m: number
  cacheWrite1h: number
  cacheRead: number
}

export interface PricedModel {
  id: string
  aliases: readonly string[]
  /** In tokens; null where the table does not say. */
  contextWindow: number | null
  rows: readonly PriceRow[]
}

export interface PriceTable {
  /** The day on which the prices were gathered, `YYYY-MM-DD`. */
  date: string
  /** By id. */
  models: ReadonlyMap<string, PricedModel>
  /** By id and alias; an id beats an alias. */
  names: ReadonlyMap<string, PricedModel>
  /** USD. */
  webSearchPerRequest: number
  /** On the tokens of requests that had to be answered in the USA. */
  usInferenceFactor: number
  /** Prompt sizes, ascending, above which some row holds; cells have to be parted at these or finer. */
  promptSteps: readonly number[]
}

/** A table of these models, with what follows from them. */
export function makeTable(
  facts: Pick<PriceTable, 'date' | 'webSearchPerRequest' | 'usInferenceFactor'>,
  models: readonly PricedModel[],
): PriceTable {
  const byId = new Map(models.map(model => [model.id, model]))
  const names = new Map<string, PricedModel>()
  for (const model of models) for (const alias of model.aliases) names.set(alias, model)
  for (const [id, model] of byId) names.set(id, model)
  const steps = new Set(models.flatMap(model => model.rows.map(row => row.abovePromptTokens)))
  steps.delete(0)
  return { ...facts, models: byId, names, promptSteps: [...steps].sort((a, b) => a - b) }
}

const providerPrefix = /^(?:[a-z]{2,}(?:-[a-z]+)*\.)?anthropic\./
const suffixes: readonly RegExp[] = [/\[1m\]$/, /-v[12]:0$/, /@\d{4}-?\d\d-?\d\d$/, /-\d{8}$/]

/**
 * An id without what providers and the client add to it: `us.anthropic.claude-opus-4-1-20250805-v1:0[1m]` →
 * `claude-opus-4-1`. Each addition once, the suffixes in any order; letter case is kept.
 */
export function bareModelId(id: string): string {
  const bare = shorterForms(id).at(-1)?.replace(providerPrefix, '')
  return bare === undefined || bare === '' ? id : bare
}

/** The id, then what is left as one suffix after the other is taken off. */
function shorterForms(id: string): string[] {
  const forms = [id]
  const left = new Set(suffixes)
  let form = id
  for (;;) {
    const suffix = findSuffix(form, left)
    if (suffix === undefined) return forms
    left.delete(suffix)
    form = form.replace(suffix, '')
    forms.push(form)
  }
}

function findSuffix(text: string, candidates: ReadonlySet<RegExp>): RegExp | undefined {
  for (const pattern of candidates) if (pattern.test(text)) return pattern
  return undefined
}

/**
 * The model that an id means; undefined where the table does not know it. The longest form of the id that the table names
 * wins, so that a user can price a dated or a provider's id apart.
 */
export function modelOf(table: PriceTable, id: string): PricedModel | undefined {
  const named = table.names.get(id)
  if (named !== undefined) return named
  let met = metIds.get(table)
  if (met === undefined) {
    met = new Map()
    metIds.set(table, met)
  }
  let model = met.get(id)
  if (model === undefined) {
    model = findModel(table, id)
    met.set(id, model)
  }
  return model ?? undefined
}

/** What ids that a table does not name were found to mean: reports ask for the same few of them very often. */
const metIds = new WeakMap<PriceTable, Map<string, PricedModel | null>>()

function findModel(table: PriceTable, id: string): PricedModel | null {
  for (const form of shorterForms(id)) {
    const model = table.names.get(form) ?? table.names.get(form.replace(providerPrefix, ''))
    if (model !== undefined) return model
  }
  return null
}

/**
 * The row that prices a request; null where the model is unknown or no row of it holds.
 * `atMs`: milliseconds since 1970; null takes the newest prices. `abovePrompt`: the largest of the table's `promptSteps`
 * that is below the size of the prompt, else 0. A fast request of a model without a fast row has the standard price.
 */
export function priceOf(
  table: PriceTable,
  model: string,
  atMs: number | null,
  isFast: boolean,
  abovePrompt: number,
): PriceRow | null {
  const rows = modelOf(table, model)?.rows
  if (rows === undefined) return null
  const at = atMs ?? newestTime(rows)
  const standard = bestRow(rows, at, 'standard', abovePrompt)
  return isFast ? (bestRow(rows, at, 'fast', abovePrompt) ?? standard) : standard
}

function bestRow(rows: readonly PriceRow[], at: number, speed: PriceRow['speed'], abovePrompt: number) {
  let best: PriceRow | null = null
  for (const row of rows) {
    const holds = row.speed === speed && row.abovePromptTokens <= abovePrompt && isWithin(row, at)
    if (holds && (best === null || isCloser(row, best))) best = row
  }
  return best
}

/** The end of time is within a row that is still open. */
function isWithin(row: PriceRow, at: number): boolean {
  return row.fromMs <= at && (at < row.toMs || row.toMs === Number.POSITIVE_INFINITY)
}

/** Where rows overlap: the larger prompt, then the later beginning, then the earlier end. */
function isCloser(row: PriceRow, other: PriceRow): boolean {
  if (row.abovePromptTokens !== other.abovePromptTokens) return row.abovePromptTokens > other.abovePromptTokens
  if (row.fromMs !== other.fromMs) return row.fromMs > other.fromMs
  return row.toMs < other.toMs
}

/** The last moment at which any row holds. */
function newestTime(rows: readonly PriceRow[]): number {
  let newest = Number.NEGATIVE_INFINITY
  for (const row of rows) newest = Math.max(newest, row.toMs === Number.POSITIVE_INFINITY ? row.toMs : row.toMs - 1)
  return newest
}

// The judge's own prices and arithmetic, written down by hand: dollars per million tokens. It prices one message at a time,
// and shares neither table nor code with the tool that it judges.

import type { Message } from './judge.ts'

/** What is unusual about a row is named; cache writes are 1.25 and 2 times the input, reads a tenth, where nothing is said. */
interface Price {
  input: number
  output: number
  read?: number
  /** From this day on (UTC). */
  from?: string
  /** Before this day (UTC). */
  until?: string
  /** For prompts above this many tokens. */
  above?: number
  isFast?: true
}

const sonnet4: Price[] = [
  { input: 3, output: 15 },
  { input: 6, output: 22.5, above: 200_000, until: '2026-04-30' },
]
const opus5: Price[] = [
  { input: 5, output: 25 },
  { input: 10, output: 50, isFast: true },
]
const plain = (input: number, output: number, read?: number): Price[] => [
  { input, output, ...(read !== undefined && { read }) },
]

const table = new Map<string, Price[]>(
  Object.entries({
    'claude-haiku-5-5': [
      { input: 0.1, output: 0.5 },
      { input: 0.5, output: 2.5, above: 100_000 },
    ],
    'claude-haiku-4-5': plain(1, 5),
    'claude-3-5-haiku': plain(0.8, 4),
    'claude-sonnet-5-5': [
      { input: 2, output: 10, until: '2026-10-06' },
      { input: 2, output: 10, read: 0.1, from: '2026-10-06' },
    ],
    'claude-sonnet-5': plain(2, 10),
    'claude-sonnet-4-6': [
      { input: 3, output: 15 },
      { input: 6, output: 22.5, above: 200_000, until: '2026-03-13' },
    ],
    'claude-sonnet-4-5': sonnet4,
    'claude-sonnet-4': sonnet4,
    'claude-sonnet-4-0': sonnet4,
    'claude-3-7-sonnet': plain(3, 15),
    'claude-3-5-sonnet': plain(3, 15),
    'claude-opus-5-5': [
      { input: 4, output: 20, read: 0.2 },
      { input: 8, output: 40, read: 0.4, isFast: true },
    ],
    'claude-opus-5': opus5,
    'claude-opus-4-8': opus5,
    'claude-opus-4-7': [
      { input: 5, output: 25 },
      { input: 30, output: 150, isFast: true },
    ],
    'claude-opus-4-6': [
      { input: 5, output: 25 },
      { input: 30, output: 150, isFast: true },
      { input: 10, output: 37.5, above: 200_000, until: '2026-03-13' },
      { input: 60, output: 225, above: 200_000, until: '2026-03-13', isFast: true },
    ],
    'claude-opus-4-5': plain(5, 25),
    'claude-opus-4-1': plain(15, 75),
    'claude-opus-4': plain(15, 75),
    'claude-opus-4-0': plain(15, 75),
    'claude-fable-5-1': plain(10, 50, 0.25),
    'claude-fable-5': plain(10, 50),
  }),
)

/** The name that prices are listed under: without provider, date, version of the provider and size of the context. */
export function plainModel(model: string): string {
  const name = model.replace('[1m]', '').replace(/^([a-z-]+\.)?anthropic\./, '')
  return name
    .replace(/-v\d+:0$/, '')
    .replace(/@\d+$/, '')
    .replace(/-20\d{6}$/, '')
}

export function hasPrice(model: string): boolean {
  return table.has(plainModel(model))
}

/** `auto`: as stated, else by the table. */
export type CostMode = 'auto' | 'calculate' | 'display'

/** What one message costs in dollars. */
export function costOf(message: Message, mode: CostMode = 'auto'): number {
  if (message.isSynthetic || message.isError) return 0
  if (mode === 'display') return message.stated ?? 0
  return mode === 'auto' && message.stated !== null ? message.stated : calculated(message)
}

function calculated(message: Message): number {
  const price = priceOf(message)
  const searches = message.searches * 0.01
  if (price === undefined) return 0
  const shortWrites = message.written - message.writtenLong
  const tokens =
    message.input * price.input +
    message.output * price.output +
    shortWrites * price.input * 1.25 +
    message.writtenLong * price.input * 2 +
    message.read * (price.read ?? price.input / 10)
  return (tokens / 1e6) * (message.isUs ? 1.1 : 1) + searches
}

function priceOf(message: Message): Price | undefined {
  const day = message.at === null ? null : new Date(message.at).toISOString().slice(0, 10)
  const prompt = message.input + message.read + message.written
  const inForce = (table.get(plainModel(message.model)) ?? []).filter(price => {
    if (price.from !== undefined && (day === null || day < price.from)) return day === null
    if (price.until !== undefined && (day === null || day >= price.until)) return false
    return prompt > (price.above ?? 0) || price.above === undefined
  })
  const ofSpeed = inForce.filter(price => (price.isFast ?? false) === message.isFast)
  const rows = ofSpeed.length > 0 ? ofSpeed : inForce.filter(price => price.isFast === undefined)
  return rows.sort((one, other) => (other.above ?? 0) - (one.above ?? 0))[0]
}

// The figures of the usage at a glance, worked out from the days that the server counted. It draws nothing.

import type { UsageAnswerJson } from '../../src/server/api/api.ts'
import { countOf } from '../../src/view/words.ts'

export interface GlanceDay {
  day: string
  tokens: number
  costUSD: number
  /** Parts of the highest bar, by model; a model has the same tone on all days. */
  parts: { model: string; share: number; tone: number }[]
}

export interface Glance {
  days: GlanceDay[]
  today: number
  /** Of the last seven days. */
  week: number
  models: { model: string; costUSD: number; tone: number }[]
  /** `≥ ` or `≈ ` before costs that are a lower bound or an estimate; else empty. */
  mark: string
  /** Why they are. */
  note?: string
}

/** Models beyond these share the last tone. */
const tones = 5
const namedModels = 4

/** `days`: those to show, the last one is today. */
export function glanceOf(usage: UsageAnswerJson, days: readonly string[]): Glance {
  const byDay = new Map(usage.rows.map(row => [row.key, row]))
  const models = modelTotals(usage)
  const toneOf = new Map(models.map(({ model }, at) => [model, Math.min(at, tones - 1)]))
  const highest = Math.max(1, ...usage.rows.map(row => row.totalTokens))
  const shown = days.map(day => {
    const row = byDay.get(day)
    const parts = (row?.models ?? []).map(({ model, totalTokens }) => {
      return { model, share: totalTokens / highest, tone: toneOf.get(model) ?? tones - 1 }
    })
    return {
      day,
      tokens: row?.totalTokens ?? 0,
      costUSD: row?.costUSD ?? 0,
      parts: parts.sort((a, b) => b.tone - a.tone),
    }
  })
  const named = models.slice(0, namedModels).map(one => ({ ...one, tone: toneOf.get(one.model) ?? 0 }))
  return {
    days: shown,
    today: shown.at(-1)?.costUSD ?? 0,
    week: shown.slice(-7).reduce((sum, one) => sum + one.costUSD, 0),
    models: named,
    ...boundsOf(usage),
  }
}

function modelTotals(usage: UsageAnswerJson): { model: string; costUSD: number }[] {
  const totals = new Map<string, number>()
  for (const { models } of usage.rows) {
    for (const { model, costUSD } of models) totals.set(model, (totals.get(model) ?? 0) + costUSD)
  }
  return [...totals].map(([model, costUSD]) => ({ model, costUSD })).sort((one, other) => other.costUSD - one.costUSD)
}

function boundsOf({ bounds }: UsageAnswerJson): { mark: string; note?: string } {
  if (bounds.isEstimated) return { mark: '≈ ', note: 'Output that the log lacks is estimated.' }
  if (bounds.unknownModels.length > 0) {
    return { mark: '≥ ', note: `No price is known for ${bounds.unknownModels.join(', ')}.` }
  }
  if (bounds.messagesWithPartialOutput === 0) return { mark: '' }
  const messages = countOf(bounds.messagesWithPartialOutput, 'answer')
  return { mark: '≥ ', note: `${messages} logged before the end: the output counts as a lower bound.` }
}

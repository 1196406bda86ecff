// What a status line can show: the model, what session, day and block cost, the context, limits. From what Claude Code says, and
// from logs, of which each call reads what is new. How a line looks is decided by who paints it.

import { join } from 'node:path'
import { openLive } from '../../disk/read/read.ts'
import type { Clew } from '../clew.ts'
import { homesOf } from '../settings.ts'
import { configuredPrices } from '../usage/prices.ts'
import { activeBlock, type CountOptions, contextUsed, costOf, costToday, type StatusFacts } from './count.ts'
import type { StatusInput } from './input.ts'
import { type StatusPart, type StatusSettings, statusParts } from './settings.ts'
import { currentWindow, sessionWindow, type WindowOptions } from './window.ts'

/** Claude Code waits for the line, which takes a second with all else: what is left is read by the calls that follow. */
const mostMs = 600

/** The part of a handle that it needs. */
export type StatusPlaces = Pick<Clew, 'root' | 'home' | 'timezone'>

/** `needsAll`: every fact, not only those that the settings show. Reading stops after a time: the next call reads the rest. */
export function statusFacts(
  clew: StatusPlaces,
  input: StatusInput,
  settings: StatusSettings,
  needsAll = false,
): StatusFacts {
  const nowMs = Date.now()
  const needs = needsAll ? new Set(Object.keys(statusParts)) : neededParts(settings)
  const { prices, unknownAs } = configuredPrices(clew)
  const counting: CountOptions = { prices, nowMs, timezone: clew.timezone }
  if (unknownAs !== undefined) counting.unknownAs = unknownAs
  const window: WindowOptions = windowOptions(input, clew, counting)
  const hasContext = input.contextTokens !== undefined || input.contextPercent !== undefined
  const needsLogs = ['today', 'block', 'burn'].some(part => needs.has(part)) || (needs.has('context') && !hasContext)
  const all = needsLogs ? currentWindow(window) : null
  return {
    nowMs,
    model: input.modelName ?? input.modelId ?? null,
    session: needs.has('session') ? costOfSession(input, settings, window, counting) : null,
    today: all === null ? null : orMore(costToday(all.cells, counting), all),
    block: all === null ? null : orMore(activeBlock(all.cells, all.blockFrom, counting), all),
    context: contextUsed(input, all?.last ?? null, prices),
    fiveHours: input.fiveHours ?? null,
    sevenDays: input.sevenDays ?? null,
    folder: input.folder ?? null,
    lines:
      input.linesAdded === undefined && input.linesRemoved === undefined
        ? null
        : { added: input.linesAdded ?? 0, removed: input.linesRemoved ?? 0 },
  }
}

function neededParts({ layout }: StatusSettings): ReadonlySet<string> {
  if ('parts' in layout) return new Set(layout.parts)
  const names = Object.keys(statusParts) as StatusPart[]
  return new Set(names.filter(name => layout.template.includes(`{${name}}`)))
}

function windowOptions(input: StatusInput, clew: StatusPlaces, { nowMs, prices }: CountOptions): WindowOptions {
  const until = performance.now() + mostMs
  return {
    roots: homesOf(clew),
    transcript: input.transcript,
    session: input.session,
    steps: prices.promptSteps,
    folder: join(clew.home, 'statusline'),
    nowMs,
    open: openLive,
    isOver: () => performance.now() > until,
  }
}

function orMore<Found extends { isLeast: boolean } | null>(cost: Found, { isBehind }: { isBehind: boolean }): Found {
  return cost === null || !isBehind ? cost : { ...cost, isLeast: true }
}

/** Claude Code's number, or ours where Claude Code has none or people want it. */
function costOfSession(
  input: StatusInput,
  settings: StatusSettings,
  window: WindowOptions,
  counting: CountOptions,
): StatusFacts['session'] {
  const { costUsd, transcript } = input
  if (costUsd !== undefined && (settings.sessionFrom === 'client' || transcript === undefined)) {
    return { usd: costUsd, isLeast: false, from: 'client' }
  }
  if (transcript === undefined) return null
  const own = sessionWindow(transcript, window)
  return { ...orMore(costOf(own.cells, counting), own), from: 'ours' }
}

// `clew statusline`: one line about a session below Claude Code's prompt. It never fails: what is not known is left out.

import { join } from 'node:path'
import type { Clew } from '../../answers/clew.ts'
import { homesOf, readConfig } from '../../answers/settings.ts'
import {
  layoutFault,
  type StatusPart,
  type StatusSettings,
  statusParts,
  statusSettings,
} from '../../answers/statusline.ts'
import { configuredPrices } from '../../answers/usage/prices.ts'
import { escapeForLine } from '../../base/escape.ts'
import type { JsonObject } from '../../base/json.ts'
import { openLive } from '../../disk/read/read.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import type { StatusFacts } from '../statusline/count.ts'
import { activeBlock, type CountOptions, contextUsed, costOf, costToday } from '../statusline/count.ts'
import { readStatusInput, readStdin, type StatusInput } from '../statusline/input.ts'
import { statusLine } from '../statusline/line.ts'
import { currentWindow, sessionWindow, type WindowOptions } from '../statusline/window.ts'
import { printJson, printLine } from '../terminal/output.ts'

/** Claude Code waits for the line, which takes a second with all else: what is left is read by the calls that follow. */
const mostMs = 600
const problem = 'clew: stdin is not a JSON object of a status line'

/** The part of the options of all commands that it needs. */
type StatusGlobals = Pick<GlobalOptions, 'json'> & { clew: Pick<Clew, 'root' | 'home' | 'timezone'> }

export async function run({ options, globals }: CommandInput): Promise<ExitCode> {
  const answer = await statusAnswer(options, globals)
  if (typeof answer === 'string') await printLine(answer)
  else await printJson(answer)
  return 0
}

/** The line, or the facts with `--json`. */
export async function statusAnswer(
  options: Readonly<Record<string, unknown>>,
  globals: StatusGlobals,
): Promise<string | (StatusFacts & { problem?: string })> {
  const fault = [options['parts'], options['template']].map(text => layoutFault(String(text ?? ''))).find(Boolean)
  if (fault !== undefined && !globals.json) return `clew: ${escapeForLine(fault)}`
  const config = configOf(globals.clew.home)
  const settings = statusSettings(config, options)
  const text = await readStdin()
  const input = text === null || text.trim() === '' ? {} : readStatusInput(text)
  if (input === null && !globals.json) return problem
  const facts = gatherSafely(input ?? {}, { settings, globals })
  if (typeof facts === 'string') return facts
  if (globals.json) return input === null ? { ...facts, problem } : facts
  return statusLine(facts, { ...settings, hasColours: hasColours(settings) }, columnsOf(options))
}

/** A broken config file is reported by others. */
function configOf(home: string): JsonObject {
  try {
    return readConfig(home)
  } catch {
    return {}
  }
}

/** Claude Code reads a pipe and paints what it gets: that it is not a terminal says nothing. */
function hasColours(settings: StatusSettings): boolean {
  return settings.hasColours && !process.env['NO_COLOR']
}

function columnsOf(options: Readonly<Record<string, unknown>>): number {
  const columns = Number(options['columns'] ?? process.env['COLUMNS'])
  return Number.isInteger(columns) && columns > 0 ? columns : Number.POSITIVE_INFINITY
}

/** Claude Code shows nothing where a command fails, so the reason would be lost. */
function gatherSafely(input: StatusInput, context: StatuslineContext): StatusFacts | string {
  try {
    return gather(input, context)
  } catch (error) {
    return `clew: ${escapeForLine(error instanceof Error ? error.message : String(error))}`
  }
}

interface StatuslineContext {
  settings: StatusSettings
  globals: StatusGlobals
}

function gather(input: StatusInput, { settings, globals }: StatuslineContext): StatusFacts {
  const nowMs = Date.now()
  const needs = globals.json ? new Set(Object.keys(statusParts)) : neededParts(settings)
  const { prices, unknownAs } = configuredPrices(globals.clew)
  const counting: CountOptions = { prices, nowMs, timezone: globals.clew.timezone }
  if (unknownAs !== undefined) counting.unknownAs = unknownAs
  const window: WindowOptions = windowOptions(input, globals, counting)
  const hasContext = input.contextTokens !== undefined || input.contextPercent !== undefined
  const needsAll = ['today', 'block', 'burn'].some(part => needs.has(part)) || (needs.has('context') && !hasContext)
  const all = needsAll ? currentWindow(window) : null
  return {
    nowMs,
    model: input.modelName ?? input.modelId ?? null,
    session: needs.has('session') ? costOfSession(input, settings, window, counting) : null,
    today: all === null ? null : orMore(costToday(all.cells, counting), all),
    block: all === null ? null : orMore(activeBlock(all.cells, all.blockFrom, counting), all),
    context: contextUsed(input, all?.own ?? [], prices),
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

function windowOptions(input: StatusInput, globals: StatusGlobals, { nowMs, prices }: CountOptions): WindowOptions {
  const until = performance.now() + mostMs
  return {
    roots: homesOf(globals.clew),
    transcript: input.transcript,
    session: input.session,
    steps: prices.promptSteps,
    folder: join(globals.clew.home, 'statusline'),
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

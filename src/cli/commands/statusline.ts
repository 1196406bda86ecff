import { readConfig } from '../../answers/settings.ts'
import type { StatusFacts } from '../../answers/statusline/count.ts'
import { type StatusPlaces, statusFacts } from '../../answers/statusline/facts.ts'
import { readStatusInput, type StatusInput } from '../../answers/statusline/input.ts'
import { layoutFault, type StatusSettings, statusSettings } from '../../answers/statusline/settings.ts'
import { escapeForLine } from '../../base/escape.ts'
import type { JsonObject } from '../../base/json.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { statusLine } from '../statusline/line.ts'
import { readStdin } from '../statusline/stdin.ts'
import { printJson, printLine } from '../terminal/output.ts'

const problem = 'clew: stdin is not a JSON object of a status line'

/** The part of the options of all commands that it needs. */
type StatusGlobals = Pick<GlobalOptions, 'json'> & { clew: StatusPlaces }

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
  const facts = factsOrReason(input ?? {}, settings, globals)
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
function factsOrReason(
  input: StatusInput,
  settings: StatusSettings,
  { clew, json }: StatusGlobals,
): StatusFacts | string {
  try {
    return statusFacts(clew, input, settings, json)
  } catch (error) {
    return `clew: ${escapeForLine(error instanceof Error ? error.message : String(error))}`
  }
}

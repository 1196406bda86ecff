// What is to run by itself, and how often: `clew archive run --quiet` with all that a timer's bare environment would not
// know. How a platform is reported so is not decided here.

import { resolve } from 'node:path'
import { UserError } from '../answers/error.ts'
import { asArray, asString } from '../base/json.ts'
import type { CommandInput } from '../cli/command.ts'
import { clewHome } from '../disk/clew-home.ts'
import { claudeHomes, expandTilde } from '../disk/discover/homes.ts'
import type { Machine } from './machine.ts'

export interface Job {
  /** Program and arguments; paths are absolute. */
  words: readonly [string, ...string[]]
  minutes: number
}

/** Is in every file that was written, as the sign that it may be replaced and removed. */
export const fileMark = 'written by clew archive install'
/** Ends a shell command of ours; a shell takes it for a comment. */
export const commandMark = '# clew archive'

/** Whether a command line is one that was installed. */
export function isOwnCommand(line: string): boolean {
  return line.trimEnd().endsWith(commandMark) && line.includes('archive run --quiet')
}

const hour = 60
const day = 24 * hour
const longest = 30 * day
const units: Readonly<Record<string, number>> = { m: 1, min: 1, h: hour, d: day }

/** Minutes; an hour when nothing is said. */
function readEvery(value: unknown): number {
  const text = asString(value) ?? '1h'
  const [, count = '', unit = ''] = /^\s*(\d{1,6})\s*(m|min|h|d)\s*$/i.exec(text) ?? []
  const minutes = Number(count) * (units[unit.toLowerCase()] ?? 0)
  if (minutes === 0) throw new UserError(`--every ${text}: a number and m, h or d, such as 30m, 1h or 1d`)
  if (minutes > longest) throw new UserError(`--every ${text}: 30d is the longest; Claude Code deletes after 30 days`)
  return minutes
}

/** `90m`, `2h`, `1d`: the largest unit that fits. */
export function everyText(minutes: number): string {
  if (minutes % day === 0) return `${minutes / day}d`
  return minutes % hour === 0 ? `${minutes / hour}h` : `${minutes}m`
}

export function jobOf(input: CommandInput, machine: Machine): Job {
  const words = [machine.main, ...homeWords(input, machine), ...rootWords(input, machine), 'archive', 'run', '--quiet']
  return { words: [machine.node, ...words], minutes: readEvery(input.options['every']) }
}

/** A timer has neither `CLEW_HOME` nor `XDG_DATA_HOME`: what they say is written down. */
function homeWords({ options }: CommandInput, { env, platform, homeDir }: Machine): string[] {
  const named = asString(options['home'])
  const home = clewHome({ named, env, platform, homeDir })
  const isUsual = home === clewHome({ env: {}, platform, homeDir })
  return named === undefined && !env['CLEW_HOME'] && isUsual ? [] : ['--home', home]
}

/** Roots of the config are read at each run; those of the command line and of `CLAUDE_CONFIG_DIR` would be lost. */
function rootWords({ options, globals }: CommandInput, { env, homeDir }: Machine): string[] {
  const isNamed = asArray(options['root']).length > 0
  if (!isNamed && !env['CLAUDE_CONFIG_DIR']?.trim()) return []
  const roots = claudeHomes({ roots: isNamed ? globals.clew.root : [], env: { ...env }, homeDir })
  return roots.flatMap(root => ['--root', resolve(expandTilde(root, homeDir))])
}

/** Why the command may stop working some day, in words. */
export function jobDoubts(machine: Machine): string[] {
  const doubts: string[] = []
  const places = [machine.main, machine.real(machine.main)]
  const passing = [machine.temporary, machine.real(machine.temporary)]
  const isPassing = (place: string) =>
    /[\\/](_npx|dlx|bunx)(-[^\\/]*)?[\\/]/.test(place) ||
    passing.some(folder => place.startsWith(`${folder.replace(/[\\/]+$/, '')}/`) || place.startsWith(`${folder}\\`))
  if (places.some(isPassing))
    doubts.push(`${machine.main} is a temporary place that may vanish; install Clew for good (npm install -g clew)`)
  if (/[\\/]v?\d+\.\d+(\.\d+)*[\\/]/.test(machine.node))
    doubts.push(`${machine.node} belongs to one version of Node; after an upgrade run this again`)
  return doubts
}

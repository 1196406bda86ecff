// The options of `clew show`, read from its flags.

import { readTurns, type Selection } from '../../answers/session/selection.ts'
import { readTime } from '../../answers/times.ts'
import { toInstant } from '../../base/instant.ts'
import type { CommandInput } from '../command.ts'

type ShowFormat = 'text' | 'md' | 'html' | 'json'

export interface ShowOptions extends Selection {
  format: ShowFormat
  /** Nothing is shortened; JSON has every event. */
  isFull: boolean
  showsThinking: boolean
  showsTimes: boolean
  usesPager: boolean
}

export function showOptions({ options, globals }: CommandInput): ShowOptions {
  const format = globals.json ? 'json' : ((options['format'] as ShowFormat | undefined) ?? 'text')
  const found: ShowOptions = {
    format,
    isFull: options['full'] === true,
    showsThinking: options['thinking'] === true,
    showsTimes: options['timestamps'] === true,
    usesPager: options['pager'] !== false,
    isTalk: options['prompts'] === true,
  }
  const turn = options['turn']
  if (turn !== undefined) found.turn = readTurns(String(turn))
  if (typeof options['thread'] === 'string') found.thread = options['thread']
  if (typeof options['branch'] === 'string') found.branch = options['branch']
  if (typeof options['event'] === 'string') found.event = options['event']
  if (typeof options['since'] === 'string') {
    const context = { now: Date.now(), timezone: globals.clew.timezone }
    found.since = toInstant(readTime(options['since'], 'since', context)) ?? ''
  }
  return found
}

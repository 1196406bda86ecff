// One line of the user's crontab, known by the comment at its end. Other lines stay as they are.

import { UserError } from '../answers/error.ts'
import { posixQuote } from '../base/shell-quote.ts'
import { commandMark, everyText, isOwnCommand, type Job } from './job.ts'
import type { Machine } from './machine.ts'
import { type Plan, refuseControls, type Step, type Way } from './plan.ts'

const show = ['crontab', '-l']

export const cron: Way = {
  name: 'cron',
  title: 'a line of the crontab',
  missing: machine => (machine.run(show).code === null ? 'there is no crontab' : undefined),
  install,
  uninstall,
}

function install(machine: Machine, job: Job): Plan {
  const before = crontab(machine)
  const lines = linesOf(before)
  const line = cronLine(job)
  const at = lines.findIndex(isOwnCommand)
  const others = lines.filter(one => !isOwnCommand(one))
  // Lines of ours next to the first are none that anybody needs.
  const next = at === -1 ? [...lines, line] : [...others.slice(0, at), line, ...others.slice(at)]
  const content = textOf(next)
  return { steps: content === before ? [] : [replace(before, content)], notes: [] }
}

function uninstall(machine: Machine): Plan {
  if (cron.missing(machine) !== undefined) return { steps: [], notes: [] }
  const before = crontab(machine)
  const lines = linesOf(before)
  const others = lines.filter(line => !isOwnCommand(line))
  if (others.length === lines.length) return { steps: [], notes: [] }
  if (others.length > 0) return { steps: [replace(before, textOf(others))], notes: [] }
  return { steps: [{ kind: 'command', command: ['crontab', '-r'], before, source: show }], notes: [] }
}

function replace(before: string, content: string): Step {
  return { kind: 'command', command: ['crontab', '-'], content, before, source: show }
}

/** Its text; empty where the user has none. */
function crontab(machine: Machine): string {
  const { code, stdout, stderr } = machine.run(show)
  if (code === 0) return stdout
  if (code === null) throw new UserError('there is no crontab here; try --by timer or --by hook')
  if (/no crontab|no such file/i.test(stderr)) return ''
  throw new UserError(`crontab -l failed with ${code}: ${stderr.trim()}`)
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

function textOf(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}

/**
 * cron ends the command at a bare `%`, inside of quotes too, and takes the backslash before one away. A backslash that
 * belongs to the path is archived apart by closing and opening the quotes.
 */
export function cronLine({ words, minutes }: Job): string {
  refuseControls(words, 'a crontab')
  const command = words
    .map(posixQuote)
    .join(' ')
    .replace(/(?<=(\\)?)%/g, (_, slash) => (slash ? "''\\%" : '\\%'))
  return `${cronTimes(minutes)} ${command} ${commandMark}`
}

/** Only what divides an hour or a day comes evenly. */
function cronTimes(minutes: number): string {
  const hours = minutes / 60
  if (60 % minutes === 0) return minutes === 60 ? '0 * * * *' : `*/${minutes} * * * *`
  if (Number.isInteger(hours) && 24 % hours === 0) return hours === 24 ? '0 12 * * *' : `0 */${hours} * * *`
  throw new UserError(
    `cron cannot run it every ${everyText(minutes)}; it can every 1m to 30m that divide an hour, 1h, 2h, 3h, 4h, 6h, 8h, 12h or 1d`,
  )
}

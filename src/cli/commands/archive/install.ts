// `clew archive install`: makes `clew archive run` run by itself. It shows what it will write and asks before it does.

import { UserError } from '../../../answers/error.ts'
import { escapeForLine } from '../../../base/escape.ts'
import { claudeHomes } from '../../../disk/discover/homes.ts'
import { everyText, type Job, jobDoubts, jobOf } from '../../../schedule/job.ts'
import { type Machine, thisMachine } from '../../../schedule/machine.ts'
import { carryOut, type Way } from '../../../schedule/plan.ts'
import { chooseWay, readWay, waysOf } from '../../../schedule/ways.ts'
import type { CommandInput, ExitCode } from '../../command.ts'
import { printJson, say } from '../../terminal/output.ts'
import { refuseOff } from './archive-open.ts'

export async function run(input: CommandInput, machine: Machine = thisMachine()): Promise<ExitCode> {
  const { args, options, globals } = input
  if (args.length > 0) throw new UserError(`too many words: "${args.join(' ')}"`)
  refuseOff(globals)
  const job = jobOf(input, machine)
  const way = chooseWay(readWay(options['by'], machine), machine)
  if (way.name === 'hook' && options['every'] !== undefined)
    throw new UserError('--every is for timers; a hook runs at the end of each session')
  const homes = claudeHomes({ roots: globals.clew.root, env: { ...machine.env }, homeDir: machine.homeDir })
  const plan = way.install(machine, job, homes)
  for (const doubt of jobDoubts(machine)) say(`clew: ${escapeForLine(doubt)}`)
  if (plan.steps.length === 0) {
    if (globals.json) await printJson({ plan: [], done: true })
    if (!globals.quiet) say(`clew: already installed as ${way.title}; nothing to change`)
    return 0
  }
  const others = waysOf(machine).filter(one => one !== way && isInstalled(one, machine, homes))
  const notes = others.map(
    one => `it is also installed as ${one.title}; clew archive uninstall --by ${one.name} ends that`,
  )
  return carryOut(
    machine,
    { steps: plan.steps, notes: [...plan.notes, ...notes] },
    {
      isDry: options['dryRun'] === true,
      isYes: options['yes'] === true,
      isJson: globals.json,
      isQuiet: globals.quiet,
      question: 'Write this? [y/N]',
      hint: '--yes writes it',
      done: `installed as ${way.title}, ${rhythm(way, job)}; clew archive uninstall undoes it`,
    },
  )
}

function rhythm(way: Way, job: Job): string {
  return way.name === 'hook' ? 'at the end of each session' : `every ${everyText(job.minutes)}`
}

/** What cannot be looked at does not matter for what is installed now. */
function isInstalled(way: Way, machine: Machine, homes: readonly string[]): boolean {
  try {
    return way.uninstall(machine, homes).steps.length > 0
  } catch {
    return false
  }
}

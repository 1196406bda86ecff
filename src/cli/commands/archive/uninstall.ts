// `clew archive uninstall`: takes out what `clew archive install` put in, and nothing else. What is archived stays archived.

import { UserError } from '../../../answers/error.ts'
import { escapeForLine } from '../../../base/escape.ts'
import { claudeHomes } from '../../../disk/discover/homes.ts'
import { type Machine, thisMachine } from '../../../schedule/machine.ts'
import { carryOut, type Plan, type Way } from '../../../schedule/plan.ts'
import { readWay, waysOf } from '../../../schedule/ways.ts'
import type { CommandInput, ExitCode } from '../../command.ts'
import { printJson, say } from '../../terminal/output.ts'

export async function run(input: CommandInput, machine: Machine = thisMachine()): Promise<ExitCode> {
  const { args, options, globals } = input
  if (args.length > 0) throw new UserError(`too many words: "${args.join(' ')}"`)
  const named = readWay(options['by'], machine)
  const homes = claudeHomes({ roots: globals.clew.root, env: { ...machine.env }, homeDir: machine.homeDir })
  const plans =
    named === undefined
      ? waysOf(machine).map(way => planOrFault(way, machine, homes))
      : [{ title: named.title, ...named.uninstall(machine, homes) }]
  const found = plans.filter(plan => plan.steps.length > 0)
  const notes = plans.flatMap(plan => plan.notes)
  if (found.length === 0) {
    for (const note of notes) say(`clew: ${escapeForLine(note)}`)
    if (globals.json) await printJson({ plan: [], done: false })
    if (!globals.quiet) say(`clew: not installed${named === undefined ? '' : ` as ${named.title}`}; nothing to remove`)
    return 1
  }
  return carryOut(
    machine,
    { steps: found.flatMap(one => one.steps), notes },
    {
      isDry: options['dryRun'] === true,
      isYes: options['yes'] === true,
      isJson: globals.json,
      isQuiet: globals.quiet,
      question: 'Do this? [y/N]',
      hint: '--yes does it',
      done: `no longer installed as ${found.map(one => one.title).join(' and ')}; what is archived stays`,
    },
  )
}

/** A way that cannot be looked at, such as a crontab that is forbidden, does not keep the others from being undone. */
function planOrFault(way: Way, machine: Machine, homes: readonly string[]): Plan & { title: string } {
  try {
    return { title: way.title, ...way.uninstall(machine, homes) }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { title: way.title, steps: [], notes: [error.message] }
  }
}

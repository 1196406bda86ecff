// `clew archive uninstall`: takes out what `clew archive install` put in, and nothing else. What is archived stays archived.

import { type Host, planHookRemoval, thisHost } from '../../../answers/care/hook.ts'
import { UserError } from '../../../answers/error.ts'
import type { CommandInput, ExitCode } from '../../command.ts'
import { printJson, say } from '../../terminal/output.ts'
import { offerPlan } from './hook-plan.ts'

export async function run(input: CommandInput, host: Host = thisHost()): Promise<ExitCode> {
  const { args, globals } = input
  if (args.length > 0) throw new UserError(`too many words: "${args.join(' ')}"`)
  const plan = planHookRemoval(globals.clew, host)
  if (plan.steps.length > 0) {
    return offerPlan(plan, input, {
      question: 'Do this? [y/N]',
      hint: '--yes does it',
      done: "no longer installed as a hook in Claude Code's settings; what is archived stays",
    })
  }
  if (globals.json) await printJson({ plan: [], done: false })
  if (!globals.quiet) say('clew: not installed; nothing to remove')
  return 1
}

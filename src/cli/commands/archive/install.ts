// `clew archive install`: puts a hook into Claude Code's settings that runs `clew archive run`. It shows what it will write and
// asks before it does.

import { refuseOff } from '../../../answers/care/archive-open.ts'
import { type Host, planHook, thisHost } from '../../../answers/care/hook.ts'
import { UserError } from '../../../answers/error.ts'
import type { CommandInput, ExitCode } from '../../command.ts'
import { printJson, say } from '../../terminal/output.ts'
import { offerPlan, sayNotes } from './hook-plan.ts'

export async function run(input: CommandInput, host: Host = thisHost()): Promise<ExitCode> {
  const { args, globals } = input
  if (args.length > 0) throw new UserError(`too many words: "${args.join(' ')}"`)
  refuseOff(globals.clew)
  const plan = planHook(globals.clew, host)
  sayNotes(plan, input)
  if (plan.steps.length > 0) {
    return offerPlan(plan, input, {
      question: 'Write this? [y/N]',
      hint: '--yes writes it',
      done: "installed as a hook in Claude Code's settings, at the end of each session; clew archive uninstall undoes it",
    })
  }
  if (globals.json) await printJson({ plan: [], done: true })
  if (!globals.quiet) say("clew: already installed as a hook in Claude Code's settings; nothing to change")
  return 0
}

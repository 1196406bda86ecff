// Files that are to be written or changed: shown in full, asked about, then carried out. Which they are is decided elsewhere.

import pc from 'picocolors'
import { carryOut, type FileStep, type HookPlan } from '../../../answers/care/hook.ts'
import { escapeForLine, escapeForTerminal } from '../../../base/escape.ts'
import { computedDiff } from '../../../view/diff.ts'
import type { CommandInput, ExitCode } from '../../command.ts'
import { canAsk, confirm } from '../../terminal/ask.ts'
import { printJson, printLine, say } from '../../terminal/output.ts'

interface Words {
  question: string
  /** What is said without a terminal. */
  hint: string
  /** What is said at the end. */
  done: string
}

/** Shows the steps, asks unless that is switched off, and carries them out. */
export async function offerPlan({ steps }: HookPlan, input: CommandInput, words: Words): Promise<ExitCode> {
  const { options, globals } = input
  const isDry = options['dryRun'] === true
  if (!globals.json) for (const step of steps) for (const line of shown(step)) await printLine(line)
  const isAllowed = !isDry && (options['yes'] === true || (await isAgreed(words)))
  if (isAllowed) carryOut(steps)
  if (globals.json) await printJson({ plan: steps.map(plain), done: isAllowed })
  if (isAllowed && !globals.quiet) say(`clew: ${words.done}`)
  return isAllowed || isDry ? 0 : 1
}

export function sayNotes({ notes }: HookPlan, { globals }: CommandInput): void {
  if (!globals.quiet) for (const note of notes) say(`clew: ${escapeForLine(note)}`)
}

async function isAgreed({ question, hint }: Words): Promise<boolean> {
  if (!canAsk()) {
    say(`clew: nothing was changed; ${hint}`)
    return false
  }
  const isYes = await confirm(question)
  if (!isYes) say('clew: nothing was changed')
  return isYes
}

/** A step as `--json` shows it. */
function plain({ path, content, before }: FileStep): object {
  return { path, ...(content !== undefined && { content }), ...(before !== undefined && { before }) }
}

function* shown({ path, content, before, copyOf }: FileStep): Generator<string> {
  const place = pc.bold(escapeForLine(path))
  if (content === undefined) yield `${pc.red('Remove')} ${place}`
  else if (copyOf !== undefined) yield `${pc.green('Copy')} ${escapeForLine(copyOf)} to ${place}`
  else if (before === undefined) {
    yield `${pc.green('Write')} ${place}`
    for (const line of content.trimEnd().split('\n')) yield line === '' ? '' : `  ${escapeForTerminal(line)}`
  } else {
    yield `${pc.yellow('Change')} ${place}`
    yield* unifiedDiff(before, content)
  }
}

function* unifiedDiff(before: string, after: string): Generator<string> {
  for (const hunk of computedDiff('', [[before, after]]).hunks) {
    const old = hunk.lines.filter(line => line.sign !== '+').length
    const fresh = hunk.lines.filter(line => line.sign !== '-').length
    yield pc.dim(`  @@ -${hunk.oldStart},${old} +${hunk.newStart},${fresh} @@`)
    for (const { sign, text } of hunk.lines) {
      const line = `  ${sign}${escapeForTerminal(text.replace(/\r$/, ''))}`
      yield sign === '+' ? pc.green(line) : sign === '-' ? pc.red(line) : line
    }
  }
}

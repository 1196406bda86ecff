// A list of files to write and commands to run: shown in full, asked about, then carried out. What belongs on the list is
// decided elsewhere.

import pc from 'picocolors'
import { UserError } from '../answers/error.ts'
import { escapeForLine, escapeForTerminal } from '../base/escape.ts'
import { posixQuote, powershellQuote } from '../base/shell-quote.ts'
import type { ExitCode } from '../cli/command.ts'
import { printJson, printLine, say } from '../cli/terminal/output.ts'
import { fileMark, type Job } from './job.ts'
import type { Machine } from './machine.ts'

/** A file to write, change or remove. */
export interface FileStep {
  kind: 'file'
  path: string
  /** Absent: the file is removed. */
  content?: string
  /** What it has now; absent: there is none yet. */
  before?: string
  /** Of a new file. */
  mode?: number
  /** The file whose copy this is. */
  copyOf?: string
}

interface CommandStep {
  kind: 'command'
  command: string[]
  /** What it gets on its standard input, in place of what `source` prints now. */
  content?: string
  before?: string
  source?: string[]
  /** A failure means no more than that there was nothing to do. */
  mayFail?: true
}

export type Step = FileStep | CommandStep

export interface Plan {
  steps: Step[]
  /** What people should know next to it. */
  notes: string[]
}

interface PlanOptions {
  isDry: boolean
  isYes: boolean
  isJson: boolean
  isQuiet: boolean
  question: string
  /** What is said without a terminal. */
  hint: string
  /** What is said at the end. */
  done: string
}

/** Shows the steps, asks unless that is switched off, and carries them out. */
export async function carryOut(machine: Machine, { steps, notes }: Plan, options: PlanOptions): Promise<ExitCode> {
  if (!options.isJson) for (const step of steps) for (const line of await shown(step, machine)) await printLine(line)
  for (const note of notes) if (!options.isQuiet) say(`clew: ${escapeForLine(note)}`)
  const isAllowed = !options.isDry && (options.isYes || (await isAgreed(machine, options)))
  if (isAllowed) for (const step of steps) carryOutStep(machine, step)
  if (options.isJson) await printJson({ plan: steps.map(plain), done: isAllowed })
  if (isAllowed && !options.isQuiet) say(`clew: ${options.done}`)
  return isAllowed || options.isDry ? 0 : 1
}

async function isAgreed(machine: Machine, options: PlanOptions): Promise<boolean> {
  if (!machine.canAsk()) {
    say(`clew: nothing was changed; ${options.hint}`)
    return false
  }
  const isYes = await machine.confirm(options.question)
  if (!isYes) say('clew: nothing was changed')
  return isYes
}

/** A step as `--json` shows it. */
function plain(step: Step): object {
  const { kind, content, before } = step
  const texts = { ...(content === undefined ? {} : { content }), ...(before === undefined ? {} : { before }) }
  return kind === 'file' ? { kind, path: step.path, ...texts } : { kind, command: step.command, ...texts }
}

async function shown(step: Step, machine: Machine): Promise<string[]> {
  if (step.kind === 'command') return shownCommand(step, machine)
  const { path, content, before, copyOf } = step
  const place = pc.bold(escapeForLine(path))
  if (content === undefined) return [`${pc.red('Remove')} ${place}`]
  if (copyOf !== undefined) return [`${pc.green('Copy')} ${escapeForLine(copyOf)} to ${place}`]
  if (before === undefined) return [`${pc.green('Write')} ${place}`, ...indented(content)]
  return [`${pc.yellow('Change')} ${place}`, ...(await unifiedDiff(before, content))]
}

async function shownCommand(step: CommandStep, machine: Machine): Promise<string[]> {
  const quote = machine.platform === 'win32' ? powershellQuote : posixQuote
  const line = `${pc.cyan('Run')} ${pc.bold(escapeForLine(step.command.map(quote).join(' ')))}`
  if (step.content === undefined) return step.before ? [line, ...(await unifiedDiff(step.before, ''))] : [line]
  return [`${line} with`, ...(step.before ? await unifiedDiff(step.before, step.content) : indented(step.content))]
}

function indented(text: string): string[] {
  return text
    .replace(/\r?\n$/, '')
    .split('\n')
    .map(line => (line === '' ? '' : `  ${escapeForTerminal(line.replace(/\r$/, ''))}`))
}

async function unifiedDiff(before: string, after: string): Promise<string[]> {
  const { computedDiff } = await import('../view/diff.ts')
  const lines: string[] = []
  for (const hunk of computedDiff('', [[before, after]]).hunks) {
    const old = hunk.lines.filter(line => line.sign !== '+').length
    const fresh = hunk.lines.filter(line => line.sign !== '-').length
    lines.push(pc.dim(`  @@ -${hunk.oldStart},${old} +${hunk.newStart},${fresh} @@`))
    for (const { sign, text } of hunk.lines) {
      const line = `  ${sign}${escapeForTerminal(text.replace(/\r$/, ''))}`
      lines.push(sign === '+' ? pc.green(line) : sign === '-' ? pc.red(line) : line)
    }
  }
  return lines
}

/** What was shown is what happens: a file that has changed since stops it. */
function carryOutStep(machine: Machine, step: Step): void {
  if (step.kind === 'file') {
    if (machine.read(step.path)?.text !== step.before)
      throw new UserError(`${step.path} has changed meanwhile; run this again`)
    if (step.content === undefined) machine.remove(step.path)
    else machine.write(step.path, step.content, step.mode ?? 0o644)
    return
  }
  if (step.source !== undefined && machine.run(step.source).stdout !== (step.before ?? ''))
    throw new UserError(`what ${step.source.join(' ')} prints has changed meanwhile; run this again`)
  const { code, stderr, stdout } = machine.run(step.command, step.content)
  if (code === 0 || step.mayFail) return
  const why = (stderr.trim() || stdout.trim()).split('\n').slice(0, 3).join(' ')
  const end = code === null ? 'cannot be run' : `failed with ${code}`
  throw new UserError(`${step.command.join(' ')} ${end}${why === '' ? '' : `: ${why}`}`)
}

export interface Way {
  name: 'timer' | 'cron' | 'hook'
  /** As a message calls it. */
  title: string
  /** What is missing so that it works here, in words; undefined where nothing is. */
  missing(machine: Machine): string | undefined
  /** No steps: it is installed as it should be. */
  install(machine: Machine, job: Job, homes: readonly string[]): Plan
  /** No steps: it is not installed. */
  uninstall(machine: Machine, homes: readonly string[]): Plan
}

/** The step that makes a file of ours hold this; none where it does. What others wrote is never replaced. */
export function ownFile(machine: Machine, path: string, content: string): FileStep[] {
  const facts = machine.read(path)
  if (facts === null) return [{ kind: 'file', path, content }]
  if (facts.isLink || !facts.text.includes(fileMark))
    throw new UserError(`${path} was not written by Clew; move it away first`)
  return facts.text === content ? [] : [{ kind: 'file', path, content, before: facts.text }]
}

/** The step that removes a file of ours; none where there is none. */
export function ownFileGone(machine: Machine, path: string): FileStep[] {
  const facts = machine.read(path)
  if (facts === null || facts.isLink || !facts.text.includes(fileMark)) return []
  return [{ kind: 'file', path, before: facts.text }]
}

/** For formats that cannot say every character, or that no reader would see. */
export function refuseControls(words: readonly string[], where: string): void {
  const odd = words.find(word => escapeForLine(word) !== word)
  if (odd !== undefined)
    throw new UserError(`${where} cannot name ${odd}: it has control or invisible characters; try another --by`)
}

const names: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

export function xmlText(text: string): string {
  return text.replace(/[&<>"']/g, character => names[character] ?? character)
}

/** The same in ASCII alone, for readers that may take the bytes for another encoding. */
export function xmlAscii(text: string): string {
  return xmlText(text).replace(/[^\u0000-\u007f]/gu, character => `&#${character.codePointAt(0) ?? 0};`)
}

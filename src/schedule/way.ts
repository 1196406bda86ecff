// What the ways to run something by itself have in common: what a way is, and files that are ours alone.

import { escapeForLine } from '../base/escape.ts'
import { UserError } from '../cli/command.ts'
import { fileMark, type Job } from './job.ts'
import type { Machine } from './machine.ts'
import type { FileStep, Plan } from './plan.ts'

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

// The files of a session as the Files screen shows them: short names, runs of reads folded together, and which of a slot's
// items is the step that is meant.

import type { FileStep, FileTouched } from '../../src/view/reading.ts'
import type { ViewItem } from '../../src/view/view.ts'

export interface NamedFile {
  /** Its position in the list of files: the number in the address. */
  at: number
  file: FileTouched
  /** The folder, with its last slash; empty in the project's own. */
  folder: string
  name: string
}

/** Paths below the working directory are relative to it. */
export function namedFiles(files: readonly FileTouched[], cwd: string | null): NamedFile[] {
  return files.map((file, at) => {
    const path = cwd !== null && cwd !== '' && isBelow(file.path, cwd) ? file.path.slice(cwd.length + 1) : file.path
    const cut = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1
    return { at, file, folder: path.slice(0, cut), name: path.slice(cut) || path }
  })
}

function isBelow(path: string, folder: string): boolean {
  const after = path[folder.length]
  return path.startsWith(folder) && (after === '/' || after === '\\')
}

/** Files whose path contains all words, in any case. */
export function filesWith(files: readonly NamedFile[], text: string): NamedFile[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return files.filter(({ file }) => words.every(word => file.path.toLowerCase().includes(word)))
}

export type StepRun = { type: 'change'; step: FileStep; number: number } | { type: 'reads'; steps: FileStep[] }

/** Changes one by one, numbered; reads between them together. */
export function stepRuns(steps: readonly FileStep[]): StepRun[] {
  const runs: StepRun[] = []
  let number = 0
  for (const step of steps) {
    const last = runs.at(-1)
    if (step.kind !== 'read') runs.push({ type: 'change', step, number: ++number })
    else if (last?.type === 'reads') last.steps.push(step)
    else runs.push({ type: 'reads', steps: [step] })
  }
  return runs
}

/** Of a slot's items, the call that is the step: one event may call several tools. */
export function itemOf(items: readonly ViewItem[], step: FileStep, path: string): ViewItem | undefined {
  const calls = items.filter(item => item.kind === 'call' && (item.id as string) === step.event)
  if (calls.length < 2) return calls[0]
  const name = path.split(/[/\\]/).at(-1) ?? path
  const isOf = (item: ViewItem) =>
    item.body.some(part => part.type === 'diff' && (part.path === path || path.endsWith(part.path))) ||
    item.headline.includes(name)
  return calls.find(item => isOf(item) && item.headline.startsWith(step.tool)) ?? calls.find(isOf) ?? calls[0]
}

// The texts of the dialog that makes a new session: what will be copied or changed, and what was written. It changes nothing.

import { countOf, sizeText } from '../../src/base/format.ts'
import { visibleLine } from '../../src/render/safe-text.ts'
import type { NewSession, RepairReport } from '../../src/server/api/api.ts'
import { sentText } from '../../src/view/words.ts'

export interface Named {
  name: string
  text: string
}

/** What a fork will be. */
export function forkFacts(report: NewSession): Named[] {
  const { records = 0, subagents = 0, damaged = 0, openCalls = 0, messages } = report
  const copied = [countOf(records, 'record'), ...(subagents > 0 ? [countOf(subagents, 'subagent')] : [])]
  const taken = openCalls === 1 ? 'it' : 'them'
  return [
    { name: 'Copied', text: copied.join(', ') },
    ...(damaged > 0
      ? [{ name: 'Left out', text: `${countOf(damaged, 'damaged line')}: a repair shows what they say` }]
      : []),
    {
      name: 'Open calls',
      text:
        openCalls === 0
          ? 'none'
          : `${countOf(openCalls, 'call')} without a result: Claude Code takes ${taken} for interrupted`,
    },
    { name: 'A resume sends', text: countOf(messages, 'message') },
  ]
}

/** What a resume sends of a damaged session, and of the repaired one. */
export function repairFacts({ before, after, setAside }: RepairReport): Named[] {
  return [
    { name: 'A resume sends', text: visibleLine(sentText(before)) },
    { name: 'Repaired, it sends', text: visibleLine(sentText(after)) },
    ...(setAside > 0
      ? [{ name: 'Softly deleted', text: `${countOf(setAside, 'record')}: in the file, but not sent` }]
      : []),
  ]
}

/** Where the new files will be. */
export function placeOf({ files, bytes }: Pick<NewSession, 'files' | 'bytes'>): { folder: string; size: string } {
  const folder = (files[0] ?? '').replace(/[\\/][^\\/]*$/, '')
  return { folder: visibleLine(folder), size: `${countOf(files.length, 'file')}, ${sizeText(bytes)}` }
}

/** What was written. */
export function writtenText(report: NewSession): string {
  const { title = '', messages } = report
  return `The new session “${visibleLine(title)}” is written: ${placeOf(report).size}. A resume sends ${countOf(messages, 'message')}.`
}

/** `line 2`; what concerns the whole file has no line. */
export function lineName(line: number): string {
  return line === 0 ? 'file' : `line ${line}`
}

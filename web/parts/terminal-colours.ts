// A terminal's colours in printed text, as runs with class names. It knows the few codes that programs use for looks; any
// other control sequence stays visible as text.

import { visibleText } from '../../src/render/safe-text.ts'

export interface Run {
  text: string
  /** Class names; empty for plain text. */
  look: string
}

interface Look {
  colour: number
  marks: Set<string>
}

/** Codes that switch a mark on, and those that switch marks off. */
const on: Readonly<Record<number, string>> = { 1: 'tc-bold', 2: 'tc-dim', 3: 'tc-italic', 4: 'tc-line', 90: 'tc-dim' }
const off: Readonly<Record<number, string[]>> = { 22: ['tc-bold', 'tc-dim'], 23: ['tc-italic'], 24: ['tc-line'] }

export function coloured(text: string): Run[] {
  if (!text.includes('\u001b[')) return [{ text: visibleText(text), look: '' }]
  const runs: Run[] = []
  const look: Look = { colour: 0, marks: new Set() }
  // Split by a pattern with one group: texts at even places, codes at odd ones.
  text.split(/\u001b\[([0-9;]*)m/).forEach((part, at) => {
    if (at % 2 === 1) change(look, part)
    else if (part !== '') runs.push({ text: visibleText(part), look: nameOf(look) })
  })
  return runs
}

function change(look: Look, codes: string): void {
  const numbers = codes.split(';').map(Number)
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? 0
    const mark = on[code]
    if (code === 0) {
      look.colour = 0
      look.marks.clear()
    } else if (mark !== undefined) look.marks.add(mark)
    else if (code === 39) look.colour = 0
    else if (code === 38 || code === 48) at += numbers[at + 1] === 2 ? 4 : 2
    else if ((code >= 31 && code <= 36) || (code >= 91 && code <= 96)) look.colour = code % 10
    else for (const name of off[code] ?? []) look.marks.delete(name)
  }
}

function nameOf({ colour, marks }: Look): string {
  return [...(colour > 0 ? [`tc-${colour}`] : []), ...marks].join(' ')
}

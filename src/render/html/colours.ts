// A terminal's colours in printed text, as spans with classes of ours. It knows the few codes that programs use for looks;
// any other control sequence stays visible as text.

import { escapeHtml } from './escape.ts'

interface Look {
  colour: number
  isBold: boolean
  isDim: boolean
  isItalic: boolean
  isUnderlined: boolean
}

const plain: Look = { colour: 0, isBold: false, isDim: false, isItalic: false, isUnderlined: false }

/** The text as HTML. */
export function colouredHtml(text: string): string {
  if (!text.includes('\u001b[')) return escapeHtml(text)
  // Split by a pattern with one group: texts at even places, codes at odd ones.
  const parts = text.split(/\u001b\[([0-9;]*)m/)
  let look = plain
  let html = ''
  parts.forEach((part, at) => {
    if (at % 2 === 1) look = changedLook(look, part)
    else if (part !== '') html += lookHtml(escapeHtml(part), look)
  })
  return html
}

function changedLook(before: Look, codes: string): Look {
  let look = { ...before }
  const numbers = codes.split(';').map(Number)
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? 0
    if (code === 0) look = { ...plain }
    else if (code === 1) look.isBold = true
    else if (code === 2) look.isDim = true
    else if (code === 3) look.isItalic = true
    else if (code === 4) look.isUnderlined = true
    else if (code === 22) look = { ...look, isBold: false, isDim: false }
    else if (code === 23) look.isItalic = false
    else if (code === 24) look.isUnderlined = false
    else if (code === 38 || code === 48) at += numbers[at + 1] === 2 ? 4 : 2
    else if (code === 39) look.colour = 0
    else if ((code >= 31 && code <= 36) || (code >= 91 && code <= 96)) look.colour = code % 10
    else if (code === 90) look.isDim = true
  }
  return look
}

function lookHtml(html: string, look: Look): string {
  const names: string[] = []
  if (look.colour > 0) names.push(`c${look.colour}`)
  if (look.isBold) names.push('cb')
  if (look.isDim) names.push('cd')
  if (look.isItalic) names.push('ci')
  if (look.isUnderlined) names.push('cu')
  return names.length === 0 ? html : `<span class="${names.join(' ')}">${html}</span>`
}

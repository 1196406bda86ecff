// Records → text, in all the ways that a line may be written and damaged without saying something else: other key order,
// spaces, escapes, exponents, glued and torn lines. What the records say is decided elsewhere.

import type { Chance, Fields } from './made-records.ts'

type Note = (what: string) => void

/** The text of one log. */
export function logText(chance: Chance, records: readonly Fields[], note: Note): string {
  let text = chance.is(0.05) ? noted(note, 'byte order mark', '\ufeff') : ''
  let isGlued = true
  for (const record of records) {
    const isPlain = chance.is(0.8)
    const line = isPlain ? JSON.stringify(record) : styled(chance, record, note)
    // Only lines as Claude Code writes them are ever glued.
    if (!isGlued) text += isPlain && chance.is(0.02) && text.endsWith('}') ? noted(note, 'glued', '') : '\n'
    if (chance.is(0.01)) text += noted(note, 'blank', chance.pick(['\n', '  \n', '\r\n']))
    if (isPlain && chance.is(0.005) && (text === '' || text.endsWith('\n')))
      text += noted(note, 'stump', '{"parentUuid":null,"type":"assis')
    text += line
    isGlued = false
    if (chance.is(0.02)) text += noted(note, 'carriage return', '\r')
  }
  if (chance.is(0.15)) return noted(note, 'no last newline', text)
  if (chance.is(0.2)) return `${text}\n${noted(note, 'torn', JSON.stringify(records.at(-1) ?? {}).slice(0, -9))}`
  return `${text}\n`
}

function noted(note: Note, what: string, text: string): string {
  note(what)
  return text
}

function styled(chance: Chance, record: Fields, note: Note): string {
  const plain = JSON.stringify(record)
  switch (chance.below(4)) {
    case 0:
      return noted(note, 'spaces', JSON.stringify(record, null, 1).replace(/\n */g, ' '))
    case 1:
      return noted(note, 'key order', JSON.stringify(reversed(record)))
    case 2:
      return noted(note, 'escapes', escaped(plain))
    default:
      return noted(
        note,
        'exponents',
        plain.replace(
          /("(?:in|out)put_tokens":)(\d+)(?=[,}])/g,
          (_, name, digits) => `${name}${Number(digits) / 1000}e3`,
        ),
      )
  }
}

/** Keys and words as no version writes them, though JSON allows it. */
function escaped(line: string): string {
  return line
    .replace('"type":"assistant"', '"type":"\\u0061ssistant"')
    .replace('"output_tokens"', '"output\\u005ftokens"')
    .replace('"timestamp"', '"tim\\u0065stamp"')
    .replace('"msg_', '"\\u006dsg_')
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]) => [key, reversed(inner)] as const)
      .reverse(),
  )
}

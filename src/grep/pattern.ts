// What people write after `--grep`: plain text, whatever its case, or `/regex/flags`.

import { UserError } from '../cli/command.ts'

/** Says whether a text holds it; an error where the expression is none. */
export function matcherOf(wanted: string): (text: string) => boolean {
  const written = /^\/(.+)\/([a-z]*)$/s.exec(wanted)
  if (written === null) {
    const lower = wanted.toLowerCase()
    return text => text.toLowerCase().includes(lower)
  }
  const expression = expressionOf(written[1] ?? '', written[2] ?? '')
  return text => expression.test(text)
}

function expressionOf(source: string, flags: string): RegExp {
  try {
    // With `g` or `y` an expression remembers where it was.
    return new RegExp(source, flags.replace(/[gy]/g, ''))
  } catch (error) {
    throw new UserError(`--grep /${source}/${flags}: ${error instanceof Error ? error.message : 'no expression'}`)
  }
}

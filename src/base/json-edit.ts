// Changes one part in the text of a JSON value and leaves every other byte as it is: people and other programs write the files,
// and their style is theirs. It trusts that the text is valid JSON.

/** A member of an object or an item of a list. */
export interface JsonPart {
  /** Of a member only. */
  key?: string
  /** Where the key, or the item, begins. */
  start: number
  /** Where the value begins, and where it ends. */
  value: number
  end: number
}

/** What an object or list has. `open`, `close`: the places of its brackets. */
interface JsonParts {
  open: number
  close: number
  parts: JsonPart[]
}

/** The object or list that begins at a place. */
export function partsAt(text: string, open: number): JsonParts {
  const isObject = text[open] === '{'
  const parts: JsonPart[] = []
  let at = skipBlanks(text, open + 1)
  while (at < text.length && text[at] !== '}' && text[at] !== ']') {
    const start = at
    let key: string | undefined
    if (isObject) {
      at = valueEnd(text, at)
      key = String(JSON.parse(text.slice(start, at)))
      at = skipBlanks(text, skipBlanks(text, at) + 1)
    }
    const end = valueEnd(text, at)
    parts.push({ ...(key === undefined ? {} : { key }), start, value: at, end })
    at = skipBlanks(text, end)
    if (text[at] === ',') at = skipBlanks(text, at + 1)
  }
  return { open, close: at, parts }
}

/** Where the outermost value begins. */
export function rootOf(text: string): number {
  return skipBlanks(text, 0)
}

/** The last one counts, as for `JSON.parse`. */
export function memberOf(object: JsonParts, key: string): JsonPart | undefined {
  return object.parts.findLast(part => part.key === key)
}

/** The text with a value added at the end of an object (with a key) or a list, in the style of the file. */
export function added(text: string, open: number, value: unknown, key?: string): string {
  const { close, parts } = partsAt(text, open)
  const { unit, end } = styleOf(text)
  const last = parts.at(-1)
  const outer = indentAt(text, open)
  // As what is before it; where nothing does, on lines of its own unless the whole file is one line.
  const lead = last === undefined ? `${end}${end === '' ? '' : outer + unit}` : leadOf(text, last.start)
  const isSpread = lead.includes('\n')
  const printed = isSpread ? JSON.stringify(value, null, unit) : JSON.stringify(value)
  const body = printed.replaceAll('\n', `${end}${lead.slice(lead.lastIndexOf('\n') + 1)}`)
  const item = key === undefined ? body : `${JSON.stringify(key)}:${isSpread || unit !== '' ? ' ' : ''}${body}`
  if (last !== undefined) return `${text.slice(0, last.end)},${lead}${item}${text.slice(last.end)}`
  return `${text.slice(0, open + 1)}${lead}${item}${isSpread ? end + outer : ''}${text.slice(close)}`
}

/** The text without one part of an object or list. */
export function withoutPart(text: string, open: number, index: number): string {
  const { close, parts } = partsAt(text, open)
  const [before, part, after] = [parts[index - 1], parts[index], parts[index + 1]]
  if (part === undefined) return text
  if (before !== undefined) return text.slice(0, before.end) + text.slice(part.end)
  if (after !== undefined) return text.slice(0, part.start) + text.slice(after.start)
  return text.slice(0, open + 1) + text.slice(close)
}

/** How deep a level is indented, and how lines end; both empty for a file of one line. */
function styleOf(text: string): { unit: string; end: string } {
  const trimmed = text.trim()
  // An empty object says nothing of its style.
  if (!trimmed.includes('\n') && !/^\{\s*\}$/.test(trimmed)) return { unit: '', end: '' }
  return { unit: /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ', end: text.includes('\r\n') ? '\r\n' : '\n' }
}

/** The blanks before a part. */
function leadOf(text: string, start: number): string {
  let from = start
  while (isBlank(text[from - 1])) from--
  return text.slice(from, start)
}

/** The blanks that the line of a place begins with. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at)
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\n' || character === '\t' || character === '\r'
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (isBlank(text[at])) at++
  return at
}

/** Where the value that begins at a place ends. */
function valueEnd(text: string, from: number): number {
  let depth = 0
  let at = from
  do {
    const character = text[at] ?? ''
    if (character === '"') at = stringEnd(text, at)
    else if (depth === 0 && !'{['.includes(character)) return wordEnd(text, at)
    else {
      if (character === '{' || character === '[') depth++
      else if (character === '}' || character === ']') depth--
      at++
    }
  } while (depth > 0 && at < text.length)
  return at
}

/** The end of a number, `true`, `false` or `null`. */
function wordEnd(text: string, from: number): number {
  let at = from
  while (at < text.length && /[\w.+-]/.test(text[at] ?? '')) at++
  return at
}

function stringEnd(text: string, from: number): number {
  let at = from + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

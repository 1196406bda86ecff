// Changes one field in the text of a JSON object and leaves every other byte as it is: what Claude Code wrote stays what it
// wrote. It trusts that the text is valid JSON.

import { isObject, jsonText } from '../../base/json.ts'

/** A member of an object, by places in the text. */
interface Member {
  key: string
  from: number
  valueFrom: number
  to: number
}

/**
 * The text with the value set at a path of keys; `undefined` takes the member out. Members that are not there are added at
 * the end of their object. What is on the path and is no object stays as it is.
 */
export function setField(text: string, path: readonly string[], value: unknown): string {
  return setIn(text, text.indexOf('{'), path, value)
}

function setIn(text: string, at: number, path: readonly string[], value: unknown): string {
  const [key, ...inner] = path
  const { members, end } = membersOf(text, at)
  // The last of two members of one name counts.
  const member = members.findLast(one => one.key === key)
  if (member === undefined) {
    if (value === undefined) return text
    const nested = inner.reduceRight((inside: unknown, name) => ({ [name]: inside }), value)
    return splice(text, end, end, `${members.length > 0 ? ',' : ''}${JSON.stringify(key)}:${jsonText(nested)}`)
  }
  if (inner.length > 0) return text[member.valueFrom] === '{' ? setIn(text, member.valueFrom, inner, value) : text
  if (value !== undefined) return splice(text, member.valueFrom, member.to, jsonText(value))
  const place = members.indexOf(member)
  const next = members[place + 1]
  if (next !== undefined) return splice(text, member.from, next.from, '')
  const before = members[place - 1]
  return splice(text, before?.to ?? member.from, member.to, '')
}

function splice(text: string, from: number, to: number, put: string): string {
  return text.slice(0, from) + put + text.slice(to)
}

/** `end`: where the closing brace is, or the blanks before it. */
function membersOf(text: string, at: number): { members: Member[]; end: number } {
  const members: Member[] = []
  let place = skipBlanks(text, at + 1)
  while (place < text.length && text[place] !== '}') {
    const keyTo = valueEnd(text, place)
    const valueFrom = skipBlanks(text, skipBlanks(text, keyTo) + 1)
    const to = valueEnd(text, valueFrom)
    members.push({ key: keyOf(text.slice(place, keyTo)), from: place, valueFrom, to })
    place = skipBlanks(text, to)
    if (text[place] === ',') place = skipBlanks(text, place + 1)
  }
  return { members, end: members.at(-1)?.to ?? at + 1 }
}

function keyOf(text: string): string {
  const key: unknown = JSON.parse(text)
  return isObject(key) ? '' : String(key)
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (' \t\r\n'.includes(text[at] ?? 'x')) at++
  return at
}

/** Behind the value that begins here. */
function valueEnd(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const sign = text[at]
    if (sign === '"') {
      at = stringEnd(text, at)
      if (depth === 0) return at + 1
    } else if (sign === '{' || sign === '[') depth++
    else if (sign === '}' || sign === ']') {
      if (depth === 0) return at
      depth--
      if (depth === 0) return at + 1
    } else if (depth === 0 && (sign === ',' || ' \t\r\n'.includes(sign ?? ''))) return at
  }
  return text.length
}

/** The place of the closing quote. */
function stringEnd(text: string, from: number): number {
  let at = from + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

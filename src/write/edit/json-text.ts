// Sets one field in the text of a record and leaves every other byte as it is: what Claude Code wrote stays what it wrote.

import { jsonText } from '../../base/json.ts'
import { memberOf, partsAt, withoutPart } from '../../base/json-edit.ts'

/**
 * The text with the value set at a path of keys; `undefined` takes the member out. Members that are not there are added at
 * the end of their object. What is on the path and is no object stays as it is.
 */
export function setField(text: string, path: readonly string[], value: unknown): string {
  return setIn(text, text.indexOf('{'), path, value)
}

function setIn(text: string, open: number, path: readonly string[], value: unknown): string {
  const [key = '', ...inner] = path
  const object = partsAt(text, open)
  const member = memberOf(object, key)
  if (member === undefined) {
    if (value === undefined) return text
    const nested = inner.reduceRight((inside: unknown, name) => ({ [name]: inside }), value)
    const end = object.parts.at(-1)?.end ?? open + 1
    return splice(text, end, end, `${object.parts.length > 0 ? ',' : ''}${JSON.stringify(key)}:${jsonText(nested)}`)
  }
  if (inner.length > 0) return text[member.value] === '{' ? setIn(text, member.value, inner, value) : text
  if (value !== undefined) return splice(text, member.value, member.end, jsonText(value))
  return withoutPart(text, open, object.parts.indexOf(member))
}

function splice(text: string, from: number, to: number, put: string): string {
  return text.slice(0, from) + put + text.slice(to)
}

// Sets one field in the text of a record and leaves every other byte as it is: what Claude Code wrote stays what it wrote.

import { applyEdits, modify, type Node, parseTree } from 'jsonc-parser'
import { jsonText } from '../../base/json.ts'

/**
 * The text with the value set at a path of keys; `undefined` takes the member out. Members that are not there are added at
 * the end of their object. What is on the path and is no object stays as it is.
 */
export function setField(text: string, path: readonly string[], value: unknown): string {
  const root = parseTree(text)
  return root === undefined ? text : setIn(text, root, path, 0, value)
}

function setIn(text: string, object: Node, path: readonly string[], depth: number, value: unknown): string {
  const key = path[depth] ?? ''
  const member = valueAt(object, key)
  const inner = path.slice(depth + 1)
  if (member === undefined) {
    if (value === undefined) return text
    const nested = inner.reduceRight((inside: unknown, name) => ({ [name]: inside }), value)
    const last = object.children?.at(-1)
    const end = last === undefined ? object.offset + 1 : last.offset + last.length
    return splice(text, end, 0, `${last === undefined ? '' : ','}${JSON.stringify(key)}:${jsonText(nested)}`)
  }
  if (inner.length > 0) return member.type === 'object' ? setIn(text, member, path, depth + 1, value) : text
  if (value !== undefined) return splice(text, member.offset, member.length, jsonText(value))
  return applyEdits(text, modify(text, [...path], undefined, {}))
}

/** Of members with one name the last counts. */
function valueAt({ children = [] }: Node, key: string): Node | undefined {
  return children.findLast(({ children: [name] = [] }) => name?.value === key)?.children?.[1]
}

function splice(text: string, at: number, length: number, put: string): string {
  return text.slice(0, at) + put + text.slice(at + length)
}

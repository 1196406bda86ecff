// Sets one field in the text of a record and leaves every other byte as it is: what Claude Code wrote stays what it wrote.

import { bytesToText, textToBytes } from '../../base/bytes.ts'
import { jsonText } from '../../base/json.ts'
import { isBlank, JsonScanner } from '../../decode/json-scan.ts'

/**
 * The text with the value set at a path of keys; `undefined` takes the member out. Members that are not there are added at
 * the end of their object. What is on the path and is no object stays as it is.
 */
export function setField(text: string, path: readonly string[], value: unknown): string {
  const bytes = textToBytes(text)
  const change = changeIn(bytes, bytes.indexOf(openBrace), path, value)
  if (change === undefined) return text
  const { from, to, put } = change
  return bytesToText(bytes.subarray(0, from)) + put + bytesToText(bytes.subarray(to))
}

/** What is put in place of which bytes. */
interface Change {
  from: number
  to: number
  put: string
}

function changeIn(bytes: Uint8Array, open: number, path: readonly string[], value: unknown): Change | undefined {
  const [key = '', ...inner] = path
  const members = membersOf(bytes, open)
  // Of members with one name the last counts.
  const at = members.findLastIndex(member => member.key === key)
  const member = members[at]
  if (member === undefined) {
    if (value === undefined) return undefined
    const nested = inner.reduceRight((inside: unknown, name) => ({ [name]: inside }), value)
    const end = members.at(-1)?.end ?? open + 1
    return { from: end, to: end, put: `${members.length > 0 ? ',' : ''}${JSON.stringify(key)}:${jsonText(nested)}` }
  }
  if (inner.length > 0)
    return bytes[member.value] === openBrace ? changeIn(bytes, member.value, inner, value) : undefined
  if (value !== undefined) return { from: member.value, to: member.end, put: jsonText(value) }
  const [before, after] = [members[at - 1], members[at + 1]]
  if (before !== undefined) return { from: before.end, to: member.end, put: '' }
  return { from: member.start, to: after?.start ?? member.end, put: '' }
}

const [openBrace, quote, openBracket] = [0x7b, 0x22, 0x5b]

/** A member of an object: where its key and its value begin, and where it ends. */
interface Member {
  key: string
  start: number
  value: number
  end: number
}

/** The members of the object that begins at a place, of text that is JSON. */
function membersOf(bytes: Uint8Array, open: number): Member[] {
  const members: Member[] = []
  for (let start = skipBlanks(bytes, open + 1); bytes[start] === quote; ) {
    const colon = skipBlanks(bytes, endOf(bytes, start))
    const value = skipBlanks(bytes, colon + 1)
    const end = endOf(bytes, value)
    const key: unknown = JSON.parse(bytesToText(bytes.subarray(start, endOf(bytes, start))))
    members.push({ key: String(key), start, value, end })
    // Behind the comma.
    start = skipBlanks(bytes, skipBlanks(bytes, end) + 1)
  }
  return members
}

/** Where the value that begins at a place ends. Numbers and words end where something else begins. */
function endOf(bytes: Uint8Array, from: number): number {
  const end = new JsonScanner().push(bytes, from)
  const first = bytes[from]
  return first === quote || first === openBrace || first === openBracket ? end : end - 1
}

function skipBlanks(bytes: Uint8Array, from: number): number {
  let at = from
  while (isBlank(bytes[at] ?? 0)) at++
  return at
}

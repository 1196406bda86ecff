// Reads and edits JSON files that people write by hand: comments, order and layout stay as they are. What the files mean is up
// to callers. The package is loaded for edits, and for files that are no plain JSON: most commands need neither.

import { createRequire } from 'node:module'
import { parseJson } from '../base/json.ts'

type Jsonc = typeof import('jsonc-parser')

const jsonc = (): Jsonc => createRequire(import.meta.url)('jsonc-parser')

/** Where a value is: keys of objects, numbers of list items. */
export type JsonPath = readonly (string | number)[]

/** Comments and commas at the end of lists are fine; undefined for anything else that is not JSON. */
export function readJsonText(text: string): unknown {
  const plain = parseJson(text)
  if (plain !== undefined) return plain
  const errors: import('jsonc-parser').ParseError[] = []
  const value: unknown = jsonc().parse(text, errors, { allowTrailingComma: true })
  return errors.length > 0 ? undefined : value
}

/** The text with a value put at a path, in the style of the text. */
export function withJsonValue(text: string, path: JsonPath, value: unknown): string {
  return edited(text, path, value, false)
}

/** The text without the value at a path; comments around it stay, as far as they are not between it and what follows. */
export function withoutJsonValue(text: string, path: JsonPath): string {
  const { findNodeAtLocation, parseTree } = jsonc()
  const root = parseTree(text)
  const value = root === undefined ? undefined : findNodeAtLocation(root, [...path])
  const part = value?.parent?.type === 'property' ? value.parent : value
  const siblings = part?.parent?.children ?? []
  const at = part === undefined ? -1 : siblings.indexOf(part)
  if (part === undefined || at === -1) return text
  const [before, after] = [siblings[at - 1], siblings[at + 1]]
  const end = part.offset + part.length
  if (before !== undefined) return text.slice(0, before.offset + before.length) + text.slice(end)
  return text.slice(0, part.offset) + text.slice(after?.offset ?? end)
}

/** The text with an item more at the end of the list at a path. */
export function withJsonItem(text: string, list: JsonPath, item: unknown): string {
  return edited(text, [...list, -1], item, true)
}

function edited(text: string, path: JsonPath, value: unknown, isArrayInsertion: boolean): string {
  const { applyEdits, modify } = jsonc()
  const style = styleOf(text)
  const options = { isArrayInsertion, ...(style !== undefined && { formattingOptions: style }) }
  return applyEdits(text, modify(text, [...path], value, options))
}

/** How deep a level is indented, and how lines end; undefined for a file of one line, which stays one. */
function styleOf(text: string): import('jsonc-parser').FormattingOptions | undefined {
  const trimmed = text.trim()
  // An empty object says nothing of its style.
  if (!trimmed.includes('\n') && !/^\{\s*\}$/.test(trimmed)) return undefined
  const unit = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  return { insertSpaces: !unit.includes('\t'), tabSize: unit.includes('\t') ? 1 : unit.length, eol }
}

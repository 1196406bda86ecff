// Tools without a form of their own: those of MCP servers, of the API, and whatever comes later. Nothing of them is left out.

import { asString, isObject } from '../../base/json.ts'
import { codePart, fieldParts, resultParts, valueText } from '../parts.ts'
import type { ViewPart } from '../view.ts'
import { firstLine } from '../words.ts'
import { type CallFacts, type CallForm, firstString, outcomeTone, plainOutcome } from './facts.ts'

/** `mcp__shopdb__stock` → `shopdb › stock`; undefined for other tools. */
export function mcpTitle(name: string): string | undefined {
  if (!name.startsWith('mcp__')) return undefined
  const cut = name.indexOf('__', 5)
  if (cut === -1) return undefined
  return `${name.slice(5, cut)} › ${name.slice(cut + 2)}`
}

/** Fields that say best what a call is about, the best first: those before the file that it names, and those after it. */
const tellingFields = ['description', 'title', 'command'] as const
const furtherFields = ['query', 'url', 'pattern', 'name', 'subject', 'id', 'prompt'] as const
const longestSubject = 120

export function otherForm(facts: CallFacts): CallForm {
  const title = mcpTitle(facts.name)
  const form: CallForm = { subject: subjectOf(facts), request: inputParts(facts), outcome: otherOutcome(facts) }
  if (title !== undefined) form.title = title
  return form
}

function subjectOf({ input, path }: CallFacts): string {
  const telling = firstString(input, tellingFields) ?? (path || firstString(input, furtherFields))
  if (telling !== undefined) return short(telling)
  const plain = Object.entries(input).filter(([, value]) => typeof value !== 'object')
  return short(plain.map(([name, value]) => `${name} ${valueText(value) ?? ''}`).join(', '))
}

function short(text: string): string {
  const line = firstLine(text)
  return line.length > longestSubject ? `${line.slice(0, longestSubject)}…` : line
}

/** Code for the API's own interpreter is code; other inputs are fields, or JSON where they are not an object. */
function inputParts({ call, input }: CallFacts): ViewPart[] {
  const code = asString(input['code'])
  if (code !== undefined) return [codePart(code, 'python'), ...fieldParts(input, ['code'])]
  if (isObject(call.input)) return fieldParts(input)
  const text = valueText(call.input)
  return text === undefined ? [] : resultParts(text, 'input')
}

/** A result that says nothing as content is shown by its structured form. */
function otherOutcome(facts: CallFacts): ViewPart[] {
  const parts = plainOutcome(facts)
  const hasFields = parts.length === 0 && Object.keys(facts.structured).length > 0
  return hasFields && outcomeTone(facts) === 'plain' ? fieldParts(facts.structured) : parts
}

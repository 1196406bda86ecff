// Rules about the blocks of a message: what each kind must have and on which lines it may be.

import type { JsonObject } from '../../base/json.ts'
import { asArray, asObject, asString, isObject } from '../../base/json.ts'
import type { Profile } from '../../model/finding.ts'
import type { Report, Rule, SessionFacts } from '../rule.ts'
import { blockRule, blocksOf, quote } from '../wire.ts'

const textAndThinking: readonly Rule[] = [
  blockRule('block-text', block => missingText(block, 'text', 'text'), true),
  blockRule('block-thinking', block => missingText(block, 'thinking', 'thinking')),
  blockRule('block-thinking-signature', (block, { profile }) => {
    const signature = block['signature']
    if (block['type'] !== 'thinking' || typeof signature === 'string') return undefined
    if (signature === undefined && profile !== 's2') return undefined
    return `The signature of a thinking block is ${quote(signature)}, not a text.`
  }),
  blockPlace('block-thinking-place', 'thinking', 'assistant'),
]

const toolUse: readonly Rule[] = [
  blockRule('block-tool-use', block => {
    if (block['type'] !== 'tool_use') return undefined
    if (typeof block['id'] !== 'string') return `The id of a tool_use block is ${quote(block['id'])}, not a text.`
    if (typeof block['name'] !== 'string') return `The name of a tool_use block is ${quote(block['name'])}, not a text.`
    return 'input' in block ? undefined : `The tool_use block ${quote(block['id'])} has no input.`
  }),
  blockPlace('block-tool-use-place', 'tool_use', 'assistant'),
  blockRule('tool-input-not-object', block => {
    if (block['type'] !== 'tool_use' || !('input' in block) || isObject(block['input'])) return undefined
    return `The input of a ${quote(block['name'])} call is ${quote(block['input'])}, not an object.`
  }),
  blockRule('tool-use-caller', (block, { profile }) => {
    if (block['type'] !== 'tool_use') return undefined
    if (block['caller'] === undefined) return profile === 's2' ? 'A tool_use block has no caller.' : undefined
    const type = asObject(block['caller'])?.['type']
    return type === 'direct' ? undefined : `The caller of a tool_use block is of type ${quote(type)}, not "direct".`
  }),
  blockRule('tool-use-id-form', block => {
    const id = block['type'] === 'tool_use' ? asString(block['id']) : undefined
    return id === undefined || id.startsWith('toolu_')
      ? undefined
      : `The tool id ${quote(id)} does not begin with toolu_.`
  }),
]

const toolResult: readonly Rule[] = [
  blockRule('block-tool-result', block => {
    if (block['type'] !== 'tool_result') return undefined
    const id = block['tool_use_id']
    if (typeof id !== 'string') return `The tool_use_id of a result is ${quote(id)}, not a text.`
    return block['content'] === undefined ? `The result of ${quote(id)} has no content.` : undefined
  }),
  blockRule('tool-result-is-error', (block, { profile }) => {
    const flag = block['is_error']
    if (block['type'] !== 'tool_result' || flag === undefined || typeof flag === 'boolean') return undefined
    if (flag === null && (profile === 's2' || profile === 'real')) return undefined
    return `is_error of a result is ${quote(flag)}, not a boolean.`
  }),
  blockRule('tool-result-content-form', (block, { profile }) => {
    const content = block['content']
    if (block['type'] !== 'tool_result' || content === undefined) return undefined
    if (typeof content === 'string' || isNamedForm(content, profile)) return undefined
    return `The content of a result is ${describe(content)}, which this profile does not name.`
  }),
  { code: 'tool-result-array-origin', session: arrayOnlyFromAgents },
  blockPlace('tool-result-place', 'tool_result', 'user'),
]

const others: readonly Rule[] = [
  blockRule(
    'block-image',
    block => {
      if (block['type'] !== 'image') return undefined
      const source = asObject(block['source'])
      if (source === undefined) return 'An image block has no source.'
      const absent = ['media_type', 'data'].find(key => typeof source[key] !== 'string')
      return absent === undefined ? undefined : `The source of an image block has no ${absent}.`
    },
    true,
  ),
  blockRule('block-set-s2', block =>
    ['text', 'thinking', 'tool_use', 'tool_result'].includes(String(block['type']))
      ? undefined
      : `A block is of type ${quote(block['type'])}, not one of the four.`,
  ),
  blockRule('block-set-s4-assistant', (block, { value }) => {
    if (value['type'] !== 'assistant' || block['type'] === 'text' || block['type'] === 'tool_use') return undefined
    return `An assistant block is of type ${quote(block['type'])}, neither text nor tool_use.`
  }),
]

export const blockRules: readonly Rule[] = [...textAndThinking, ...toolUse, ...toolResult, ...others]

function missingText(block: JsonObject, type: string, key: string): string | undefined {
  if (block['type'] !== type || typeof block[key] === 'string') return undefined
  return `The ${key} of a ${type} block is ${quote(block[key])}, not a text.`
}

/** Blocks of this type are on lines of that type only. */
function blockPlace(code: string, blockType: string, lineType: string): Rule {
  return blockRule(code, (block, { value }) => {
    if (block['type'] !== blockType || value['type'] === lineType) return undefined
    return `A ${blockType} block is on a line of type ${quote(value['type'])}.`
  })
}

const innerBlocks = new Set(['text', 'image', 'document', 'search_result', 'tool_reference'])

/** Whether the profile knows this form of a result's content, apart from plain text. */
function isNamedForm(content: unknown, profile: Profile): boolean {
  if (profile === 's0') return false
  if (profile === 's1') return typeof content === 'object' && content !== null
  if (!Array.isArray(content)) return false
  return asArray(content).every(block => {
    const type = asObject(block)?.['type']
    return profile === 'real' ? innerBlocks.has(String(type)) : type === 'text'
  })
}

function describe(content: unknown): string {
  if (!Array.isArray(content)) return quote(content)
  const types = new Set(content.map(block => String(asObject(block)?.['type'])))
  return `an array of ${[...types].slice(0, 3).join(', ') || 'nothing'}`
}

function arrayOnlyFromAgents(facts: SessionFacts, report: Report): void {
  const names = new Map<string, string>()
  const results: { id: string; record: (typeof facts.perFile)[number]['records'][number] }[] = []
  for (const { records } of facts.perFile) {
    for (const record of records) {
      for (const block of record.value === undefined ? [] : blocksOf(record.value)) {
        const id = asString(block['id'])
        if (block['type'] === 'tool_use' && id !== undefined) names.set(id, String(block['name']))
        const answered = asString(block['tool_use_id'])
        if (answered !== undefined && Array.isArray(block['content'])) results.push({ id: answered, record })
      }
    }
  }
  for (const { id, record } of results) {
    const name = names.get(id)
    // Later versions call the Task tool Agent.
    if (name === undefined || name === 'Task' || name === 'Agent' || name.startsWith('mcp__')) continue
    report(`The result of a ${quote(name)} call is an array.`, { record })
  }
}

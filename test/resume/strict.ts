// What a resume sends, strictly: every block with its role, its whole text, its ids and inputs, in order. Of a request of Claude
// Code, what the resume itself adds is taken out: the new prompt, and what is said about the session that begins now.

import { isDeepStrictEqual } from 'node:util'
import type { Block } from '../../src/model/event.ts'
import type { Context } from '../../src/model/session.ts'

/** One block: role, type, and what it says. */
export type Strict = readonly unknown[]

export function strictBlocks({ messages }: Context): Strict[] {
  return messages.flatMap(({ role, blocks }) => blocks.map(block => [role, ...strictBlock(block)]))
}

function strictBlock(block: Block): unknown[] {
  switch (block.type) {
    case 'text':
      return ['text', block.text]
    case 'thinking':
      return ['thinking', block.text]
    case 'tool-call':
      return ['call', block.callId, block.name, block.input]
    case 'tool-result':
      return ['result', block.callId, block.isError, withoutEmpty(block.content.map(strictPart))]
    case 'other':
      return [block.wireType]
    default:
      return [block.type]
  }
}

/** A part of a result: its text, or only what it is. */
function strictPart(block: Block): string[] {
  if (block.type === 'text') return ['text', block.text]
  return [block.type === 'other' ? block.wireType : block.type]
}

export interface ApiMessage {
  role: string
  content: unknown
}

interface ApiBlock {
  type: string
  text?: string
  thinking?: string
  id?: string
  name?: string
  input?: unknown
  tool_use_id?: string
  is_error?: boolean
  content?: string | ApiBlock[]
}

/** The same of a request that Claude Code sent. `expected`: a session may have said what a resume adds; that is not taken out. */
export function strictByClient(messages: readonly ApiMessage[], expected: readonly Strict[]): Strict[] {
  const isPrompt = ([, type, text]: Strict): boolean => type === 'text' && text === 'continue'
  const last = messages.findLastIndex(message => message.role === 'user' && clientBlocks(message).some(isPrompt))
  const sent = messages.slice(0, last).flatMap(clientBlocks)
  const withPrompt = clientBlocks(messages[last] as ApiMessage)
  for (const block of withPrompt.slice(0, withPrompt.findLastIndex(isPrompt)))
    sent.push(...(isDeepStrictEqual(block, expected[sent.length]) ? [block] : withoutAdded(block)))
  for (const block of messages.slice(last + 1).flatMap(clientBlocks)) {
    const own = String(expected[sent.length]?.[2] ?? ' ')
    sent.push(...(String(block[2]).startsWith(own) ? [['system', 'text', own]] : withoutAddedSystem(block)))
  }
  return sent
}

function clientBlocks({ role, content }: ApiMessage): Strict[] {
  return apiBlocks(content).map(block => [role, ...clientBlock(block)])
}

function apiBlocks(content: unknown): ApiBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : ((content ?? []) as ApiBlock[])
}

function clientBlock(block: ApiBlock): unknown[] {
  if (block.type === 'text') return ['text', block.text]
  if (block.type.endsWith('thinking')) return ['thinking', block.thinking ?? '']
  if (block.type.endsWith('tool_use')) return ['call', block.id, block.name, block.input]
  if (!block.type.endsWith('tool_result')) return [block.type]
  const parts = apiBlocks(block.content).map(part => (part.type === 'text' ? ['text', part.text ?? ''] : [part.type]))
  return ['result', block.tool_use_id, block.is_error === true, withoutEmpty(parts)]
}

function withoutEmpty(parts: string[][]): string[][] {
  return parts.filter(([type, text]) => type !== 'text' || text !== '')
}

const heads = [
  '# Environment',
  'Attribution for git',
  'You are powered by',
  'The following deferred tools are',
  'Available agent types',
  'New agent types',
  'The following skills are',
  'The following MCP servers have disconnected',
  'The task tools haven',
  'Instruction files were',
  '## Exited Plan Mode',
  '<total_tokens>',
  "Today's date is",
].join('|')
const added = new RegExp(`^<system-reminder>\\n(${heads}|\\[SYSTEM NOTIFICATION[\\s\\S]*previous session ended)`)
const addedToResult = new RegExp(`\\n\\n<system-reminder>\\n(${heads})`)
const addedToSystem = new RegExp(`(^|\\n\\n)(<system-reminder>\\n)?(${heads})`)

function withoutAdded(block: Strict): Strict[] {
  const [role, type, text, isError, parts] = block as [string, string, string, boolean, string[][]]
  if (type === 'text') return added.test(text) ? [] : [block]
  if (type !== 'result') return [block]
  const kept = parts.filter(part => part[0] !== 'text' || !added.test(part[1] ?? ''))
  return [
    [role, type, text, isError, kept.map(part => (part[0] === 'text' ? ['text', upTo(part[1], addedToResult)] : part))],
  ]
}

function withoutAddedSystem([role, type, text]: Strict): Strict[] {
  const left = role === 'system' ? upTo(text as string, addedToSystem) : ''
  return left === '' ? [] : [[role, type, left]]
}

function upTo(text: string | undefined, end: RegExp): string {
  const at = (text ?? '').search(end)
  return (text ?? '').slice(0, at === -1 ? undefined : at)
}

/** A last prompt without an answer is joined to the one that the resume adds. */
export function withoutLastLineEnd(blocks: readonly Strict[]): Strict[] {
  const last = blocks.findLastIndex(([role, type]) => role === 'user' && type === 'text')
  return blocks.map((block, at) => (at === last ? ['user', 'text', String(block[2]).replace(/\n$/, '')] : block))
}

// What fills a context window: the tokens of every message and of every sort of content. Where the log has no number, they
// are estimated from the length of the text and marked. It does not decide what is in the window.

import { jsonText } from '../base/json.ts'
import type { Block, SessionEvent } from '../model/event.ts'
import type { Context, ContextMessage } from '../model/session.ts'

/** A sort of content. Calls and outputs come by tool. */
export type PartKind =
  | 'prompts'
  | 'answers'
  | 'thinking'
  | 'calls' // what the model wrote to call tools
  | 'output' // what tools answered
  | 'summaries'
  | 'attachments' // files, reminders and hook output that Claude Code put in
  | 'commands' // slash and bash-mode commands with what they printed
  | 'notifications'
  | 'media'
  | 'client' // stand-ins and notes of Claude Code's

export interface MakeUpPart {
  kind: PartKind
  /** Of calls and outputs. */
  tool?: string
  blocks: number
  characters: number
  tokens: number
  /** True where any of the tokens are estimated. */
  isEstimated: boolean
}

export interface MakeUp {
  tokens: number
  isEstimated: boolean
  /** One for each message of the context. */
  messages: { tokens: number; isEstimated: boolean }[]
  /** The largest first. */
  parts: MakeUpPart[]
  /**
   * What the API counted when it gave the last answer that is still there, the answer included: system prompt and tool
   * definitions are in it, which no message has.
   */
  lastRequestTokens?: number
}

/** About this many characters make a token of English text or code. */
const charactersPerToken = 4
/** What an image of ordinary size takes; the log does not state its dimensions. */
const mediaTokens = 1500

/** `events`: those of the session; the context names them by id. */
export function makeUpOf(context: Context, events: readonly SessionEvent[]): MakeUp {
  const tally = new Tally(context, events)
  const messages = context.messages.map(message => tally.add(message))
  const parts = tally.parts()
  const tokens = messages.reduce((sum, message) => sum + message.tokens, 0)
  const makeUp: MakeUp = { tokens, isEstimated: messages.some(message => message.isEstimated), messages, parts }
  const counted = tally.lastRequest()
  if (counted !== undefined) makeUp.lastRequestTokens = counted
  return makeUp
}

/** A block of the context with its weight. */
export interface WeighedBlock {
  /** The event that it was taken from. */
  event: string
  kind: PartKind
  tool?: string
  tokens: number
  block: Block
}

/** The largest blocks that were taken from an event, the largest first. */
export function largestBlocks(context: Context, events: readonly SessionEvent[], most: number): WeighedBlock[] {
  const tally = new Tally(context, events)
  const blocks = context.messages.flatMap(message => tally.blocksOf(message))
  return blocks.sort((one, other) => other.tokens - one.tokens).slice(0, most)
}

/** One block with its sort and its guess. */
interface Weighed {
  kind: PartKind
  tool?: string
  characters: number
  tokens: number
}

class Tally {
  private readonly byId = new Map<string, SessionEvent>()
  private readonly toolOf = new Map<string, string>()
  private readonly found = new Map<string, MakeUpPart>()
  private readonly context: Context

  constructor(context: Context, events: readonly SessionEvent[]) {
    this.context = context
    const wanted = new Set<string>()
    for (const message of context.messages) for (const id of message.events) wanted.add(id)
    for (const event of events) if (wanted.has(event.id)) this.byId.set(event.id, event)
    for (const { blocks } of context.messages) {
      for (const block of blocks) if (block.type === 'tool-call') this.toolOf.set(block.callId, block.name)
    }
  }

  add(message: ContextMessage): { tokens: number; isEstimated: boolean } {
    const events = message.events.flatMap(id => this.byId.get(id) ?? [])
    const weighed = message.blocks.map(block => this.weigh(block, message, ownerOf(block, events)))
    const known = message.role === 'assistant' ? message.tokens : undefined
    if (known !== undefined) settle(message, weighed, known)
    for (const part of weighed) this.count(part, known === undefined)
    const tokens = known ?? weighed.reduce((sum, part) => sum + part.tokens, 0)
    return { tokens, isEstimated: known === undefined }
  }

  blocksOf(message: ContextMessage): WeighedBlock[] {
    const events = message.events.flatMap(id => this.byId.get(id) ?? [])
    const owners = message.blocks.map(block => ownerOf(block, events))
    const weighed = message.blocks.map((block, at) => this.weigh(block, message, owners[at]))
    const known = message.role === 'assistant' ? message.tokens : undefined
    if (known !== undefined) settle(message, weighed, known)
    return message.blocks.flatMap((block, at) => {
      const { kind, tool, tokens = 0 } = weighed[at] ?? { kind: 'client' as const }
      const event = (owners[at] ?? events[0])?.id
      return event === undefined ? [] : [{ event, kind, ...(tool !== undefined && { tool }), tokens, block }]
    })
  }

  private weigh(block: Block, message: ContextMessage, owner: SessionEvent | undefined): Weighed {
    switch (block.type) {
      case 'tool-call': {
        const characters = block.name.length + jsonText(block.input).length
        return { kind: 'calls', tool: block.name, ...guess(characters) }
      }
      case 'tool-result': {
        if (owner === undefined) return { kind: 'client', ...weightOf(block) }
        const tool = this.toolOf.get(block.callId)
        return { kind: 'output', ...(tool === undefined ? {} : { tool }), ...weightOf(block) }
      }
      case 'thinking':
        return { kind: 'thinking', ...weightOf(block) }
      case 'image':
      case 'document':
        return { kind: 'media', ...weightOf(block) }
      default:
        return { kind: sortOf(message, owner), ...weightOf(block) }
    }
  }

  private count(part: Weighed, isEstimated: boolean): void {
    const key = `${part.kind} ${part.tool ?? ''}`
    let row = this.found.get(key)
    if (row === undefined) {
      const named = part.tool === undefined ? {} : { tool: part.tool }
      row = { kind: part.kind, ...named, blocks: 0, characters: 0, tokens: 0, isEstimated: false }
      this.found.set(key, row)
    }
    row.blocks++
    row.characters += part.characters
    row.tokens += part.tokens
    if (isEstimated) row.isEstimated = true
  }

  parts(): MakeUpPart[] {
    return [...this.found.values()].sort((a, b) => b.tokens - a.tokens || (a.kind < b.kind ? -1 : 1))
  }

  lastRequest(): number | undefined {
    for (const message of this.context.messages.toReversed()) {
      if (message.role !== 'assistant' || message.synthetic) continue
      let most = 0
      for (const id of message.events) {
        const usage = this.byId.get(id)?.message?.usage
        if (usage === undefined) continue
        const { inputTokens, cacheCreationTokens, cacheReadTokens, outputTokens } = usage
        most = Math.max(most, inputTokens + cacheCreationTokens + cacheReadTokens + outputTokens)
      }
      return most > 0 ? most : undefined
    }
    return undefined
  }
}

/** Which event a block was taken from, as it is or put into other words; a block that was made for the request has none. */
function ownerOf(block: Block, events: readonly SessionEvent[]): SessionEvent | undefined {
  const having = (isSource: (own: Block) => boolean) => events.find(event => event.blocks.some(isSource))
  if (block.type === 'tool-result') return having(own => own.type === 'tool-result' && own.callId === block.callId)
  if (block.type !== 'text') return having(own => own === block)
  const text = block.text.trimEnd()
  return (
    having(own => own.type === 'text' && own.text.trimEnd() === text) ??
    having(own => own.type === 'text' && own.text !== '' && text.includes(own.text)) ??
    events.find(event => event.wireType === 'attachment')
  )
}

function sortOf({ role, synthetic }: ContextMessage, owner: SessionEvent | undefined): PartKind {
  if (synthetic) return 'client'
  if (role === 'assistant') return 'answers'
  return owner === undefined ? 'client' : sortOfEvent(owner)
}

function sortOfEvent(event: SessionEvent): PartKind {
  switch (event.kind) {
    case 'compact-summary':
    case 'preserved':
      return 'summaries'
    case 'attachment':
    case 'hook':
    case 'meta':
      return 'attachments'
    case 'command':
    case 'command-output':
      return 'commands'
    case 'notification':
      return 'notifications'
    case 'interruption':
      return 'client'
    case 'tool-results':
      return 'output'
    default:
      return 'prompts'
  }
}

/** Length of all texts in a block, those inside results too: results have plain blocks, never results. */
function weightOf(block: Block): { characters: number; tokens: number } {
  let characters = 0
  let media = 0
  const stack: Block[] = [block]
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (at.type === 'text' || at.type === 'thinking') characters += at.text.length
    else if (at.type === 'tool-result') for (const inner of at.content) stack.push(inner)
    else if (at.type === 'image' || at.type === 'document') media += mediaTokens
    else if (at.type === 'other') characters += jsonText(at.raw).length
  }
  const { tokens } = guess(characters)
  return { characters, tokens: tokens + media }
}

function guess(characters: number): { characters: number; tokens: number } {
  return { characters, tokens: Math.ceil(characters / charactersPerToken) }
}

/**
 * Shares the known tokens of an answer out among its parts: in proportion to their guesses, but for thinking whose text was
 * never logged, which gets what the others leave.
 */
function settle(message: ContextMessage, weighed: Weighed[], known: number): void {
  const hidden = weighed.filter((_, i) => isHidden(message.blocks[i]))
  const seen = weighed.filter(part => !hidden.includes(part))
  const guessed = seen.reduce((sum, part) => sum + part.tokens, 0)
  const share = hidden.length > 0 ? Math.min(guessed, known) : known
  let left = known
  for (const part of seen) {
    part.tokens = guessed === 0 ? 0 : Math.min(left, Math.round((part.tokens / guessed) * share))
    left -= part.tokens
  }
  const heirs = hidden.length > 0 ? hidden : seen.slice(-1)
  for (const [i, part] of heirs.entries()) {
    const portion = i === heirs.length - 1 ? left : Math.floor(left / (heirs.length - i))
    part.tokens = (hidden.length > 0 ? 0 : part.tokens) + portion
    left -= portion
  }
}

function isHidden(block: Block | undefined): boolean {
  return block?.type === 'thinking' && block.text === ''
}

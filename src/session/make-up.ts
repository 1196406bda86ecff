// What fills a context window, as an account that adds up: what the API counted of each request is allotted to the messages that
// the request added, and the rest is called "not itemised". Where the log has no count, tokens are estimated from the length of
// the text and marked. It does not decide what is in the window.
//
//   request of        API counted      is allotted to
//   first answer      20,000           the first prompt 300 (estimated), system prompt and tools 19,700, from then on the same
//   second answer     23,000           the first answer 500 (counted), what its calls answered 2,500 (estimated, scaled)

import { jsonText } from '../base/json.ts'
import { contextOfEvents } from '../graph/context/context.ts'
import { type Block, hasFlag, type SessionEvent, type Usage } from '../model/event.ts'
import { sessionId } from '../model/ids.ts'
import type { Context, ContextMessage } from '../model/session.ts'

/** A sort of content. Calls and outputs come by tool. */
export type PartKind =
  | 'system' // system prompt and definitions of tools: counted by the API with the first request, written down nowhere
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
  | 'not-itemised' // counted by the API, and nothing in the log accounts for it

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

/** What a context consists of, in tokens. */
export interface MakeUp {
  /** All that is in the window: the sum of the parts. What the API counted is in it as it is. */
  tokens: number
  /** True where a part of it was never counted by the API. */
  isEstimated: boolean
  /** One for each message of the context. */
  messages: { tokens: number; isEstimated: boolean }[]
  /** The largest first. */
  parts: MakeUpPart[]
  /** What the API counted when it gave the last answer that is still there, the answer included. */
  lastRequestTokens?: number
}

/** About this many characters make a token of English text or code. */
const charactersPerToken = 4
/** What an image of ordinary size takes; the log does not state its dimensions. */
const mediaTokens = 1500
/** No text has so few tokens that its estimate is more than this many times as many. */
const mostPerToken = 4
/** A text has at most this many times the tokens of its estimate; what the API counted beyond has another cause. */
const mostPerEstimate = 2

/**
 * `events`: those of the session; the context names them by id. `sent`: what the API counted of the request that sends this
 * context, where that was sent.
 */
export function makeUpOf(context: Context, events: readonly SessionEvent[], sent?: number): MakeUp {
  return new Account(context, events, sent).makeUp()
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

/** What the API read for an answer. */
export function promptTokens({ inputTokens, cacheCreationTokens, cacheReadTokens }: Usage): number {
  return inputTokens + cacheCreationTokens + cacheReadTokens
}

/** One block with its sort and its tokens. */
interface Weighed {
  block: Block
  owner: SessionEvent | undefined
  kind: PartKind
  tool?: string
  characters: number
  tokens: number
}

interface WeighedMessage {
  blocks: Weighed[]
  /** The API counted this message alone. */
  isExact: boolean
  /** It is part of a request that the API counted. */
  isCounted: boolean
  /** Of an answer: what the API read for it, and what it wrote. */
  request?: { prompt: number; output: number }
}

/** The account of a context; of a large one it takes long, so that one is made for all questions. */
export class Account {
  private readonly messages: readonly WeighedMessage[]
  /** System prompt and tools. */
  private system = 0
  private notItemised = 0
  private readonly lastRequest: number | undefined

  constructor(context: Context, events: readonly SessionEvent[], sent?: number) {
    const scale = new Scale(context, events)
    this.messages = context.messages.map(message => scale.weigh(message))
    const last = this.messages.findLast(({ request }) => request !== undefined)?.request
    this.lastRequest = last && last.prompt + last.output
    dropUnbelievable(this.messages)
    dropLarger(this.messages, sent)
    const at = this.messages.findIndex(({ request }) => request !== undefined)
    const prompt = at < 0 ? sent : this.messages[at]?.request?.prompt
    if (prompt === undefined) return
    const written = this.messages.slice(0, at < 0 ? undefined : at).flatMap(({ blocks }) => blocks)
    const besides = Math.max(0, prompt - written.reduce((sum, block) => sum + block.tokens, 0))
    this.allot(Math.min(firstRequest(context, events) ?? besides, besides), sent)
  }

  /** What each request added, shared out among the messages that it was the first to send. */
  private allot(system: number, sent: number | undefined): void {
    this.system = system
    let before = system
    let added: WeighedMessage[] = []
    const count = (prompt: number) => {
      this.notItemised += shareOut(added, prompt - before)
      before = prompt
      added = []
    }
    for (const message of this.messages) {
      if (message.request !== undefined) count(message.request.prompt)
      added.push(message)
    }
    if (sent !== undefined) count(sent)
    if (this.notItemised < 0) this.shrink(-this.notItemised)
  }

  /** Something that was sent before was no longer sent, and the log does not say what: everything pays its share. */
  private shrink(tokens: number): void {
    const system = { tokens: this.system }
    const shares = [system, ...this.messages.flatMap(message => message.blocks)]
    portion(shares, Math.max(0, shares.reduce((sum, share) => sum + share.tokens, 0) - tokens))
    this.system = system.tokens
    this.notItemised = 0
  }

  makeUp(): MakeUp {
    const messages = this.messages.map(({ blocks, isExact }) => ({
      tokens: blocks.reduce((sum, block) => sum + block.tokens, 0),
      isEstimated: !isExact,
    }))
    const parts = this.parts()
    const makeUp: MakeUp = {
      tokens: parts.reduce((sum, part) => sum + part.tokens, 0),
      isEstimated: this.messages.some(message => !message.isCounted),
      messages,
      parts,
    }
    if (this.lastRequest !== undefined) makeUp.lastRequestTokens = this.lastRequest
    return makeUp
  }

  /** The largest blocks that were taken from an event, the largest first. */
  largest(most: number): WeighedBlock[] {
    const blocks = this.messages.flatMap(({ blocks }) => blocks.filter(({ owner }) => owner !== undefined))
    return blocks
      .sort((one, other) => other.tokens - one.tokens)
      .slice(0, most)
      .flatMap(({ owner, kind, tool, tokens, block }) =>
        owner === undefined ? [] : [{ event: owner.id, kind, ...(tool !== undefined && { tool }), tokens, block }],
      )
  }

  private parts(): MakeUpPart[] {
    const parts = new Map<string, MakeUpPart>()
    for (const { blocks, isExact } of this.messages) {
      for (const block of blocks) addTo(parts, block, !isExact)
    }
    const counted: [PartKind, number][] = [
      ['system', this.system],
      ['not-itemised', this.notItemised],
    ]
    for (const [kind, tokens] of counted) {
      if (tokens > 0) parts.set(kind, { kind, blocks: 0, characters: 0, tokens, isEstimated: kind === 'system' })
    }
    return [...parts.values()].sort((a, b) => b.tokens - a.tokens || (a.kind < b.kind ? -1 : 1))
  }
}

function addTo(
  parts: Map<string, MakeUpPart>,
  { kind, tool, characters, tokens }: Weighed,
  isEstimated: boolean,
): void {
  const key = `${kind} ${tool ?? ''}`
  const named = tool === undefined ? {} : { tool }
  const part = parts.get(key) ?? { kind, ...named, blocks: 0, characters: 0, tokens: 0, isEstimated: false }
  parts.set(key, part)
  part.blocks++
  part.characters += characters
  part.tokens += tokens
  part.isEstimated ||= isEstimated
}

/** A count that is far below what was sent with it, as proxies write, counts something else. */
function dropUnbelievable(messages: readonly WeighedMessage[]): void {
  let sent = 0
  for (const message of messages) {
    if (message.request !== undefined && message.request.prompt < sent / mostPerToken) delete message.request
    sent += message.blocks.reduce((sum, { tokens }) => sum + tokens, 0)
  }
}

/** A count that is larger than a later one is of a window that was cut since: by a compaction, say, that preserved the answer. */
function dropLarger(messages: readonly WeighedMessage[], sent = Number.POSITIVE_INFINITY): void {
  let least = sent
  for (const message of messages.toReversed()) {
    if (message.request === undefined) continue
    if (message.request.prompt > least) delete message.request
    else least = message.request.prompt
  }
}

/**
 * Shares out what a request added: answers take what they were counted with, the rest goes to the others in proportion to their
 * estimates. Returns what remains; negative where there is less than the answers take.
 */
function shareOut(messages: readonly WeighedMessage[], added: number): number {
  for (const message of messages) message.isCounted = true
  const sumOf = (blocks: readonly Weighed[]) => blocks.reduce((sum, { tokens }) => sum + tokens, 0)
  const answers = messages.filter(({ request }) => request !== undefined).flatMap(({ blocks }) => blocks)
  const others = messages.filter(({ request }) => request === undefined).flatMap(({ blocks }) => blocks)
  const left = added - sumOf(answers)
  const share = Math.min(Math.max(0, left), mostPerEstimate * sumOf(others))
  portion(others, share)
  return left - share
}

/** Gives blocks this many tokens together, in proportion to those that they have. */
function portion(blocks: readonly { tokens: number }[], tokens: number): void {
  let weight = blocks.reduce((sum, block) => sum + block.tokens, 0)
  let left = tokens
  for (const block of blocks) {
    const share = weight === 0 ? 0 : Math.round((block.tokens / weight) * left)
    weight -= block.tokens
    block.tokens = share
    left -= share
  }
}

/** What the API counted with the session's first request beyond its messages; undefined where it counted none. */
function firstRequest({ session: id }: Context, events: readonly SessionEvent[]): number | undefined {
  const session = sessionId(id)
  const at = events.findIndex(
    event => (event.thread as string) === id && requestOf([event]) !== undefined && !hasFlag(event, 'synthetic'),
  )
  const request = at < 0 ? undefined : requestOf(events.slice(at, at + 1))
  if (request === undefined) return undefined
  const before = contextOfEvents(session, events.slice(0, at))
  const scale = new Scale(before, events)
  const sent = before.messages.flatMap(message => scale.weigh(message).blocks)
  return Math.max(0, request.prompt - sent.reduce((sum, { tokens }) => sum + tokens, 0))
}

/** Weighs messages by what is written in them. */
class Scale {
  private readonly byId = new Map<string, SessionEvent>()
  private readonly toolOf = new Map<string, string>()

  constructor(context: Context, events: readonly SessionEvent[]) {
    const wanted = new Set<string>()
    for (const message of context.messages) for (const id of message.events) wanted.add(id)
    for (const event of events) if (wanted.has(event.id)) this.byId.set(event.id, event)
    for (const { blocks } of context.messages) {
      for (const block of blocks) if (block.type === 'tool-call') this.toolOf.set(block.callId, block.name)
    }
  }

  weigh(message: ContextMessage): WeighedMessage {
    const events = message.events.flatMap(id => this.byId.get(id) ?? [])
    const blocks = message.blocks.map(block => this.weighBlock(block, message, ownerOf(block, events)))
    for (const block of blocks) block.owner ??= events[0]
    const request = message.role === 'assistant' && !message.synthetic ? requestOf(events) : undefined
    const known = message.role === 'assistant' ? (request?.output ?? message.tokens) : undefined
    if (known !== undefined) allotAnswer(blocks, known)
    const isExact = known !== undefined
    return { blocks, isExact, isCounted: isExact, ...(request !== undefined && { request }) }
  }

  private weighBlock(block: Block, message: ContextMessage, owner: SessionEvent | undefined): Weighed {
    const own = { block, owner }
    switch (block.type) {
      case 'tool-call': {
        const characters = block.name.length + jsonText(block.input).length
        return { ...own, kind: 'calls', tool: block.name, ...guess(characters) }
      }
      case 'tool-result': {
        if (owner === undefined) return { ...own, kind: 'client', ...weightOf(block) }
        const tool = this.toolOf.get(block.callId)
        return { ...own, kind: 'output', ...(tool === undefined ? {} : { tool }), ...weightOf(block) }
      }
      case 'thinking':
        return { ...own, kind: 'thinking', ...weightOf(block) }
      case 'image':
      case 'document':
        return { ...own, kind: 'media', ...weightOf(block) }
      default:
        return { ...own, kind: sortOf(message, owner), ...weightOf(block) }
    }
  }
}

/** What the API counted of an answer: the largest count of its records, since the first ones of a stream state less. */
export function requestOf(events: readonly SessionEvent[]): { prompt: number; output: number } | undefined {
  const usages = events.flatMap(event => event.message?.usage ?? [])
  const prompt = Math.max(0, ...usages.map(promptTokens))
  const output = Math.max(0, ...usages.map(usage => usage.outputTokens))
  return prompt > 0 ? { prompt, output } : undefined
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
function allotAnswer(blocks: readonly Weighed[], known: number): void {
  const hidden = blocks.filter(({ block }) => block.type === 'thinking' && block.text === '')
  const seen = blocks.filter(part => !hidden.includes(part))
  const guessed = seen.reduce((sum, part) => sum + part.tokens, 0)
  const share = hidden.length > 0 ? Math.min(guessed, known) : known
  if (guessed === 0) for (const part of seen) part.tokens = 1
  portion(seen, hidden.length > 0 && guessed === 0 ? 0 : share)
  for (const part of hidden) part.tokens = 1
  portion(hidden, known - (guessed === 0 && hidden.length > 0 ? 0 : share))
}

// A fork that fits a budget: outputs of tools that the model would be sent again are replaced by a note that says how to read
// them. The oldest and largest go first; the origin keeps all of them.

import { countText } from '../../base/format.ts'
import { asArray, asObject, isObject, type JsonObject } from '../../base/json.ts'
import { buildContext } from '../../graph/context/context.ts'
import type { Block } from '../../model/event.ts'
import { Account, type WeighedBlock } from '../../session/make-up.ts'
import { WriteError } from '../wire/error.ts'
import { type Fork, forkSession } from './fork.ts'
import type { EditOptions, ReadSession } from './session.ts'

export interface TrimOptions extends EditOptions {
  /** Tokens that a resume may send, as far as the log states them. */
  budget: number
  title?: string
  session?: string
}

/** An output that was replaced. */
export interface Cut {
  event: string
  call: string
  tool: string
  tokens: number
  characters: number
}

/** A fork that is small enough, and what was cut. */
export interface Trim extends Fork {
  cuts: Cut[]
  /** What a resume sends of the origin and of the fork, system prompt and tools included. */
  tokensBefore: number
  tokensAfter: number
}

/** Outputs below this many tokens would hardly be shorter as a note. */
const smallest = 100
/** These go before smaller ones, however old. */
const large = 1000
/** What a note takes. */
const noteTokens = 40

/** The fork. Throws where even all outputs are not enough. */
export function trimSession(source: ReadSession, options: TrimOptions): Trim {
  const context = buildContext(source.graph)
  const { events } = source.graph
  const account = new Account(context, events)
  const { tokens: before } = account.makeUp()
  const outputs = outputsByWorth(source, account.largest(Number.POSITIVE_INFINITY))
  const cuts: Cut[] = []
  let after = before
  for (const output of outputs) {
    if (after <= options.budget) break
    cuts.push(cutOf(output))
    after -= output.tokens - noteTokens
  }
  if (after > options.budget)
    throw new WriteError(
      'bad-input',
      `Without any output a resume still sends about ${countText(after)} tokens, more than ${countText(options.budget)}.`,
      'budget',
    )
  const notes = new Map(cuts.map(cut => [cut.call, noteOf(source.files.id, cut)]))
  const fork = forkSession(source, {
    ...options,
    title: options.title ?? undefined,
    rewrite: value => withNotes(value, notes),
  })
  return { ...fork, cuts, tokensBefore: before, tokensAfter: after }
}

/** Large ones of earlier turns, small ones of them, those of the last turn; each in the order of the session. */
function outputsByWorth({ graph }: ReadSession, blocks: readonly WeighedBlock[]): WeighedBlock[] {
  const places = new Map(graph.events.map(({ id }, at) => [id as string, at]))
  const lastTurn = new Set<string>(graph.turns.findLast(({ thread }) => (thread as string) === graph.session)?.events)
  const rank = ({ event, tokens }: WeighedBlock): number => (lastTurn.has(event) ? 2 : tokens >= large ? 0 : 1)
  const placeOf = ({ event }: WeighedBlock): number => places.get(event) ?? 0
  return blocks
    .filter(({ kind, tokens, block }) => kind === 'output' && block.type === 'tool-result' && tokens >= smallest)
    .sort((one, other) => rank(one) - rank(other) || placeOf(one) - placeOf(other))
}

function cutOf({ event, tool = 'tool', tokens, block }: WeighedBlock): Cut {
  const call = block.type === 'tool-result' ? block.callId : ''
  return { event, call, tool, tokens, characters: charactersOf(block) }
}

function charactersOf(block: Block): number {
  if (block.type === 'text') return block.text.length
  return block.type === 'tool-result' ? block.content.reduce((sum, one) => sum + charactersOf(one), 0) : 0
}

function noteOf(origin: string, { event, characters }: Cut): string {
  const size = characters > 0 ? `${countText(characters)} characters of output` : 'Output'
  return `[${size} removed to save context. To read it: clew show ${origin} --event ${event} --full]`
}

/** The record with notes for its results; the structured copy, which has the output once more, goes. */
function withNotes(value: JsonObject, notes: ReadonlyMap<string, string>): JsonObject {
  const message = asObject(value['message'])
  const blocks = asArray(message?.['content'])
  const noted = blocks.map(block => {
    const note =
      isObject(block) && block['type'] === 'tool_result' ? notes.get(String(block['tool_use_id'])) : undefined
    return note === undefined ? block : { ...(block as JsonObject), content: note }
  })
  if (noted.every((block, at) => block === blocks[at])) return value
  const { toolUseResult: _copy, ...rest } = value
  return { ...rest, message: { ...message, content: noted } }
}

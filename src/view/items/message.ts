// What people and models say: prompts, delegations, answers, thinking, and commands with what they printed. Tool calls are
// not here.

import { asObject, asString } from '../../base/json.ts'
import {
  type Block,
  type EventOf,
  hasFlag,
  type OtherBlock,
  type SessionEvent,
  type ThinkingBlock,
  wasQueued,
} from '../../model/event.ts'
import { badge, codePart, foldedJson, foldedText, markdownParts, partsAfterText, textOf, textParts } from '../parts.ts'
import type { ViewItem, ViewPart } from '../view.ts'
import { countOf, firstLine, insideTag } from '../words.ts'
import { newItem, quietItem } from './item.ts'

export function viewPrompt(event: SessionEvent): ViewItem {
  const item = newItem(event, 'prompt', 'Prompt')
  item.body = spokenParts(event.blocks)
  if (wasQueued(event) || event.kind === 'queue') item.badges.push(badge('queued', 'accent'))
  const images = event.blocks.filter(block => block.type === 'image').length
  if (images > 0) item.badges.push(badge(countOf(images, 'image')))
  if (event.stated.permissionMode === 'plan') item.badges.push(badge('plan mode'))
  for (const pasted of (event.kind === 'history' && event.detail?.pasted) || []) {
    const content = typeof pasted === 'string' ? undefined : pasted.content
    if (content !== undefined) item.body.push(...foldedText(content, 'pasted'))
  }
  if (item.body.length === 0) item.badges.push(badge('empty'))
  return item
}

export function viewDelegation(event: SessionEvent): ViewItem {
  const item = newItem(event, 'delegation', 'Prompt to the subagent')
  item.body = spokenParts(event.blocks)
  return item
}

/** People may answer a request to run a tool in words of their own, next to the result; so do Claude Code's notes. */
export function viewNextToResult(event: SessionEvent, others: readonly Block[]): ViewItem {
  const { rest } = splitInjections(textOf(others))
  if (rest.trim() === '' || /^\s*(<|\[Request interrupted)/.test(rest)) {
    const item = quietItem(event, 'notice', 'Next to the result')
    item.body = [...textParts(textOf(others), 'quiet'), ...partsAfterText(others)]
    return item
  }
  const isSide = hasFlag(event, 'sidechain')
  const item = newItem(event, isSide ? 'delegation' : 'prompt', isSide ? 'Prompt to the subagent' : 'Prompt')
  item.actor = isSide ? 'agent' : 'human'
  item.badges.push(badge('next to a result'))
  item.body = spokenParts(others)
  return item
}

/** Text written as Markdown; what Claude Code put in front of it for the model is folded. */
function spokenParts(blocks: readonly Block[]): ViewPart[] {
  const spoken: ViewPart[] = []
  const injected: ViewPart[] = []
  for (const block of blocks) {
    if (block.type !== 'text') continue
    const { notes, rest } = splitInjections(block.text)
    spoken.push(...markdownParts(rest))
    injected.push(...foldedText(notes, 'added by Claude Code'))
  }
  return [...spoken, ...partsAfterText(blocks), ...injected]
}

const injection = /\s*<(system-reminder|ide_opened_file|ide_selection|ide_diagnostics)>/y

/** Reminders and editor notes in front of a text, apart from the text itself. */
export function splitInjections(text: string): { notes: string; rest: string } {
  let at = 0
  for (;;) {
    injection.lastIndex = at
    const found = injection.exec(text)
    if (!found) break
    const close = `</${found[1]}>`
    const end = text.indexOf(close, injection.lastIndex)
    if (end === -1) break
    at = end + close.length
  }
  return { notes: text.slice(0, at), rest: text.slice(at) }
}

export function viewAnswer(event: SessionEvent, text: string): ViewItem {
  const isSynthetic = hasFlag(event, 'synthetic')
  const item = newItem(event, 'answer', 'Answer')
  // Under the same mark Claude Code writes fillers and what is left of an interrupted answer.
  item.isQuiet = isSynthetic && text.trim() === 'No response requested.'
  item.body = markdownParts(text)
  if (isSynthetic) item.badges.push(badge('written by Claude Code'))
  return item
}

/** Reasons to stop that a reader should know of. */
const oddStops: Readonly<Record<string, string>> = {
  max_tokens: 'cut at the token limit',
  model_context_window_exceeded: 'cut: context window full',
  refusal: 'refused',
  pause_turn: 'paused',
}

export function markStop(item: ViewItem, event: SessionEvent): void {
  const reason = event.message?.stopReason ?? ''
  const words = Object.hasOwn(oddStops, reason) ? oddStops[reason] : undefined
  if (words !== undefined) item.badges.push(badge(words, 'warn'))
}

export function viewThinking(event: SessionEvent, block: ThinkingBlock): ViewItem {
  const item = quietItem(event, 'thinking', 'Thinking')
  if (block.redacted) item.body = textParts('thinking was redacted by the API', 'quiet')
  else if (!block.logged) item.body = textParts('thinking was not logged by this version', 'quiet')
  else item.body = markdownParts(block.text)
  return item
}

/** A block of an answer that has no meaning of its own; a fallback names the models. */
export function viewOtherBlock(event: SessionEvent, block: OtherBlock): ViewItem {
  const raw = asObject(block.raw)
  const from = modelName(raw?.['from'])
  const to = modelName(raw?.['to'])
  if (block.wireType === 'fallback' && from !== undefined && to !== undefined) {
    return newItem(event, 'notice', `Model changed  ${from} → ${to}`)
  }
  const item = quietItem(event, 'unknown', block.wireType === '' ? 'Unknown block' : `Unknown block  ${block.wireType}`)
  item.body = [foldedJson(block.raw)]
  return item
}

function modelName(value: unknown): string | undefined {
  return asString(value) ?? asString(asObject(value)?.['model'])
}

/** `/compact keep the tests`, `! npm test`; `outputs`: what it printed, in the records right behind it. */
export function viewCommand(event: EventOf<'command'>, outputs: readonly SessionEvent[]): ViewItem {
  const { command, args, mode } = event.detail ?? {}
  const isBash = mode === 'bash'
  const text = command ?? textOf(event.blocks).trim()
  const headline = isBash ? `! ${firstLine(text)}` : [text, args ?? ''].filter(word => word !== '').join(' ')
  const item = newItem(event, 'command', firstLine(headline))
  if (isBash) item.body.push(codePart(text, 'bash'))
  else if (headline.includes('\n')) item.body.push(...textParts(headline))
  if (wasQueued(event)) item.badges.push(badge('queued', 'accent'))
  for (const output of outputs) item.body.push(...outputParts(output))
  return item
}

export function viewCommandOutput(event: SessionEvent): ViewItem {
  const item = newItem(event, 'command', 'Command output')
  item.body = outputParts(event)
  item.isQuiet = item.body.length === 0
  return item
}

const outputTags = ['local-command-stdout', 'bash-stdout', 'local-command-stderr', 'bash-stderr']

function outputParts(event: SessionEvent): ViewPart[] {
  const text = textOf(event.blocks)
  const parts = outputTags.flatMap(tag => {
    const isError = tag.endsWith('stderr')
    return textParts(insideTag(text, tag), isError ? 'bad' : 'plain', isError ? 'stderr' : 'stdout')
  })
  const hasTag = outputTags.some(tag => text.includes(`<${tag}`))
  return [...(hasTag ? parts : textParts(text)), ...partsAfterText(event.blocks)]
}

// One event as one line of text: time, who, what, and the beginning of what was said. Nothing from the log reaches the
// terminal raw.

import pc from 'picocolors'
import { clockIn } from '../../base/clock.ts'
import { escapeForLine } from '../../base/escape.ts'
import { cutToColumns } from '../../base/width.ts'
import { fileOfCall } from '../../graph/touched-file.ts'
import { detailFields } from '../../model/detail.ts'
import type { Block, SessionEvent, ToolCallBlock } from '../../model/event.ts'

const textWidth = 100

export function eventText(event: SessionEvent, timezone: string | undefined): string {
  const flags = event.flags.filter(flag => flag !== 'sidechain').map(flag => ` [${flag}]`)
  const time = timeText(event.at, timezone).padEnd(19)
  const head = `${pc.dim(time)}  ${event.actor.padEnd(6)} ${pc.bold(event.kind.padEnd(15))}`
  return `${head} ${event.flags.includes('sidechain') ? pc.dim('│ ') : ''}${gist(event)}${pc.dim(flags.join(''))}`
}

/** `2026-02-17 23:21:59` in this time zone, else the machine's. */
export function timeText(at: string | null, timezone: string | undefined): string {
  return at === null ? '-' : clockIn(timezone)(Date.parse(at))
}

function gist(event: SessionEvent): string {
  const parts = event.blocks.map(block => blockGist(block, event.cwd)).filter(part => part !== '')
  const text = parts.length > 0 ? parts.join(' · ') : detailGist(event)
  return cutToColumns(escapeForLine(text), textWidth)
}

/** `cwd`: of the event. */
export function blockGist(block: Block, cwd?: string): string {
  switch (block.type) {
    case 'text':
      return block.text.trim()
    case 'thinking':
      return block.logged ? `(thinks) ${block.text.trim()}` : '(thinking, text not logged)'
    case 'tool-call':
      return `→ ${block.name} ${mainInput(block, cwd)}`
    case 'tool-result':
      return `${block.isError ? '✗' : '←'} ${block.content.map(part => blockGist(part)).join(' ')}`
    case 'image':
    case 'document':
      return `(${block.type} ${block.mediaType}, ${block.bytes} bytes)`
    case 'other':
      return `(${block.wireType})`
  }
}

/** What a call's input says first: the file that it touches, or one field. */
function mainInput(block: ToolCallBlock, cwd: string | undefined): string {
  const file = fileOfCall(block, cwd)
  if (file !== undefined && file.touch !== 'other') return file.path
  const { input } = block
  if (typeof input !== 'object' || input === null) return ''
  const fields = input as Record<string, unknown>
  const names = ['command', 'pattern', 'query', 'url', 'description', 'subject', 'skill', 'prompt']
  const name = names.find(key => typeof fields[key] === 'string')
  return name === undefined ? (file?.path ?? '') : String(fields[name])
}

function detailGist(event: SessionEvent): string {
  const facts = Object.entries(detailFields(event)).filter(([, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value),
  )
  return facts.map(([key, value]) => `${key} ${value}`).join(', ')
}

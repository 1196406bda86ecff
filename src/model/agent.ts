// Agents by what their records say: the task that one was given, and whether Claude Code started it for itself. Which call
// started an agent is found in the graph.

import { blocksText, type SessionEvent } from './event.ts'

/** The first instruction of an agent. A teammate gets its task as a message from its lead. */
export function isTask(event: SessionEvent): boolean {
  return event.kind === 'delegation' || (event.kind === 'notification' && event.actor === 'agent')
}

/** Without the reminders that Claude Code puts before it. */
export function taskText(event: SessionEvent): string {
  const own = event.blocks.filter(block => block.type === 'text' && !block.text.startsWith('<system-reminder>'))
  return blocksText(own).trim().replace(teammateMarkup, '').trim()
}

const teammateMarkup = /^<teammate-message[^>]*>|<\/teammate-message>$/g

/** `aprompt_suggestion-…`, `acompact-…`, `aside_question-…`: Claude Code names its own by what they are for. */
const ownAgent = /^a?(compact|[a-z]+(_[a-z]+)+)-/

export function isNamedByClaudeCode(id: string): boolean {
  return ownAgent.test(id)
}

/** What Claude Code started an agent of its own for, in its own word: `prompt_suggestion`; undefined for other agents. */
export function ownPurpose(id: string): string | undefined {
  return ownAgent.exec(id)?.[1]
}

/** Whether an agent does more in this event than to answer. */
export function isWork(event: SessionEvent): boolean {
  return event.kind !== 'answer' || event.blocks.some(block => block.type === 'tool-call')
}

/**
 * Whether Claude Code started an agent for itself. `task`: its first instruction. 2.0.2x wrote only the answer to its warm-up:
 * an agent without instruction and work.
 */
export function isOwnAgent(id: string, task: string, isBusy: boolean): boolean {
  return isNamedByClaudeCode(id) || task === 'Warmup' || (task === '' && !isBusy)
}

// What colours and icons mean: the kind of a tool, the hue of a subagent, the tone of a model. An unknown tool is a plain one.

import type { HeadThread, SessionHead } from '../../src/view/reading.ts'
import type { IconName } from './icon.tsx'

export type ToolKind = 'file' | 'shell' | 'web' | 'agent' | 'list' | 'talk' | 'plug' | 'other'

const kinds: Readonly<Record<string, ToolKind>> = {
  Read: 'file',
  Edit: 'file',
  MultiEdit: 'file',
  Write: 'file',
  NotebookEdit: 'file',
  NotebookRead: 'file',
  LS: 'file',
  Glob: 'file',
  Bash: 'shell',
  BashOutput: 'shell',
  PowerShell: 'shell',
  KillShell: 'shell',
  KillBash: 'shell',
  Grep: 'shell',
  WebFetch: 'web',
  WebSearch: 'web',
  web_search: 'web',
  web_fetch: 'web',
  Task: 'agent',
  Agent: 'agent',
  SendMessage: 'agent',
  TeamCreate: 'agent',
  TeamDelete: 'agent',
  Workflow: 'agent',
  TodoWrite: 'list',
  TodoRead: 'list',
  TaskCreate: 'list',
  TaskUpdate: 'list',
  TaskList: 'list',
  TaskGet: 'list',
  AskUserQuestion: 'talk',
  ExitPlanMode: 'talk',
  EnterPlanMode: 'talk',
  exit_plan_mode: 'talk',
  Skill: 'talk',
  SlashCommand: 'talk',
}

/** By a tool's name, or its form in a headline: `server › tool`. */
export function toolKind(name: string): ToolKind {
  if (Object.hasOwn(kinds, name)) return kinds[name] ?? 'other'
  return name.startsWith('mcp__') || name.includes(' › ') ? 'plug' : 'other'
}

export function toolIcon(name: string): IconName {
  return toolKind(name)
}

const hues = 8
const known = new WeakMap<SessionHead, Map<string, number>>()

/** The earlier first, in every head of a session. */
export function byStart(one: HeadThread, other: HeadThread): number {
  const order = (one.startedAt ?? '').localeCompare(other.startedAt ?? '')
  return order === 0 ? (one.id < other.id ? -1 : 1) : order
}

/** 1 to 8, for the token `--agent-N`; 0 for the main thread and where nothing is known. */
export function agentHue(head: SessionHead | undefined, thread: string): number {
  if (!head) return 0
  let places = known.get(head)
  if (!places) {
    // A first head, from the index, has them in another order than the log.
    const agents = head.threads.filter(one => one.kind === 'subagent').sort(byStart)
    places = new Map(agents.map((one, at) => [one.id, (at % hues) + 1]))
    known.set(head, places)
  }
  return places.get(thread) ?? 0
}

const tones = ['prompt', 'file', 'agent', 'seam', 'shell', 'faint']
/** Models by rank have these tones; those beyond share the last one. */
export const toneCount = tones.length

export function toneStyle(tone: number): { fill: string; background: string } {
  const colour = `var(--${tones[tone]})`
  return { fill: colour, background: colour }
}

// What sort of thing a tool does, for its colour and its icon. A tool that nobody knows is a plain one.

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

/** By a tool's name, or by what stands for it in a headline: `server › tool`. */
export function toolKind(name: string): ToolKind {
  if (Object.hasOwn(kinds, name)) return kinds[name] ?? 'other'
  return name.startsWith('mcp__') || name.includes(' › ') ? 'plug' : 'other'
}

export function toolIcon(name: string): IconName {
  return toolKind(name)
}

// What a tool's result says of agents, tasks and runs: the few words by which calls are linked to what they started, and by which
// the end of that is known. It does not say how the call came out.

import { asObject, asString } from '../base/json.ts'
import type { Block, ToolResultBlock } from '../model/event.ts'

const agentInText = /\bagentId: [\w@.-]+/

/** Ids of agents, tasks and runs that a result names, and whether they continue. */
export function namedBy(block: ToolResultBlock): Record<string, unknown> | undefined {
  const fields = namedFields(asObject(block.structured))
  const inText = agentNamedIn(block.content)
  const isLaunch = asObject(block.structured) === undefined && headOf(block, launched.length) === launched
  if (fields === undefined && inText === undefined && !isLaunch) return undefined
  return { ...fields, ...(isLaunch && { isAsync: true }), ...(inText !== undefined && { text: inText }) }
}

const launched = 'Async agent launched successfully'

/** Every field by its own name: most results have none of them, and a lookup by a variable costs several times as much. */
function namedFields(facts: ReturnType<typeof asObject>): Record<string, unknown> | undefined {
  if (facts === undefined) return undefined
  const task = asObject(facts['task'])
  const ids = facts['agentId'] ?? facts['agent_id'] ?? facts['teammate_id'] ?? facts['runId'] ?? facts['taskId']
  const shell = facts['task_id'] ?? facts['backgroundTaskId'] ?? facts['shellId'] ?? facts['shell_id']
  const status = facts['status']
  const isState = facts['isAsync'] === true || status === 'async_launched' || status === 'teammate_spawned'
  if (ids === undefined && shell === undefined && task === undefined && !isState) return undefined
  const found = picked(facts)
  if (task !== undefined) found['task'] = picked(task)
  return found
}

const idNames = ['agentId', 'agent_id', 'teammate_id', 'runId', 'taskId', 'task_id', 'backgroundTaskId', 'shellId']
const otherNames = ['shell_id', 'status', 'agentType', 'agent_type']

function picked(facts: { readonly [key: string]: unknown }): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  for (const name of [...idNames, ...otherNames]) {
    const text = asString(facts[name])
    if (text !== undefined && text.length <= 500) found[name] = text
  }
  if (facts['isAsync'] === true) found['isAsync'] = true
  return found
}

function agentNamedIn(content: readonly Block[]): string | undefined {
  for (const block of content) {
    const name = block.type === 'text' && mayNameAgent(block.text) ? agentInText.exec(block.text)?.[0] : undefined
    if (name !== undefined) return name
  }
  return undefined
}

/** Most outputs are long and name none, so a plain search for a rare prefix comes before the expression. */
function mayNameAgent(text: string): boolean {
  return text.includes('Id: ') && text.includes('agentId: ')
}

/** The beginning of a result's text, without joining long ones. */
export function headOf({ content }: ToolResultBlock, length: number): string {
  let head = ''
  for (const block of content) {
    if (head.length >= length) break
    if (block.type === 'text')
      head = head === '' ? block.text.slice(0, length) : `${head}\n${block.text.slice(0, length)}`
  }
  return head.slice(0, length)
}

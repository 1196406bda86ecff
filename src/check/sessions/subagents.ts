// Rules about subagents and their own files: marks on their records, ids, names, life cycle and what they hand back. Rules
// about sidechains inside a session file are in `sidechains.ts`.

import { asString } from '../../base/json.ts'
import type { Block, SessionEvent } from '../../model/event.ts'
import type { LogFile } from '../../model/source.ts'
import type { FileFacts, Report, Rule, SessionFacts } from '../rule.ts'
import { quote, short } from '../wire.ts'
import { indexFile, isChain, isSidechain, nameOf, pathParts, placeIn, placeOf } from './facts.ts'

const agentIdMissing: Rule = {
  code: 'agent-id-missing',
  record(facts, report) {
    const { value, file, profile } = facts
    if (!isChain(facts) || typeof value['agentId'] === 'string') return
    if (file.role === 'agent') report('A record of an agent file has no agentId.', placeIn(facts))
    else if (profile === 's1' && isSidechain(value)) report('A sidechain record has no agentId.', placeIn(facts))
  },
}

const agentIdOnMain: Rule = {
  code: 'agent-id-on-main',
  record(facts, report) {
    const agent = facts.value['agentId']
    if (facts.value['isSidechain'] === false && agent !== undefined && agent !== null)
      report(`agentId ${quote(agent)} is on a record outside sidechains.`, placeIn(facts))
  },
}

const agentIdFileName: Rule = {
  code: 'agent-id-file-name',
  file(facts, report) {
    const name = agentNameOf(facts.file)
    if (name === undefined) return
    reportOthers(
      facts,
      'agentId',
      name,
      report,
      other => `agentId ${quote(other)} is not that of the file name, ${quote(name)}.`,
    )
  },
}

const subagentParentSession: Rule = {
  code: 'subagent-parent-session',
  file(facts, report) {
    const session = facts.file.role === 'agent' ? sessionFolderOf(facts.file.path) : undefined
    if (session === undefined) return
    reportOthers(
      facts,
      'sessionId',
      session,
      report,
      other => `sessionId ${quote(other)} is not that of the folder, ${quote(session)}.`,
    )
  },
}

/** Reports every other value of a field once, where it is first. */
function reportOthers(
  facts: FileFacts,
  key: string,
  expected: string,
  report: Report,
  say: (other: string) => string,
): void {
  const seen = new Set([expected])
  for (const each of indexFile(facts).logged) {
    const found = asString(each.value[key])
    if (found === undefined || seen.has(found)) continue
    seen.add(found)
    report(say(found), placeOf(each))
  }
}

function agentNameOf(file: LogFile): string | undefined {
  if (file.role !== 'agent') return undefined
  return file.nameAgent ?? /^agent-(.+)$/i.exec(nameOf(file.path))?.[1]
}

/** The name of the folder that `subagents` is in. */
function sessionFolderOf(path: string): string | undefined {
  const parts = pathParts(path)
  const at = parts.lastIndexOf('subagents')
  return at > 0 ? parts[at - 1] : undefined
}

const subagentTypes: Rule = {
  code: 'subagent-types',
  file(facts, report) {
    if (facts.file.role !== 'agent') return
    const seen = new Set(['user', 'assistant'])
    for (const each of indexFile(facts).logged) {
      const type = each.record.type ?? ''
      if (seen.has(type)) continue
      seen.add(type)
      report(`An agent file contains a record of type ${quote(type)}.`, placeOf(each))
    }
  },
}

const subagentLifecycle: Rule = {
  code: 'subagent-lifecycle',
  session(facts, report) {
    // An agent file alone does not show what its main session contains.
    if (facts.neighbours !== undefined && !facts.files.logs.some(({ role }) => role === 'session')) return
    const { threads, toolCalls } = facts.graph
    const threadById = new Map(threads.map(thread => [String(thread.id), thread]))
    const callById = new Map(toolCalls.map(call => [call.id, call]))
    const queued = new Set(tasksOf(facts).map(task => task.id))
    for (const file of facts.files.logs) {
      const agent = agentNameOf(file)
      const thread = threadById.get(agent ?? '')
      if (agent === undefined || thread?.isInternal === true) continue
      const call = thread?.call === undefined ? undefined : callById.get(thread.call)
      const missing: string[] = []
      if (call === undefined) missing.push('its call')
      if (!queued.has(agent)) missing.push('its enqueue')
      if (call?.resultEvent === undefined) missing.push('its result')
      if (missing.length > 0)
        report(`The main session lacks ${missing.join(' and ')} of subagent ${quote(agent)}.`, { file: file.path })
    }
  },
}

interface Task {
  id: string
  type: string | undefined
  event: SessionEvent
}

/** The tasks that queue operations of the session describe. */
function tasksOf(facts: SessionFacts): Task[] {
  const tasks: Task[] = []
  for (const event of facts.graph.events) {
    const { id, type } = (event.kind === 'queue' && event.detail?.task) || {}
    if (id !== undefined) tasks.push({ id, type, event })
  }
  return tasks
}

const queueTaskSubagentFile: Rule = {
  code: 'queue-task-subagent-file',
  session(facts, report) {
    const logs = [...facts.files.logs, ...(facts.neighbours ?? [])]
    const placed = facts.profile === 's2' ? logs.filter(({ path }) => sessionFolderOf(path) !== undefined) : logs
    const agents = new Set(placed.map(agentNameOf))
    for (const { id, type, event } of tasksOf(facts))
      if (type === 'local_agent' && !agents.has(id))
        report(`There is no file agent-${short(id)}.jsonl for this task.`, { event })
  },
}

const subagentResultFinalOutput: Rule = {
  code: 'subagent-result-final-output',
  session(facts, report) {
    const { threads, toolCalls, nodes } = facts.graph
    const callById = new Map(toolCalls.map(call => [call.id, call]))
    for (const thread of threads) {
      const call = thread.call === undefined ? undefined : callById.get(thread.call)
      const result = call?.resultEvent === undefined ? undefined : nodes.get(call.resultEvent)?.event
      if (call === undefined || result === undefined || thread.async === true || call.outcome !== 'done') continue
      const answer = lastAnswer(thread.events.map(id => nodes.get(id)?.event))
      if (answer === '' || resultText(result.blocks, call.id).includes(answer)) continue
      report(`The result does not contain what the subagent answered last, ${quote(answer)}.`, { event: result })
    }
  },
}

function lastAnswer(events: readonly (SessionEvent | undefined)[]): string {
  for (let at = events.length - 1; at >= 0; at--) {
    const event = events[at]
    if (event?.kind !== 'answer') continue
    const text = blockText(event.blocks).trim()
    if (text !== '') return text
  }
  return ''
}

function resultText(blocks: readonly Block[], callId: string): string {
  return blocks
    .map(block => (block.type === 'tool-result' && block.callId === callId ? blockText(block.content) : ''))
    .join('\n')
}

function blockText(blocks: readonly Block[]): string {
  return blocks.map(block => (block.type === 'text' ? block.text : '')).join('\n')
}

export const subagentRules: readonly Rule[] = [
  agentIdMissing,
  agentIdOnMain,
  agentIdFileName,
  subagentParentSession,
  subagentTypes,
  subagentLifecycle,
  queueTaskSubagentFile,
  subagentResultFinalOutput,
]

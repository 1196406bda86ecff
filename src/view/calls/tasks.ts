// Work in the background: looking at it, stopping it, waiting for it.

import { asArray, asNumber, asObject, asString, type JsonObject } from '../../base/json.ts'
import { badge, codePart, factsPart, fieldParts, markdownParts, textParts, valueText } from '../parts.ts'
import type { Badge, CheckListPart, ViewPart } from '../view.ts'
import { durationText, firstLine } from '../words.ts'
import {
  type CallFacts,
  type CallForm,
  type Form,
  firstString,
  outcomeTone,
  plainOutcome,
  quietOutcome,
} from './facts.ts'

export const taskForms: Readonly<Record<string, Form>> = {
  TaskOutput: outputForm,
  AgentOutputTool: outputForm,
  TaskStop: stopForm,
  Monitor: monitorForm,
  ScheduleWakeup: wakeupForm,
}

function outputForm(facts: CallFacts): CallForm {
  const { input, structured } = facts
  const task = asObject(structured['task'])
  const id = firstString(input, ['task_id', 'agentId', 'bash_id']) ?? asString(task?.['task_id']) ?? ''
  const description = asString(task?.['description'])
  const badges: Badge[] = []
  const retrieval = asString(structured['retrieval_status'])
  if (retrieval !== undefined && retrieval !== 'success') badges.push(badge(retrieval.replace(/_/g, ' '), 'warn'))
  const status = asString(task?.['status'])
  if (status !== undefined) badges.push(badge(status.replace(/_/g, ' '), status === 'completed' ? 'good' : 'quiet'))
  const exit = asNumber(task?.['exitCode'])
  if (exit !== undefined) badges.push(badge(`exit ${exit}`, exit === 0 ? 'good' : 'bad'))
  return {
    subject: description === undefined ? id : `${id}  ${description}`,
    badges,
    request: fieldParts(input, ['task_id', 'agentId', 'bash_id', 'block', 'timeout']),
    outcome: task && outcomeTone(facts) === 'plain' ? taskOutput(facts, task) : plainOutcome(facts),
  }
}

function taskOutput(facts: CallFacts, task: { readonly [key: string]: unknown }): ViewPart[] {
  const answer = asString(task['result'])
  const output = asString(task['output'])
  const isAgent = task['task_type'] === 'local_agent'
  const text = answer ?? output
  if (text === undefined) return plainOutcome(facts)
  return [...(isAgent ? markdownParts(text) : textParts(text)), ...textParts(asString(task['error']), 'bad', 'error')]
}

function stopForm(facts: CallFacts): CallForm {
  const { input, structured } = facts
  const id = firstString(input, ['task_id', 'shell_id']) ?? asString(structured['task_id']) ?? ''
  const command = asString(structured['command'])
  const tone = outcomeTone(facts)
  return {
    subject: id,
    request: [
      ...(command === undefined ? [] : [codePart(command, 'bash')]),
      ...fieldParts(input, ['task_id', 'shell_id']),
    ],
    outcome: textParts(command === undefined ? (asString(structured['message']) ?? facts.text) : '', tone),
  }
}

function monitorForm(facts: CallFacts): CallForm {
  const { input, structured } = facts
  const command = firstString(input, ['command', 'script'])
  const timeout = asNumber(structured['timeoutMs']) ?? asNumber(input['timeout_ms'])
  const badges: Badge[] = []
  const task = asString(structured['taskId'])
  if (task !== undefined) badges.push(badge(`background task ${task}`, 'accent'))
  if (structured['persistent'] === true || input['persistent'] === true) badges.push(badge('persistent'))
  else if (timeout !== undefined) badges.push(badge(`timeout ${durationText(timeout)}`))
  return {
    subject: firstString(input, ['description']) ?? firstLine(command ?? ''),
    badges,
    request: [
      ...(command === undefined ? [] : [codePart(command, 'bash')]),
      ...fieldParts(input, ['command', 'script', 'description', 'timeout_ms', 'persistent']),
    ],
    outcome: quietOutcome(facts),
  }
}

function wakeupForm(facts: CallFacts): CallForm {
  const { input, structured } = facts
  const delay = asNumber(structured['clampedDelaySeconds']) ?? asNumber(input['delaySeconds'])
  const reason = firstString(input, ['reason', 'description'])
  return {
    subject: reason ?? (delay === undefined ? '' : `in ${durationText(delay * 1000)}`),
    badges: delay === undefined ? [] : [badge(`in ${durationText(delay * 1000)}`)],
    request: [
      ...markdownParts(asString(input['prompt'])),
      ...fieldParts(input, ['delaySeconds', 'reason', 'description', 'prompt']),
    ],
    outcome: [...factsPart([['scheduled for', structured['scheduledFor']]]), ...quietOutcome(facts)],
  }
}

export const listForms: Readonly<Record<string, Form>> = {
  TodoWrite: todoForm,
  TodoRead: facts => ({ subject: '', outcome: listOutcome(facts, facts.structured['todos'] ?? facts.rawStructured) }),
  TaskCreate: createForm,
  TaskUpdate: updateForm,
  TaskList: facts => ({ subject: '', outcome: listOutcome(facts, facts.structured['tasks']) }),
  TaskGet: getForm,
}

type Item = CheckListPart['items'][number]

function stateOf(status: unknown): Item['state'] {
  switch (status) {
    case 'completed':
    case 'done':
      return 'done'
    case 'in_progress':
    case 'active':
      return 'active'
    case 'deleted':
    case 'cancelled':
    case 'canceled':
    case 'dropped':
      return 'dropped'
    default:
      return 'open'
  }
}

interface Todo {
  key: string
  text: string
  state: Item['state']
}

function todosOf(list: unknown): Todo[] {
  return asArray(list).flatMap(value => {
    if (typeof value === 'string') return [{ key: value, text: value, state: 'open' as const }]
    const item = asObject(value)
    if (item === undefined) return []
    const text = asString(item['content']) ?? asString(item['subject']) ?? asString(item['title']) ?? ''
    const priority = asString(item['priority'])
    const shown = priority === undefined ? text : `${text} (${priority})`
    return [{ key: valueText(item['id']) ?? text, text: shown, state: stateOf(item['status']) }]
  })
}

function checkList(todos: readonly Todo[]): CheckListPart[] {
  if (todos.length === 0) return []
  return [{ type: 'checklist', items: todos.map(({ text, state }) => ({ text, state })) }]
}

function doneBadge(todos: readonly Todo[]): Badge[] {
  const done = todos.filter(todo => todo.state === 'done').length
  return todos.length === 0 ? [] : [badge(`${done} of ${todos.length} done`)]
}

function todoForm(facts: CallFacts): CallForm {
  const { input, structured } = facts
  const logged = todosOf(structured['newTodos'])
  const todos = logged.length > 0 ? logged : todosOf(input['todos'])
  const active = todos.find(todo => todo.state === 'active')
  const failed = outcomeTone(facts) === 'plain' ? [] : plainOutcome(facts)
  return {
    subject: active?.text ?? '',
    badges: doneBadge(todos),
    request: fieldParts(input, ['todos']),
    outcome: [...failed, ...checkList(todos), ...changes(todosOf(structured['oldTodos']), todos)],
  }
}

/** What is different from the list before, in words. */
function changes(before: readonly Todo[], after: readonly Todo[]): ViewPart[] {
  if (before.length === 0) return []
  const old = new Map(before.map(todo => [todo.key, todo]))
  const kept = new Set(after.map(todo => todo.key))
  const facts: [string, string][] = []
  for (const todo of after) {
    const was = old.get(todo.key)
    if (was === undefined) facts.push(['added', todo.text])
    else if (was.state !== todo.state) facts.push([changeWord(todo.state), todo.text])
  }
  for (const todo of before) if (!kept.has(todo.key)) facts.push(['taken off', todo.text])
  return factsPart(facts)
}

function changeWord(state: Item['state']): string {
  return { open: 'reopened', active: 'started', done: 'finished', dropped: 'dropped' }[state]
}

function createForm(facts: CallFacts): CallForm {
  const { input, structured } = facts
  const task = asObject(structured['task']) ?? {}
  const subject = asString(input['subject']) ?? asString(task['subject']) ?? ''
  const id = valueText(task['id'])
  const list = checkList([{ key: '', text: subject, state: 'open' }])
  const failed = outcomeTone(facts) === 'plain' ? [] : plainOutcome(facts)
  return {
    subject,
    badges: id === undefined ? [] : [badge(`task ${id}`)],
    request: [
      ...list,
      ...markdownParts(asString(input['description'])),
      ...fieldParts(input, ['subject', 'description', 'activeForm']),
    ],
    outcome: failed,
  }
}

function updateForm(facts: CallFacts): CallForm {
  const { input, structured } = facts
  const id = valueText(input['taskId']) ?? valueText(structured['taskId']) ?? ''
  const subject = asString(input['subject']) ?? facts.subjectOf(id) ?? `task ${id}`
  const status = asString(input['status']) ?? asString(asObject(structured['statusChange'])?.['to'])
  const list = status === undefined ? [] : checkList([{ key: id, text: subject, state: stateOf(status) }])
  const error = structured['success'] === false ? textParts(asString(structured['error']) ?? facts.text, 'bad') : []
  const badges = [badge(`task ${id}`)]
  if (status !== undefined) badges.push(badge(status.replace('_', ' '), status === 'completed' ? 'good' : 'quiet'))
  return {
    subject,
    badges,
    request: [...list, ...fieldParts(input, ['taskId', 'status', 'subject', 'activeForm'])],
    outcome: error.length > 0 ? error : outcomeTone(facts) === 'plain' ? [] : plainOutcome(facts),
  }
}

function getForm(facts: CallFacts): CallForm {
  const task = asObject(facts.structured['task'])
  const id = valueText(facts.input['taskId']) ?? ''
  const subject = asString(task?.['subject']) ?? facts.subjectOf(id) ?? `task ${id}`
  return { subject, badges: [badge(`task ${id}`)], outcome: task ? taskParts(task) : plainOutcome(facts) }
}

function taskParts(task: JsonObject): ViewPart[] {
  return [
    ...checkList(todosOf([task])),
    ...markdownParts(asString(task['description'])),
    ...fieldParts(task, ['id', 'subject', 'status', 'description', 'activeForm']),
  ]
}

function listOutcome(facts: CallFacts, list: unknown): ViewPart[] {
  const items = checkList(todosOf(list))
  return items.length === 0 ? plainOutcome(facts) : items
}

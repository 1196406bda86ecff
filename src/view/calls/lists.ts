// To-do lists and tasks as check lists. Background tasks, which run rather than being ticked off, are shown elsewhere.

import { asArray, asObject, asString, type JsonObject } from '../../base/json.ts'
import { badge, factsPart, fieldParts, markdownParts, textParts, valueText } from '../parts.ts'
import type { Badge, CheckListPart, ViewPart } from '../view.ts'
import { type CallFacts, type CallForm, type Form, outcomeTone, plainOutcome } from './facts.ts'

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
    return [{ key: valueText(item['id']) ?? text, text, state: stateOf(item['status']) }]
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

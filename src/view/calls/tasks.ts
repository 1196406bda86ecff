// Work in the background: looking at it, stopping it, waiting for it.

import { asNumber, asObject, asString } from '../../base/json.ts'
import { badge, codePart, factsPart, fieldParts, markdownParts, textParts } from '../parts.ts'
import type { Badge, ViewPart } from '../view.ts'
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

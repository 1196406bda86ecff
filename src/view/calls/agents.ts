// Subagents, teams and workflows: their instructions and their answers. Their threads are put between the two by
// `call.ts`.

import { asArray, asNumber, asObject, asString } from '../../base/json.ts'
import { badge, codePart, factsPart, fieldParts, markdownParts, partsAfterText, textParts } from '../parts.ts'
import type { Badge, ViewPart } from '../view.ts'
import { countOf, countText, firstLine } from '../words.ts'
import { type CallFacts, type CallForm, type Form, firstString, outcomeTone, plainOutcome, quietTone } from './facts.ts'

export const agentForms: Readonly<Record<string, Form>> = {
  Task: agentForm,
  Agent: agentForm,
  SendMessage: messageForm,
  TeamCreate: teamForm,
  TeamDelete: teamForm,
  Workflow: workflowForm,
}

function agentForm(facts: CallFacts): CallForm {
  const { input, structured } = facts
  const prompt = asString(input['prompt']) ?? asString(structured['prompt'])
  const description = firstString(input, ['description', 'name']) ?? asString(structured['description'])
  const known = ['description', 'prompt', 'subagent_type', 'run_in_background', 'model', 'name']
  return {
    subject: description ?? firstLine(prompt ?? ''),
    badges: agentBadges(facts),
    request: [...markdownParts(prompt), ...fieldParts(input, known)],
    outcome: agentOutcome(facts),
  }
}

function agentBadges({ input, structured, call }: CallFacts): Badge[] {
  const badges: Badge[] = []
  const type = firstString(input, ['subagent_type']) ?? firstString(structured, ['agentType', 'agent_type'])
  if (type !== undefined) badges.push(badge(type, 'accent'))
  const name = asString(input['name'])
  if (name !== undefined && name !== '') badges.push(badge(name))
  const model = firstString(structured, ['resolvedModel', 'model']) ?? asString(input['model'])
  if (model !== undefined) badges.push(badge(model))
  const team = asString(structured['team_name'])
  if (team !== undefined) badges.push(badge(`team ${team}`))
  const isAsync = structured['isAsync'] === true || structured['status'] === 'async_launched'
  if (isAsync || input['run_in_background'] === true) badges.push(badge('background'))
  if (call.notification !== undefined) badges.push(badge('ended by a notification'))
  const uses = asNumber(structured['totalToolUseCount'])
  if (uses !== undefined) badges.push(badge(countOf(uses, 'tool call')))
  const tokens = asNumber(structured['totalTokens'])
  if (tokens !== undefined) badges.push(badge(`${countText(tokens)} tokens`))
  return badges
}

/** The structured result has the answer alone; the content adds notes for the model behind it. */
function agentOutcome(facts: CallFacts): ViewPart[] {
  const { structured } = facts
  if (outcomeTone(facts) !== 'plain') return plainOutcome(facts)
  const answer = asArray(structured['content'])
    .flatMap(block => asString(asObject(block)?.['text']) ?? [])
    .join('\n')
  const isLaunch = structured['isAsync'] === true || structured['status'] === 'async_launched'
  const isTeam = structured['status'] === 'teammate_spawned'
  const media = partsAfterText(facts.content)
  const where = factsPart([
    ['agent', structured['agentId'] ?? structured['agent_id']],
    ['output file', structured['outputFile']],
    ['worktree', structured['worktreePath']],
    ['worktree branch', structured['worktreeBranch']],
  ])
  if (isLaunch || isTeam) return [...textParts(firstLine(facts.text), 'quiet'), ...where]
  const said = answer === '' ? facts.text : answer
  return [...markdownParts(said), ...media, ...where]
}

function messageForm(facts: CallFacts): CallForm {
  const { input, structured } = facts
  const to = firstString(input, ['to', 'recipient']) ?? asString(structured['target'])
  const written = input['message'] ?? input['content']
  const summary = asString(input['summary'])
  const said = asString(structured['message']) ?? facts.text
  return {
    subject: [to === undefined ? '' : `to ${to}`, summary ?? ''].filter(word => word !== '').join('  '),
    badges: structured['success'] === false ? [badge('not delivered', 'bad')] : [],
    request: [
      ...(typeof written === 'string' ? markdownParts(written) : fieldParts({ message: written })),
      ...fieldParts(input, ['to', 'recipient', 'message', 'content', 'summary']),
    ],
    outcome: textParts(said, quietTone(facts)),
  }
}

function teamForm(facts: CallFacts): CallForm {
  const { input, structured } = facts
  const name = firstString(input, ['team_name', 'name']) ?? asString(structured['team_name']) ?? ''
  const hasFields = Object.keys(structured).length > 0 && outcomeTone(facts) === 'plain'
  return {
    subject: name,
    request: fieldParts(input, ['team_name', 'name']),
    outcome: hasFields ? fieldParts(structured, ['team_name']) : plainOutcome(facts),
  }
}

function workflowForm(facts: CallFacts): CallForm {
  const { input, structured } = facts
  const script = asString(input['script'])
  const name = firstString(input, ['name', 'workflow', 'description']) ?? asString(structured['workflowName'])
  const status = asString(structured['status'])
  const hasFields = Object.keys(structured).length > 0 && outcomeTone(facts) === 'plain'
  const summary = asString(structured['summary'])
  return {
    subject: name ?? firstLine(summary ?? ''),
    badges: status === undefined ? [] : [badge(status.replace(/_/g, ' '))],
    request: [
      ...(script === undefined ? [] : [codePart(script, 'js')]),
      ...fieldParts(input, ['script', 'name', 'workflow', 'description']),
    ],
    outcome: hasFields
      ? [...markdownParts(summary), ...fieldParts(structured, ['status', 'summary', 'workflowName'])]
      : plainOutcome(facts),
  }
}

// Calls that speak with the user or change how the model works: questions, plans, skills, findings.

import { asArray, asNumber, asObject, asString, isObject, type JsonObject } from '../../base/json.ts'
import { badge, factsPart, fieldParts, markdownParts, textParts, valueText } from '../parts.ts'
import type { Badge, ViewPart } from '../view.ts'
import { countOf, firstLine } from '../words.ts'
import {
  type CallFacts,
  type CallForm,
  type Form,
  firstString,
  plainOutcome,
  quietOutcome,
  quietTone,
} from './facts.ts'

export const talkForms: Readonly<Record<string, Form>> = {
  AskUserQuestion: questionForm,
  ExitPlanMode: planForm,
  exit_plan_mode: planForm,
  EnterPlanMode: facts => ({
    subject: '',
    request: fieldParts(facts.input),
    outcome: textParts(asString(facts.structured['message']) ?? facts.text, quietTone(facts)),
  }),
  Skill: skillForm,
  SlashCommand: skillForm,
  ReportFindings: findingsForm,
}

function questionForm(facts: CallFacts): CallForm {
  const { input, structured } = facts
  const logged = asArray(structured['questions'])
  const questions = (logged.length > 0 ? logged : asArray(input['questions'])).filter(isObject)
  const answers = asObject(structured['answers']) ?? asObject(input['answers']) ?? {}
  const notes = asObject(structured['annotations']) ?? {}
  const hasAnswers = Object.keys(answers).length > 0
  const headers = questions.map(question => firstString(question, ['header', 'question']) ?? '').filter(Boolean)
  return {
    subject: headers.join(', '),
    badges: hasAnswers ? [badge('answered', 'good')] : [],
    request: [
      ...questions.flatMap(question => questionParts(question, answers, notes)),
      ...fieldParts(input, ['questions', 'answers', 'annotations', 'metadata']),
    ],
    outcome: hasAnswers ? [] : plainOutcome(facts),
  }
}

/** The options as a check list, the chosen ones ticked; an answer in own words is below. */
function questionParts(question: JsonObject, answers: JsonObject, notes: JsonObject): ViewPart[] {
  const text = asString(question['question']) ?? ''
  const answer = Object.hasOwn(answers, text) ? answers[text] : undefined
  const chosen = valueText(answer) ?? ''
  const options = asArray(question['options']).flatMap(option => {
    const label = typeof option === 'string' ? option : asString(asObject(option)?.['label'])
    const description = asString(asObject(option)?.['description'])
    return label === undefined ? [] : [{ label, description }]
  })
  const picked = options.filter(({ label }) => isPicked(label, chosen))
  const items = options.map(option => ({
    text: option.description ? `${option.label}: ${option.description}` : option.label,
    state: picked.includes(option) ? ('done' as const) : ('open' as const),
  }))
  const note = Object.hasOwn(notes, text) ? asObject(notes[text]) : undefined
  return [
    ...markdownParts(text),
    ...(items.length === 0 ? [] : [{ type: 'checklist' as const, items }]),
    ...factsPart([
      ['answer', picked.length > 0 ? undefined : chosen],
      ['note', note?.['notes']],
    ]),
  ]
}

/** Several choices are logged as one text with commas between. */
function isPicked(label: string, chosen: string): boolean {
  return label === chosen || `, ${chosen}, `.includes(`, ${label}, `)
}

function planForm(facts: CallFacts): CallForm {
  const { input, structured, call } = facts
  const plan = asString(input['plan']) ?? asString(structured['plan'])
  const badges: Badge[] = []
  if (call.outcome === 'done') badges.push(badge('approved', 'good'))
  else if (facts.isFailed) badges.push(badge('not approved', 'warn'))
  return {
    subject: firstLine(plan ?? '').replace(/^#+ /, ''),
    badges,
    request: [
      ...markdownParts(plan),
      ...factsPart([['plan file', structured['filePath'] ?? input['planFilePath']]]),
      ...fieldParts(input, ['plan', 'planFilePath']),
    ],
    // An approval repeats the whole plan.
    outcome: call.outcome === 'done' && plan !== undefined ? [] : plainOutcome(facts),
  }
}

function skillForm(facts: CallFacts): CallForm {
  const { input, structured } = facts
  const name = firstString(input, ['skill', 'command', 'name']) ?? asString(structured['commandName']) ?? ''
  const args = asString(input['args'])
  return {
    subject: args ? `${name}  ${firstLine(args)}` : name,
    request: [
      ...(args?.includes('\n') ? textParts(args) : []),
      ...fieldParts(input, ['skill', 'command', 'name', 'args']),
      ...factsPart([['allowed tools', structured['allowedTools']]]),
    ],
    outcome: quietOutcome(facts),
  }
}

function findingsForm(facts: CallFacts): CallForm {
  const { input, structured } = facts
  const findings = asArray(structured['findings'] ?? input['findings'])
  const count = asNumber(structured['count']) ?? findings.length
  return {
    subject: firstString(input, ['level']) ?? '',
    badges: [badge(countOf(count, 'finding'))],
    request: findings.flatMap(finding => {
      const fields = asObject(finding)
      return fields ? fieldParts(fields) : []
    }),
    outcome: quietOutcome(facts),
  }
}

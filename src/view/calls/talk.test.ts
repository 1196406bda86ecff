import { expect, test } from 'vitest'
import { allText, badgeTexts, partsOf, viewCallOf } from '../testing.ts'

const questions = [
  { question: 'Which colour?', header: 'Colour', options: [{ label: 'Red', description: 'Warm' }, { label: 'Blue' }] },
  {
    question: 'Which sizes?',
    header: 'Size',
    multiSelect: true,
    options: [{ label: 'S' }, { label: 'M' }, { label: 'L' }],
  },
  { question: 'Name?', header: 'Name', options: [{ label: 'Mug' }] },
]

test('questions show their options with the chosen ones ticked', () => {
  const answers = { 'Which colour?': 'Red', 'Which sizes?': 'S, L', 'Name?': 'Beaker' }
  const annotations = { 'Which colour?': { notes: 'darker' } }
  const item = viewCallOf('AskUserQuestion', { questions }, { structured: { questions, answers, annotations } })
  expect(item.headline).toBe('AskUserQuestion  Colour, Size, Name')
  expect(badgeTexts(item)).toContain('answered')
  expect(allText(item)).toBe(
    [
      'Which colour?',
      'done Red: Warm',
      'open Blue',
      'note: darker',
      'Which sizes?',
      'done S',
      'open M',
      'done L',
      'Name?',
      'open Mug',
      'answer: Beaker',
    ].join('\n'),
  )
})

test('a question that was turned down shows why', () => {
  const content = "The user doesn't want to proceed with this tool use."
  const item = viewCallOf('AskUserQuestion', { questions }, { content, isError: true })
  expect(badgeTexts(item)).toContain('interrupted')
  expect(partsOf(item, 'text')).toEqual([{ type: 'text', text: content, tone: 'warn' }])
})

test('a plan is Markdown, approved or not, and is not repeated by its result', () => {
  const plan = '# Plan\n\n1. Read\n2. Fix'
  const structured = { plan, isAgent: false, filePath: '/p/plan.md' }
  const item = viewCallOf('ExitPlanMode', { plan }, { content: `User has approved your plan.\n${plan}`, structured })
  expect(item.headline).toBe('ExitPlanMode  Plan …')
  expect(badgeTexts(item)).toContain('approved')
  expect(item.body).toEqual([
    { type: 'markdown', text: plan },
    { type: 'facts', facts: [{ name: 'plan file', value: '/p/plan.md' }] },
  ])
  const refused = viewCallOf('ExitPlanMode', { plan }, { content: 'No', isError: true })
  expect(badgeTexts(refused)).toEqual(['not approved', '1 min', 'claude-opus-4-6'])
  expect(allText(refused)).toContain('No')
})

test('plan mode, skills and findings', () => {
  const entered = viewCallOf('EnterPlanMode', {}, { content: 'x', structured: { message: 'Entered plan mode.' } })
  expect(entered.body).toEqual([{ type: 'text', text: 'Entered plan mode.', tone: 'quiet' }])
  const skill = viewCallOf('Skill', { skill: 'report', args: 'cups' }, { content: 'Launching skill: report' })
  expect(skill.headline).toBe('Skill  report  cups')
  const findings = viewCallOf(
    'ReportFindings',
    { level: 'high' },
    { structured: { count: 1, findings: [{ file: 'a.ts' }] } },
  )
  expect(badgeTexts(findings)).toContain('1 finding')
  expect(allText(findings)).toContain('file: a.ts')
})

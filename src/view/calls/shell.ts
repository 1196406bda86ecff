// Shell commands: what was run, what it printed, how it ended.

import { asNumber, asString } from '../../base/json.ts'
import { badge, codePart, factsPart, fieldParts, mediaFromUrl, partsAfterText, textParts } from '../parts.ts'
import type { Badge, ViewPart } from '../view.ts'
import { durationText, firstLine } from '../words.ts'
import { type CallFacts, type CallForm, type Form, outcomeTone } from './facts.ts'

const knownInputs = ['command', 'description', 'timeout', 'run_in_background', 'dangerouslyDisableSandbox']

function shellForm(language: string): Form {
  return facts => {
    const command = asString(facts.input['command']) ?? ''
    const description = asString(facts.input['description'])
    const { code, text } = exitCode(facts.text)
    return {
      subject: description ? firstLine(description) : firstLine(command),
      badges: [...exitBadges(facts, code), ...inputBadges(facts)],
      request: [...(command === '' ? [] : [codePart(command, language)]), ...fieldParts(facts.input, knownInputs)],
      outcome: shellOutcome(facts, text),
    }
  }
}

export const shellForms: Readonly<Record<string, Form>> = {
  Bash: shellForm('bash'),
  PowerShell: shellForm('powershell'),
  BashOutput: outputForm,
  KillShell: killForm,
  KillBash: killForm,
}

const exitLine = /^(?:Error: )?Exit code:? (-?\d{1,10})(?:\n|$)/

/** A failed command's result begins with `Exit code N`. */
function exitCode(text: string): { code?: number; text: string } {
  const found = exitLine.exec(text.slice(0, 100))
  return found ? { code: Number(found[1]), text: text.slice(found[0].length) } : { text }
}

function exitBadges({ structured }: CallFacts, inText: number | undefined): Badge[] {
  const badges: Badge[] = []
  const code = inText ?? asNumber(structured['exitCode']) ?? asNumber(structured['code'])
  if (code !== undefined) badges.push(badge(`exit ${code}`, code === 0 ? 'good' : 'bad'))
  const meaning = asString(structured['returnCodeInterpretation'])
  if (meaning) badges.push(badge(meaning))
  return badges
}

function inputBadges({ input, structured }: CallFacts): Badge[] {
  const badges: Badge[] = []
  const task = asString(structured['backgroundTaskId'])
  if (task !== undefined) badges.push(badge(`background task ${task}`, 'accent'))
  else if (input['run_in_background'] === true) badges.push(badge('background', 'accent'))
  const timedOut = asNumber(structured['timedOutAfterMs'])
  if (timedOut !== undefined) badges.push(badge(`timed out after ${durationText(timedOut)}`, 'warn'))
  const timeout = asNumber(input['timeout'])
  if (timeout !== undefined) badges.push(badge(`timeout ${durationText(timeout)}`))
  if (input['dangerouslyDisableSandbox'] === true) badges.push(badge('no sandbox', 'warn'))
  return badges
}

/** Output is logged as one text and again as stdout and stderr: the second says more where it exists. */
function shellOutcome(facts: CallFacts, text: string): ViewPart[] {
  const { structured, content, call } = facts
  const stdout = asString(structured['stdout'])
  const stderr = asString(structured['stderr'])
  const media = partsAfterText(content)
  if (stdout === undefined && stderr === undefined) {
    return [...textParts(text, outcomeTone(facts)), ...media]
  }
  const image = structured['isImage'] === true ? mediaFromUrl(stdout ?? '') : undefined
  const printed = image ? [] : textParts(stdout, 'plain', 'stdout')
  const parts: ViewPart[] = [...printed, ...textParts(stderr, 'warn', 'stderr'), ...media]
  if (image && media.length === 0) parts.push(image)
  parts.push(...factsPart([['git', structured['gitOperation']]]))
  const saysNothing = parts.length === 0 && call.outcome === 'done' && structured['backgroundTaskId'] === undefined
  return saysNothing ? textParts('no output', 'quiet') : parts
}

/** What a shell in the background printed since it was last asked. */
function outputForm(facts: CallFacts): CallForm {
  const { structured, input } = facts
  const command = asString(structured['command'])
  const shell = asString(input['bash_id']) ?? asString(structured['shellId']) ?? ''
  const status = asString(structured['status'])
  const badges = exitBadges(facts, undefined)
  if (status !== undefined) badges.push(badge(status))
  return {
    subject: command === undefined ? shell : firstLine(command),
    badges,
    request: fieldParts(input, command === undefined ? ['bash_id'] : []),
    outcome: shellOutcome(facts, facts.text),
  }
}

function killForm(facts: CallFacts): CallForm {
  const { input, structured } = facts
  const shell = asString(input['shell_id']) ?? asString(structured['shell_id']) ?? ''
  const said = asString(structured['message']) ?? facts.text
  return { subject: shell, request: fieldParts(input, ['shell_id']), outcome: textParts(said, outcomeTone(facts)) }
}

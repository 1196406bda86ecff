// A tool call as one item: the form made for its tool, and what all calls share: how it ended, how long it took, the threads
// that it started. The forms themselves are in the `call-*` files.

import { asNumber } from '../../base/json.ts'
import { hasFlag, type SessionEvent, type ToolResultBlock } from '../../model/event.ts'
import type { ToolCall } from '../../model/session.ts'
import { newItem } from '../items/item.ts'
import { badge, textParts } from '../parts.ts'
import type { Badge, ThreadPart, Tone, ViewItem, ViewPart } from '../view.ts'
import { countOf, durationText, sizeText } from '../words.ts'
import { agentForms } from './agents.ts'
import { type CallFacts, type CallForm, callFacts, type Form, plainOutcome } from './facts.ts'
import { editForms, fileForms } from './files.ts'
import { mcpTitle, otherForm } from './other.ts'
import { searchForms } from './search.ts'
import { shellForms } from './shell.ts'
import { talkForms } from './talk.ts'
import { listForms, taskForms } from './tasks.ts'
import { webForms } from './web.ts'

const forms: ReadonlyMap<string, Form> = new Map(
  [agentForms, editForms, fileForms, listForms, searchForms, shellForms, talkForms, taskForms, webForms].flatMap(
    family => Object.entries(family),
  ),
)

/** Everything that is known about a call besides itself. */
interface CallSurroundings {
  request: SessionEvent
  result: ToolResultBlock | undefined
  resultEvent: SessionEvent | undefined
  threads: ThreadPart[]
  /** Progress events that hang on it. */
  progress: readonly SessionEvent[]
  subjectOf(taskId: string): string | undefined
}

export function viewCall(call: ToolCall, around: CallSurroundings): ViewItem {
  const facts = callFacts(call, around.result, around.subjectOf)
  const form = (forms.get(call.name) ?? otherForm)(facts)
  const title = form.title ?? call.name
  const item = newItem(around.request, 'call', form.subject === '' ? title : `${title}  ${form.subject}`)
  item.status = call.outcome
  item.badges = [...(form.badges ?? []), ...sharedBadges(call, around, form.badges ?? [])]
  item.body = joinFacts([...(form.request ?? []), ...around.threads, ...outcomeParts(facts, form, around)])
  if (call.isRemoved) item.isRemoved = true
  if (around.resultEvent && hasFlag(around.resultEvent, 'aborted')) item.isAborted = true
  return item
}

function outcomeParts(facts: CallFacts, form: CallForm, around: CallSurroundings): ViewPart[] {
  const parts = withSpillFile(facts, withError(facts, form.outcome ?? plainOutcome(facts)))
  const hasOwn = parts.some(part => part.type !== 'diff' && part.type !== 'checklist')
  return facts.hasResult || hasOwn ? parts : [...parts, ...printedSoFar(around.progress)]
}

/** What a failed call says is shown, also where its form is made for what a success would have written. */
function withError({ call, text }: CallFacts, parts: readonly ViewPart[]): readonly ViewPart[] {
  if (call.outcome !== 'failed') return parts
  const shown = parts.map(part => ('text' in part ? part.text : '')).join('\n')
  const isShown = text.split('\n').every(line => shown.includes(line.trim()) || exitLine.test(line))
  return isShown ? parts : [...parts, ...textParts(text, 'bad')]
}

const exitLine = /^Exit code:? -?\d+$/

/** Names the file that has the whole output, where the log has only its beginning. */
function withSpillFile({ call, structured }: CallFacts, parts: readonly ViewPart[]): ViewPart[] {
  const { spillFile } = call
  if (spillFile === undefined) return [...parts]
  const at = parts.findIndex(part => part.type === 'text')
  const size = asNumber(structured['persistedOutputSize'])
  const said = `The whole output${size === undefined ? '' : `, ${sizeText(size)},`} is in a file of its own.`
  if (at === -1) return [...parts, { type: 'text', text: said, tone: 'quiet', spillFile }]
  return parts.map((part, place) => (place === at && part.type === 'text' ? { ...part, spillFile } : part))
}

/** What a command had printed when the log ends: the last progress line has the most. */
function printedSoFar(progress: readonly SessionEvent[]): ViewPart[] {
  for (const event of progress.toReversed()) {
    const text = event.stated.outputSoFar
    if (text !== undefined) return textParts(text, 'plain', 'output so far')
  }
  return []
}

const noEnd = 'no end in the log'

function sharedBadges(call: ToolCall, around: CallSurroundings, own: readonly Badge[]): Badge[] {
  const badges: Badge[] = []
  const saysFailed = own.some(({ tone, text }) => isBad(tone) && /^(exit|failed|not|\d)/.test(text))
  if (call.outcome === 'failed' && !saysFailed) badges.push(badge('failed', 'bad'))
  if (call.outcome === 'interrupted') badges.push(badge('interrupted', 'warn'))
  if (call.outcome === 'missing') badges.push(badge(call.result === undefined ? 'no result' : noEnd, 'warn'))
  if (call.outcome === 'running') badges.push(badge('running', 'accent'))
  if (call.durationMs !== undefined && call.durationMs >= 1000) badges.push(badge(durationText(call.durationMs)))
  if (call.isRemoved) badges.push(badge('removed', 'warn'))
  const lines = around.progress.filter(event => event.kind === 'progress').length
  if (lines > 0) badges.push(badge(countOf(lines, 'progress line')))
  if (call.pairing === 'inferred' && around.result) badges.push(badge('paired by place'))
  for (const { linkedBy } of around.threads) {
    if (linkedBy === 'prompt' || linkedBy === 'parent') badges.push(badge(`subagent linked by ${linkedBy}`))
  }
  return badges
}

function isBad(tone: Tone): boolean {
  return tone === 'bad' || tone === 'warn'
}

/** Facts that follow each other are one list. */
function joinFacts(parts: readonly ViewPart[]): ViewPart[] {
  const joined: ViewPart[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part.type !== 'facts') joined.push(part)
    else if (last?.type !== 'facts') joined.push({ type: 'facts', facts: [...part.facts] })
    else for (const fact of part.facts) last.facts.push(fact)
  }
  return joined
}

/** A result whose call is not in the log. */
export function viewStrayResult(event: SessionEvent, result: ToolResultBlock): ViewItem {
  const call: ToolCall = {
    id: result.callId,
    name: '',
    input: undefined,
    outcome: result.isError ? 'failed' : 'done',
    thread: event.thread,
    requestEvent: event.id,
    resultEvent: event.id,
    pairing: 'id',
    progress: [],
  }
  const facts = callFacts(call, result, () => undefined)
  const item = newItem(event, 'result', 'Result without its call')
  item.status = call.outcome
  item.badges = result.isError ? [badge('failed', 'bad')] : []
  item.body = joinFacts(otherForm(facts).outcome ?? [])
  return item
}

/** What a tool is called in a headline. */
export function toolTitle(name: string): string {
  return mcpTitle(name) ?? name
}

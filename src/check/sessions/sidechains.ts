// Rules about sidechains that are inside a session file: where they begin, who speaks in them, how the main thread continues.

import { asString, isObject, type JsonObject } from '../../base/json.ts'
import { delegatingTools } from '../../model/session.ts'
import type { FileFacts, Rule } from '../rule.ts'
import { blocksOf, hasToolResult, quote } from '../wire.ts'
import {
  type FileIndex,
  indexFile,
  indexSession,
  isChain,
  isSidechain,
  type Logged,
  parentOf,
  placeIn,
  placeOf,
  textOf,
  uuidOf,
} from './facts.ts'

/** The first record of each sidechain in a session file, with its parent and the last main answers before it. */
interface Start {
  first: Logged
  parent: Logged | undefined
  before: readonly Logged[]
}

/** A delegation is within this many answers of its sidechain, with other calls between. */
const nearAnswers = 5

function startsIn(facts: FileFacts): Start[] {
  const { file, chain, byUuid } = indexFile(facts)
  const starts: Start[] = []
  let previous: Logged | undefined
  const answers: Logged[] = []
  for (const each of file.role === 'session' ? chain : []) {
    if (isSidechain(each.value)) {
      const parent = byUuid.get(parentOf(each.value) ?? '')
      // Without a parent of its own it continues with the sidechain record before it.
      const isNext = each.value['parentUuid'] === undefined && previous !== undefined && isSidechain(previous.value)
      if (!isNext && (parent === undefined || !isSidechain(parent.value)))
        starts.push({ first: each, parent, before: answers.slice(-nearAnswers) })
    } else if (each.record.type === 'assistant') {
      answers.push(each)
    }
    previous = each
  }
  return starts
}

const alternateBranch: Rule = {
  code: 'is-sidechain-alternate-branch',
  session(facts, report) {
    const { files, byUuid } = indexSession(facts)
    for (const { chain } of files) {
      for (const each of chain) {
        // Records further down share the fate of the one that begins the branch.
        if (!isSidechain(each.value) || byUuid.has(parentOf(each.value) ?? '')) continue
        report('A sidechain has no ancestor on the main thread.', placeOf(each))
      }
    }
  },
}

/** Unmarked, and not said by its file or agent to be a subagent's. */
function isUnmarked({ value }: Logged): boolean {
  return !isSidechain(value) && typeof value['agentId'] !== 'string'
}

const unmarked: Rule = {
  code: 'sidechain-unmarked',
  record(facts, report) {
    const { value, file } = facts
    if (isSidechain(value) || !isChain(facts)) return
    if (file.role === 'agent') report('A record of an agent file is not marked isSidechain.', placeIn(facts))
    else if (typeof value['agentId'] === 'string')
      report(`A record of agent ${quote(value['agentId'])} is not marked isSidechain.`, placeIn(facts))
  },
  file(facts, report) {
    if (facts.file.role === 'agent') return
    for (const each of unmarkedInside(indexFile(facts)))
      report('A record inside a sidechain is not marked isSidechain.', placeOf(each))
  },
}

/**
 * Records that must be a sidechain's though they do not say so: the answer to its prompt or to one of its results, the
 * result of one of its calls, and what an answer or result of it hangs on, up to a prompt, since only a prompt begins one.
 */
function unmarkedInside({ calls, chain, byUuid }: FileIndex): Set<Logged> {
  const sideCalls = new Set(calls.filter(call => isSidechain(call.from.value)).map(call => call.id))
  const delegators = new Set(calls.filter(call => delegatingTools.has(call.name)).map(call => call.from))
  const inside = new Set<Logged>()
  for (const each of chain) {
    const parent = byUuid.get(parentOf(each.value) ?? '')
    if (isUnmarked(each)) {
      const isReply = each.record.type === 'assistant' && parent !== undefined && isAsked(parent)
      if (isReply && isSidechain(parent.value)) inside.add(each)
      if (blocksOf(each.value).some(block => sideCalls.has(asString(block['tool_use_id']) ?? ''))) inside.add(each)
      continue
    }
    if (!isSidechain(each.value) || isPrompt(each)) continue
    for (let above = parent; above !== undefined && isUnmarked(above); ) {
      if (inside.has(above) || delegators.has(above)) break
      inside.add(above)
      if (isPrompt(above)) break
      above = byUuid.get(parentOf(above.value) ?? '')
    }
  }
  return inside
}

function isPrompt(each: Logged): boolean {
  return isAsked(each) && each.record.type !== 'tool_result' && !hasToolResult(each.value)
}

/** A line that the model answers: a prompt or a result. */
function isAsked({ record }: Logged): boolean {
  return record.type === 'human' || record.type === 'user' || record.type === 'tool_result'
}

const sidechainParentIsCall: Rule = {
  code: 'sidechain-parent-is-call',
  file(facts, report) {
    for (const { first, parent } of startsIn(facts)) {
      if (parent?.record.type === 'assistant') continue
      report(`The parent of a sidechain is ${quote(first.value['parentUuid'])}, no assistant record.`, placeOf(first))
    }
  },
}

const mainResumesOnDelegator: Rule = {
  code: 'sidechain-main-resumes-on-delegator',
  file(facts, report) {
    const { chain, byUuid } = indexFile(facts)
    for (const each of chain) {
      const parent = byUuid.get(parentOf(each.value) ?? '')
      if (isSidechain(each.value) || parent === undefined || !isSidechain(parent.value)) continue
      report(`The main thread goes on from the sidechain record ${quote(uuidOf(parent.value))}.`, placeOf(each))
    }
  },
}

const alternatesRoles: Rule = {
  code: 'sidechain-alternates-roles',
  file(facts, report) {
    const lastType = new Map<string, string>()
    for (const each of indexFile(facts).chain) {
      const type = each.record.type ?? ''
      if (!isSidechain(each.value) || each.event.kind === 'tool-results') continue
      if (type !== 'user' && type !== 'assistant') continue
      if (type === 'user' && lastType.get(each.event.thread) === 'user')
        report('Two user records of a sidechain follow each other.', placeOf(each))
      lastType.set(each.event.thread, type)
    }
  },
}

const externalInitiator: Rule = {
  code: 'user-type-external-initiator',
  record(facts, report) {
    const { record, value } = facts
    if ((record.type !== 'human' && record.type !== 'user') || !isSidechain(value)) return
    if (blocksOf(value).some(block => block['type'] === 'tool_result') || value['userType'] === 'external') return
    report(`userType of a sidechain's ${record.type} record is ${quote(value['userType'])}.`, placeIn(facts))
  },
}

const taskPromptEqualsFirst: Rule = {
  code: 'task-prompt-equals-first-sidechain',
  file(facts, report) {
    const starts = startsIn(facts)
    if (starts.length === 0) return
    const prompts = promptsIn(indexFile(facts))
    for (const { first, parent, before } of starts) {
      const text = textOf(first.value).trim()
      if (text === '' || (prompts.get(text) ?? Number.POSITIVE_INFINITY) < first.record.offset) continue
      if ([parent, ...before].some(other => other !== undefined && says(other, text))) continue
      report(`No call or answer before the sidechain says ${quote(text)}.`, placeOf(first))
    }
  },
}

/** Whether an answer has the text, in its own words or in the prompt of a call. */
function says({ value }: Logged, text: string): boolean {
  const inputs = [value['toolArguments'], ...blocksOf(value).map(block => block['input'])]
  const prompts = inputs.map(input => (isObject(input) ? asString(input['prompt']) : undefined))
  return [textOf(value), ...prompts].some(words => words?.includes(text))
}

/** The prompts that calls of the file hand over, with the offset of the first record that has each. */
function promptsIn(index: FileIndex): Map<string, number> {
  const prompts = new Map<string, number>()
  const add = (input: JsonObject, from: Logged) => {
    const prompt = asString(input['prompt'])?.trim()
    if (prompt !== undefined && !prompts.has(prompt)) prompts.set(prompt, from.record.offset)
  }
  for (const call of index.calls) add(call.input, call.from)
  for (const each of index.logged) if (isObject(each.value['toolArguments'])) add(each.value['toolArguments'], each)
  return prompts
}

const toolLinesMarked: Rule = {
  code: 'sidechain-tool-lines-marked',
  file(facts, report) {
    const { calls, chain, byUuid } = indexFile(facts)
    const sideCalls = new Set(calls.filter(call => isSidechain(call.from.value)).map(call => call.id))
    const sideParents = new Set(chain.filter(each => isSidechain(each.value)).map(each => parentOf(each.value)))
    for (const each of chain) {
      if (isSidechain(each.value) || !isResult(each)) continue
      const parent = byUuid.get(parentOf(each.value) ?? '')
      const descends = parent !== undefined && isSidechain(parent.value)
      const answers = blocksOf(each.value).some(block => sideCalls.has(asString(block['tool_use_id']) ?? ''))
      const isBetween = descends && (isNamelessCall(parent) || sideParents.has(uuidOf(each.value)))
      if (answers || isBetween) report('A tool result inside a sidechain is not marked isSidechain.', placeOf(each))
    }
  },
}

/** A line with the result of a tool, in any dialect. */
function isResult({ record, value }: Logged): boolean {
  if (record.type === 'tool_result' || blocksOf(value).some(block => block['type'] === 'tool_result')) return true
  return record.type === 'system' && typeof value['message'] === 'string'
}

/** 003 writes a call without an id: its result is the system record that follows. */
function isNamelessCall({ value }: Logged): boolean {
  return value['subtype'] === 'tool_use' || typeof value['toolName'] === 'string'
}

export const sidechainRules: readonly Rule[] = [
  alternateBranch,
  unmarked,
  sidechainParentIsCall,
  mainResumesOnDelegator,
  alternatesRoles,
  externalInitiator,
  taskPromptEqualsFirst,
  toolLinesMarked,
]

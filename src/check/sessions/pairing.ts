// Rules about tool calls and what belongs to them: results, progress, and the records that both hang on. Calls are paired by
// id here; dialects without ids have their own rules.

import { asString } from '../../base/json.ts'
import type { Rule, SessionFacts } from '../rule.ts'
import { quote } from '../wire.ts'
import {
  type CallBlock,
  indexFile,
  indexSession,
  type Logged,
  messageIdOf,
  parentOf,
  placeOf,
  type ResultBlock,
  uuidOf,
} from './facts.ts'

const resultWithoutCall: Rule = {
  code: 'tool-result-without-call',
  session(facts, report) {
    const { files, callsById } = indexSession(facts)
    for (const { results } of files)
      for (const { id, from } of results)
        if (!callsById.has(id)) report(`tool_use_id ${quote(id)} names no call.`, { ...placeOf(from), unless: [id] })
  },
}

const resultBeforeCall: Rule = {
  code: 'tool-result-before-call',
  file(facts, report) {
    const { calls, results } = indexFile(facts)
    const firstCall = new Map<string, CallBlock>()
    for (const call of calls) if (!firstCall.has(call.id)) firstCall.set(call.id, call)
    for (const { id, from } of results) {
      const call = firstCall.get(id)
      if (call === undefined || call.from.record.offset <= from.record.offset) continue
      report(`The result of ${quote(id)} comes before its call, on line ${call.from.record.line}.`, placeOf(from))
    }
  },
}

const callWithoutResult: Rule = {
  code: 'tool-call-without-result',
  session(facts, report) {
    const { callsById, resultsById } = indexSession(facts)
    for (const [id, calls] of callsById) {
      const call = calls[0]
      if (call === undefined || !call.isOwn || resultsById.has(id)) continue
      report(`The call ${quote(id)} of ${quote(call.name)} has no result.`, placeOf(call.from))
    }
  },
}

const duplicateToolUseId: Rule = {
  code: 'duplicate-tool-use-id',
  session(facts, report) {
    for (const [id, calls] of indexSession(facts).callsById) {
      const first = calls[0]
      if (first === undefined) continue
      for (const call of calls.slice(1)) {
        if (!isCopy(first, call)) report(`The id ${quote(id)} is that of an earlier call.`, placeOf(call.from))
      }
    }
  },
}

/** One call that was logged twice: forks and resumed files repeat records, with the message id or uuid kept. */
function isCopy(a: CallBlock, b: CallBlock): boolean {
  if (a.from === b.from) return false
  const [idA, idB] = [messageIdOf(a.from.value), messageIdOf(b.from.value)]
  if (idA !== undefined || idB !== undefined) return idA === idB
  const uuid = uuidOf(a.from.value)
  return uuid !== undefined && uuid === uuidOf(b.from.value)
}

const resultParentIsCall: Rule = {
  code: 'tool-result-parent-is-call',
  session(facts, report) {
    const { files, callsById } = indexSession(facts)
    for (const { results } of files) {
      for (const [from, ids] of byRecord(results)) {
        const calls = ids.flatMap(id => callsById.get(id) ?? [])
        const parent = parentOf(from.value)
        if (calls.length === 0 || calls.some(call => uuidOf(call.from.value) === parent)) continue
        // Server tools answer inside the record that called them.
        if (calls.some(call => call.from === from)) continue
        report(`Its parent ${quote(parent)} is not the record that made the call ${quote(ids[0])}.`, placeOf(from))
      }
    }
  },
}

/** The ids that each record answers. */
function byRecord(results: readonly ResultBlock[]): Map<Logged, string[]> {
  const records = new Map<Logged, string[]>()
  for (const { id, from } of results) {
    const ids = records.get(from)
    if (ids === undefined) records.set(from, [id])
    else ids.push(id)
  }
  return records
}

const sourceToolAssistant: Rule = {
  code: 'source-tool-assistant-uuid',
  session(facts, report) {
    const { files, byUuid } = indexSession(facts)
    for (const { logged } of files) {
      for (const each of logged) {
        const source = each.value['sourceToolAssistantUUID']
        if (source === undefined || source === null) continue
        const id = asString(source)
        const named = byUuid.get(id ?? '')
        if (source !== each.value['parentUuid'])
          report(`sourceToolAssistantUUID ${quote(source)} is not its parentUuid.`, placeOf(each))
        else if (named?.record.type !== 'assistant') {
          const unless = named === undefined && id !== undefined ? [id] : []
          report(`sourceToolAssistantUUID ${quote(source)} names no assistant record.`, { ...placeOf(each), unless })
        }
      }
    }
  },
}

const parallelResultsOneLine: Rule = {
  code: 'parallel-results-one-line',
  session(facts, report) {
    const { files, callsById } = indexSession(facts)
    const firstRecord = new Map<string, Logged>()
    const reported = new Set<string>()
    for (const { id, from } of files.flatMap(file => file.results)) {
      const call = callsById.get(id)?.[0]
      const message = call === undefined ? undefined : messageIdOf(call.from.value)
      if (message === undefined) continue
      const first = firstRecord.get(message) ?? from
      firstRecord.set(message, first)
      if (first === from || reported.has(message) || uuidOf(first.value) === uuidOf(from.value)) continue
      reported.add(message)
      report(`The results of message ${quote(message)} are spread over several records.`, placeOf(from))
    }
  },
}

const progressToolExists: Rule = {
  code: 'progress-tool-exists',
  session(facts, report) {
    const { files, callsById } = indexSession(facts)
    for (const { logged } of files) {
      for (const each of logged) {
        // Hooks of a session's start have an id of their own that is not a call.
        if (each.record.type !== 'progress' || each.record.subtype === 'hook_progress') continue
        const ids = [each.value['toolUseID'], each.value['parentToolUseID']]
        if (ids.some(id => callsById.has(asString(id) ?? ''))) continue
        report(`Neither toolUseID ${quote(ids[0])} nor parentToolUseID names a call.`, placeOf(each))
      }
    }
  },
}

const progressSessionStartRoot: Rule = {
  code: 'progress-session-start-root',
  file(facts, report) {
    if (facts.file.role !== 'session') return
    const root = indexFile(facts).chain.find(({ value }) => (value['parentUuid'] ?? null) === null)
    const type = root?.record.type
    if (root === undefined || type === 'progress' || type === 'user') return
    report(`The session begins with a ${quote(type)} record, neither progress nor user.`, placeOf(root))
  },
}

const progressParentUser: Rule = {
  code: 'progress-parent-user-s1',
  session(facts, report) {
    for (const each of progressOf(facts)) {
      const parent = indexSession(facts).byUuid.get(parentOf(each.value) ?? '')
      if (parent?.record.type === 'user') continue
      report(`The parent of progress is ${quote(parent?.record.type ?? undefined)}, not a user record.`, placeOf(each))
    }
  },
}

function progressOf(facts: SessionFacts): Logged[] {
  return indexSession(facts).files.flatMap(file => file.logged.filter(({ record }) => record.type === 'progress'))
}

export const pairingRules: readonly Rule[] = [
  resultWithoutCall,
  resultBeforeCall,
  callWithoutResult,
  duplicateToolUseId,
  resultParentIsCall,
  sourceToolAssistant,
  parallelResultsOneLine,
  progressToolExists,
  progressSessionStartRoot,
  progressParentUser,
]

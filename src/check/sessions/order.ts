// Rules about the order of records in a file and along their parents: neighbours, time, and lines that belong at the start.

import { toMillis } from '../../base/instant.ts'
import { asString } from '../../base/json.ts'
import type { Rule } from '../rule.ts'
import { blocksOf, isIsoTime, quote } from '../wire.ts'
import {
  type FileIndex,
  indexFile,
  indexSession,
  isChain,
  type Logged,
  messageIdOf,
  parentOf,
  placeIn,
  placeOf,
  textOf,
  uuidOf,
} from './facts.ts'

const parentNotPrevious: Rule = {
  code: 'parent-not-previous',
  file(facts, report) {
    const index = indexFile(facts)
    const callLines = new Map(index.calls.map(call => [call.id, call.from]))
    const lastOfMessage = new Map<string, string | undefined>()
    let previous: string | undefined
    for (const each of index.chain) {
      const parent = parentOf(each.value)
      const message = messageIdOf(each.value)
      const isOwnBlock = message !== undefined && parent !== undefined && lastOfMessage.get(message) === parent
      const isFree = isOwnBlock || previous === undefined || previous === parent
      if (parent !== undefined && !isFree && !answersParent(each, parent, callLines))
        report(`parentUuid ${quote(parent)} is not the record before it, ${quote(previous)}.`, placeOf(each))
      if (each.value['parentUuid'] === null && previous !== undefined && !mayBegin(each))
        report(`parentUuid is null, not the record before it, ${quote(previous)}.`, placeOf(each))
      if (message !== undefined) lastOfMessage.set(message, uuidOf(each.value))
      previous = uuidOf(each.value) ?? previous
    }
  },
}

/** A compaction resets the chain, and so does a subagent's first record. */
function mayBegin({ record, value }: Logged): boolean {
  return value['isSidechain'] === true || value['isCompactSummary'] === true || /compact/.test(record.subtype ?? '')
}

/** A result hangs on the line with its call, even if progress lines are between. */
function answersParent({ value }: Logged, parent: string, callLines: ReadonlyMap<string, Logged>): boolean {
  return blocksOf(value).some(block => {
    const call = callLines.get(asString(block['tool_use_id']) ?? '')
    return call !== undefined && uuidOf(call.value) === parent
  })
}

const timestampNotIso: Rule = {
  code: 'timestamp-not-iso',
  record(facts, report) {
    const written = facts.value['timestamp']
    if (written === undefined) return
    // Records that only carry metadata may have none.
    if (written === null && !isChain(facts)) return
    if (isIsoTime(written)) return
    report(`timestamp ${quote(written)} is not an ISO 8601 date and time.`, placeIn(facts))
  },
}

const timestampBackwardInFile: Rule = {
  code: 'timestamp-backward-in-file',
  file(facts, report) {
    let last: number | null = null
    for (const each of indexFile(facts).logged) {
      const at = timeOf(each)
      if (at === null) continue
      if (last !== null && at < last)
        report(
          `It is stamped ${quote(each.value['timestamp'])}, ${last - at} ms before the record before it.`,
          placeOf(each),
        )
      last = at
    }
  },
}

const timestampBeforeParent: Rule = {
  code: 'timestamp-before-parent',
  session(facts, report) {
    const { files, byUuid } = indexSession(facts)
    for (const { logged } of files) {
      for (const each of logged) {
        const parent = byUuid.get(parentOf(each.value) ?? '')
        const at = timeOf(each)
        const parentAt = parent === undefined ? null : timeOf(parent)
        if (at === null || parentAt === null || at >= parentAt) continue
        report(`It is stamped ${quote(each.value['timestamp'])}, ${parentAt - at} ms before its parent.`, placeOf(each))
      }
    }
  },
}

function timeOf({ value }: Logged): number | null {
  return toMillis(value['timestamp'])
}

const summaryFirstLines: Rule = {
  code: 'summary-first-lines',
  file(facts, report) {
    const index = indexFile(facts)
    let summaries = 0
    let firstMessage: Logged | undefined
    for (const each of index.logged) {
      if (each.record.type !== 'summary') {
        if (firstMessage === undefined && isChain(each)) firstMessage = each
        continue
      }
      summaries++
      if (firstMessage !== undefined)
        report(`A summary comes after the first message, on line ${firstMessage.record.line}.`, placeOf(each))
      else if (summaries === 3) report('More than two summaries are at the start of the file.', placeOf(each))
    }
  },
}

const commandOutputAfterCommand: Rule = {
  code: 'command-output-after-command',
  file(facts, report) {
    const first = firstCommand(indexFile(facts))
    for (const each of indexFile(facts).logged) {
      if (each === first) return
      if (each.record.type === 'user' && textOf(each.value).trimStart().startsWith('<local-command-stdout>'))
        report('Output of a command comes before any command.', placeOf(each))
    }
  },
}

function firstCommand(index: FileIndex): Logged | undefined {
  return index.logged.find(({ record, value }) => record.type === 'user' && textOf(value).includes('<command-name>'))
}

export const orderRules: readonly Rule[] = [
  parentNotPrevious,
  timestampNotIso,
  timestampBackwardInFile,
  timestampBeforeParent,
  summaryFirstLines,
  commandOutputAfterCommand,
]

// Rules about what one record says of another: deleted and aborted messages, snapshots, summaries, prompt history. Parents
// and tool calls have their own modules.

import { asString, isObject } from '../../base/json.ts'
import type { LogRecord } from '../../model/record.ts'
import type { LogFile } from '../../model/source.ts'
import type { Rule } from '../rule.ts'
import { quote } from '../wire.ts'
import {
  indexFile,
  indexSession,
  isSidechain,
  type Logged,
  nameOf,
  parentOf,
  placeIn,
  placeOf,
  textOf,
  uuidOf,
} from './facts.ts'

const deletedKeepsStructure: Rule = {
  code: 'deleted-keeps-structure',
  file(facts, report) {
    const { logged, chain } = indexFile(facts)
    for (const each of logged) {
      if (each.value['isDeleted'] !== true) continue
      for (const key of ['uuid', 'timestamp'])
        if ((each.value[key] ?? null) === null) report(`A deleted message has no ${key}.`, placeOf(each))
      if (parentOf(each.value) === undefined && each !== chain[0])
        report('A deleted message has no parentUuid.', placeOf(each))
      const text = textOf(each.value).trim()
      if (text !== '' && !isPlaceholder(text)) report(`A deleted message still says ${quote(text)}.`, placeOf(each))
    }
    const parents = new Set(chain.map(each => parentOf(each.value)))
    chain.forEach((each, index) => {
      const next = chain[index + 1]
      if (each.value['isDeleted'] !== true || next === undefined || parents.has(uuidOf(each.value))) return
      if (pointsPast(next, each))
        report(`Its parent skips the deleted message ${quote(each.value['uuid'])}.`, placeOf(next))
    })
  },
}

/** `[Content removed]`, or what else stands in brackets for a text. */
function isPlaceholder(text: string): boolean {
  return /^\[[^\]]*\]$/.test(text)
}

/** Whether a record hangs on the parent of the one before it. Two of one kind are branches; two of different kinds are not. */
function pointsPast(next: Logged, deleted: Logged): boolean {
  const parent = parentOf(deleted.value)
  return parent !== undefined && parentOf(next.value) === parent && kindOf(next) !== kindOf(deleted)
}

function kindOf({ record }: Logged): string {
  return `${record.type}/${record.subtype}`
}

const abortedOperation: Rule = {
  code: 'aborted-operation',
  file(facts, report) {
    const { chain } = indexFile(facts)
    const aborted = new Set<string>()
    let previous: Logged | undefined
    for (const each of chain) {
      const isAnswer = each.record.type === 'system' || each.record.type === 'tool_result'
      const parent = parentOf(each.value)
      const follows = each.value['parentUuid'] === undefined && previous !== undefined && isAborted(previous)
      if (isAnswer && (follows || (parent !== undefined && aborted.has(parent))))
        report('An aborted tool call has a result all the same.', placeOf(each))
      const uuid = uuidOf(each.value)
      if (isAborted(each) && uuid !== undefined) aborted.add(uuid)
      previous = each
    }
  },
}

function isAborted({ value }: Logged): boolean {
  return value['isAborted'] === true && (value['subtype'] === 'tool_use' || typeof value['toolName'] === 'string')
}

const snapshotMessageId: Rule = {
  code: 'snapshot-message-id',
  file(facts, report) {
    const { logged, byUuid } = indexFile(facts)
    for (const each of logged) {
      if (each.record.type !== 'file-history-snapshot') continue
      const id = each.value['messageId']
      if (typeof id !== 'string') report(`messageId of the snapshot is ${quote(id)}.`, placeOf(each))
      else if (!byUuid.has(id)) report(`messageId ${quote(id)} names no record of the file.`, placeOf(each))
    }
  },
}

const snapshotMessageIdEqual: Rule = {
  code: 'snapshot-message-id-equal',
  record(facts, report) {
    const { record, value } = facts
    if (record.type !== 'file-history-snapshot' || value['isSnapshotUpdate'] !== false) return
    const inner = isObject(value['snapshot']) ? value['snapshot']['messageId'] : undefined
    if (inner !== undefined && inner !== value['messageId'])
      report(`snapshot.messageId ${quote(inner)} is not messageId ${quote(value['messageId'])}.`, placeIn(facts))
  },
}

const summaryLeafIsLast: Rule = {
  code: 'summary-leaf-is-last',
  session(facts, report) {
    const { files, byUuid } = indexSession(facts)
    const summaries = files.flatMap(file => file.logged.filter(({ record }) => record.type === 'summary'))
    if (summaries.length === 0) return
    const parents = new Set<string | undefined>()
    for (const { chain } of files) for (const { value } of chain) if (!isSidechain(value)) parents.add(parentOf(value))
    for (const each of summaries) {
      const leaf = each.value['leafUuid']
      if (typeof leaf !== 'string' || !byUuid.has(leaf))
        report(`leafUuid ${quote(leaf)} names no record.`, placeOf(each))
      else if (parents.has(leaf)) report(`leafUuid ${quote(leaf)} is not the last record of its branch.`, placeOf(each))
    }
  },
}

/** What the lines of a history said, until the whole home is known: session id → the first line that names it. */
const historySessions = new WeakMap<LogFile, Map<string, LogRecord>>()

const historySessionExists: Rule = {
  code: 'history-session-exists',
  history({ file, record, value }) {
    const session = asString(value['sessionId'])
    if (session === undefined) return
    const named = historySessions.get(file) ?? new Map<string, LogRecord>()
    historySessions.set(file, named)
    if (!named.has(session)) named.set(session, record)
  },
  home({ discovery }, report) {
    const known = new Set<string>()
    for (const session of discovery.sessions) {
      known.add(session.id)
      for (const log of session.logs) known.add(nameOf(log.path))
    }
    for (const file of discovery.histories)
      for (const [session, record] of historySessions.get(file) ?? [])
        if (!known.has(session)) report(`The home has no session ${quote(session)}.`, { record })
  },
}

/** Only the archive remembers what a file held before: there is nothing to look at in the file itself. */
const appendOnly: Rule = {
  code: 'append-only',
  file({ file }, report) {
    const { earlier = 0, path } = file
    if (earlier === 0) return
    const times = earlier === 1 ? 'once' : `${earlier} times`
    report(`The file was shortened, rewritten or replaced ${times}; the archive has what it contained before.`, {
      file: path,
    })
  },
}

export const relationRules: readonly Rule[] = [
  deletedKeepsStructure,
  abortedOperation,
  snapshotMessageId,
  snapshotMessageIdEqual,
  summaryLeafIsLast,
  historySessionExists,
  appendOnly,
]

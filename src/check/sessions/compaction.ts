// Rules about compaction in its three vocabularies: boundary and summary of Claude Code, prelude and recap of 000, the phases
// of 003.

import { asNumber, asString, isObject, type JsonObject } from '../../base/json.ts'
import type { SessionEvent } from '../../model/event.ts'
import type { Profile } from '../../model/finding.ts'
import type { FileFacts, RecordFacts, Rule } from '../rule.ts'
import { quote } from '../wire.ts'
import { indexFile, indexSession, type Logged, parentOf, placeIn, placeOf, textOf, uuidOf } from './facts.ts'
import { orphansOf, placeOfOrphan } from './ids.ts'

function isBoundary(value: JsonObject): boolean {
  return value['type'] === 'system' && value['subtype'] === 'compact_boundary'
}

function isSummary(value: JsonObject): boolean {
  return value['type'] === 'user' && value['isCompactSummary'] === true
}

/** A rule that looks at one boundary record and says what is wrong with it. */
function boundaryRule(code: string, flawOf: (value: JsonObject, profile: Profile) => string | undefined): Rule {
  return {
    code,
    record(facts: RecordFacts, report) {
      const flaw = isBoundary(facts.value) ? flawOf(facts.value, facts.profile) : undefined
      if (flaw !== undefined) report(flaw, placeIn(facts))
    },
  }
}

const boundaryForm = boundaryRule('compact-boundary-form', ({ content }, profile) => {
  if (typeof content !== 'string') return `content of the boundary is ${quote(content)}, not a text.`
  // People read this text, so Claude Code may say it in other words one day; 002 gives the words.
  if (profile !== 's2' || content === 'Conversation compacted') return undefined
  return `content of the boundary is ${quote(content)}, not "Conversation compacted".`
})

const boundaryParentNull = boundaryRule('compact-boundary-parent-null', value =>
  (value['parentUuid'] ?? null) === null
    ? undefined
    : `parentUuid of the boundary is ${quote(value['parentUuid'])}, not null.`,
)

const boundaryLogicalParent = boundaryRule('compact-boundary-logical-parent', value =>
  typeof value['logicalParentUuid'] === 'string'
    ? undefined
    : `logicalParentUuid of the boundary is ${quote(value['logicalParentUuid'])}, not a uuid.`,
)

const compactTrigger = boundaryRule('compact-trigger', value => {
  const trigger = metadataOf(value)?.['trigger']
  return typeof trigger === 'string' ? undefined : `compactMetadata.trigger is ${quote(trigger)}, not a text.`
})

const compactPreTokens = boundaryRule('compact-pre-tokens', value => {
  const tokens = metadataOf(value)?.['preTokens']
  return asNumber(tokens) !== undefined ? undefined : `compactMetadata.preTokens is ${quote(tokens)}, not a number.`
})

function metadataOf(value: JsonObject): JsonObject | undefined {
  return isObject(value['compactMetadata']) ? value['compactMetadata'] : undefined
}

const logicalParentExists: Rule = {
  code: 'logical-parent-exists',
  file(facts, report) {
    const { chain, byUuid } = indexFile(facts)
    let lastRecord: string | undefined
    let lastMessage: string | undefined
    for (const each of chain) {
      const parent = isBoundary(each.value) ? asString(each.value['logicalParentUuid']) : undefined
      if (parent !== undefined && !byUuid.has(parent))
        report(`logicalParentUuid ${quote(parent)} names no record of the file.`, placeOf(each))
      else if (parent !== undefined && parent !== lastRecord && parent !== lastMessage)
        report(`logicalParentUuid ${quote(parent)} is not the last message before the boundary.`, placeOf(each))
      const uuid = uuidOf(each.value)
      if (uuid === undefined) continue
      lastRecord = uuid
      if (each.record.type === 'user' || each.record.type === 'assistant') lastMessage = uuid
    }
  },
}

const compactSummaryUser: Rule = {
  code: 'compact-summary-user',
  file(facts, report) {
    let open: Logged | undefined
    const close = () => {
      if (open !== undefined) report('No user record with isCompactSummary follows the boundary.', placeOf(open))
      open = undefined
    }
    for (const each of indexFile(facts).logged) {
      if (isSummary(each.value)) open = undefined
      else if (isBoundary(each.value) || isTypedPrompt(each.event)) close()
      if (isBoundary(each.value)) open = each
    }
    close()
  },
}

function isTypedPrompt(event: SessionEvent): boolean {
  return event.kind === 'prompt' && event.wireType === 'user'
}

const compactSummaryText: Rule = {
  code: 'compact-summary-text',
  record(facts, report) {
    if (!isSummary(facts.value)) return
    const text = textOf(facts.value).trimStart()
    if (!text.startsWith('This session is being continued'))
      report(`The summary begins ${quote(text)}.`, placeIn(facts))
  },
}

const compactPrelude: Rule = {
  code: 'compact-prelude',
  record(facts, report) {
    if (facts.record.type !== 'compact_prelude') return
    const parent = facts.value['parentUuid'] ?? null
    if (parent !== null) report(`parentUuid of compact_prelude is ${quote(parent)}, not null.`, placeIn(facts))
    else if (!hasContent(facts.value)) report('compact_prelude has no content.', placeIn(facts))
  },
}

function hasContent(value: JsonObject): boolean {
  const message = value['message']
  const content = isObject(message) ? message['content'] : message
  return (typeof content === 'string' || Array.isArray(content)) && content.length > 0
}

const compactRecap: Rule = {
  code: 'compact-recap',
  file(facts, report) {
    const { logged, byUuid } = indexFile(facts)
    for (const each of logged) {
      if (each.record.type !== 'compact_recap') continue
      const parent = byUuid.get(parentOf(each.value) ?? '')
      if (parent?.record.type !== 'compact_prelude')
        report(`The parent of compact_recap is ${quote(each.value['parentUuid'])}, no compact_prelude.`, placeOf(each))
    }
  },
}

const phases = new Set(['conversation_compacting', 'conversation_compacted', 'conversation_restored'])

const compactMessageValues: Rule = {
  code: 'compact-message-values',
  record(facts, report) {
    const message = facts.value['message']
    if (facts.record.type !== 'compact_system' || (typeof message === 'string' && phases.has(message))) return
    report(`The message of compact_system is ${quote(message)}.`, placeIn(facts))
  },
}

const compactPhaseOrder: Rule = {
  code: 'compact-phase-order',
  file(facts, report) {
    let isOpen = false
    let isDone = false
    for (const each of phasesIn(facts)) {
      const phase = each.value['message']
      if (phase === 'conversation_compacting') isOpen = true
      if (phase === 'conversation_compacted') {
        if (!isOpen) report('conversation_compacted has no conversation_compacting before it.', placeOf(each))
        isOpen = false
        isDone = true
      }
      if (phase === 'conversation_restored') {
        if (!isOpen && !isDone) report('conversation_restored has no compaction before it.', placeOf(each))
        isOpen = false
        isDone = false
      }
    }
  },
}

function phasesIn(facts: FileFacts): Logged[] {
  return indexFile(facts).logged.filter(({ record }) => record.type === 'compact_system')
}

const compactMetadataCounts: Rule = {
  code: 'compact-metadata-counts',
  record(facts, report) {
    const { record, value } = facts
    const metadata = value['metadata']
    if (record.type !== 'compact_system' || value['message'] !== 'conversation_compacted' || metadata === undefined)
      return
    const counts = isObject(metadata) ? metadata : {}
    const preserved = asNumber(counts['preservedMessages'])
    const total = asNumber(counts['totalMessages'])
    if (preserved === undefined) report(`preservedMessages is ${quote(counts['preservedMessages'])}.`, placeIn(facts))
    else if (total === undefined) report(`totalMessages is ${quote(counts['totalMessages'])}.`, placeIn(facts))
    else if (preserved > total) report(`${preserved} of ${total} messages are said to be preserved.`, placeIn(facts))
  },
}

const compactSystemInChain: Rule = {
  code: 'compact-system-in-chain',
  record(facts, report) {
    if (facts.record.type !== 'compact_system') return
    for (const key of ['uuid', 'parentUuid'])
      if (typeof facts.value[key] !== 'string') report(`compact_system has no ${key}.`, placeIn(facts))
  },
}

const logicalParentOnMessage: Rule = {
  code: 'logical-parent-on-message',
  session(facts, report) {
    const orphans = new Set(orphansOf(facts))
    for (const { chain } of indexSession(facts).files) {
      let isAfter = false
      for (const each of chain) {
        if (each.record.type === 'compact_system') {
          isAfter ||= each.value['message'] === 'conversation_compacted'
          continue
        }
        if (isAfter && orphans.has(each) && typeof each.value['logicalParentUuid'] !== 'string')
          report('The first message after the compaction has no logicalParentUuid.', placeOfOrphan(each))
        isAfter = false
      }
    }
  },
}

export const compactionRules: readonly Rule[] = [
  boundaryForm,
  boundaryParentNull,
  boundaryLogicalParent,
  compactTrigger,
  compactPreTokens,
  logicalParentExists,
  compactSummaryUser,
  compactSummaryText,
  compactPrelude,
  compactRecap,
  compactMessageValues,
  compactPhaseOrder,
  compactMetadataCounts,
  compactSystemInChain,
  logicalParentOnMessage,
]

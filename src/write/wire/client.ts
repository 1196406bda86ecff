// Events → records as Claude Code writes them, and as 001, 002 and 004 describe them: one vocabulary in four forms. An event
// that was read from such a record keeps every field that the form has; for `real` that is all of them.

import { asArray, asObject, asString, type JsonObject, parseJson } from '../../base/json.ts'
import type { Flag, ToolResultBlock } from '../../model/event.ts'
import { textOf, wireBlock, wireBlocks, wireContent, wireUsage, withCommandText } from './content.ts'
import { removedText, type WireDraft, wireFlags } from './draft.ts'
import type { NewBlock, NewEvent } from './new-event.ts'

/** What one form of the vocabulary has. */
export interface ClientForm {
  /** Record types; null: all that Claude Code has. */
  types: ReadonlySet<string> | null
  /** Those in files of subagents, where they are fewer. */
  agentTypes: ReadonlySet<string> | null
  /** Types of blocks in answers; null: all. */
  answerBlocks: ReadonlySet<NewBlock['type']> | null
  /** Whether what users say may be a list of texts and pictures; else it is one string. */
  hasUserBlocks: boolean
  /** Types of blocks in such a list; null: all. */
  userBlocks: ReadonlySet<NewBlock['type']> | null
  /** What a result may be made of besides one text: any blocks, or texts. */
  resultContent: 'any' | 'texts'
  /** Subtypes of `system` records; null: all. */
  subtypes: ReadonlySet<string> | null
  /** Whether only tasks are queued, and what comes of them. */
  queuesTasks: boolean
  /** Whether each block of an answer is a record of its own. */
  isOneBlockPerLine: boolean
  /** `null`: always null. `required`: never null. */
  stopReason: 'any' | 'null' | 'required'
  /** Whether thinking that the API encrypted is one of its blocks. */
  hasRedacted: boolean
  /** Whether all results of an answer's calls are one record. */
  joinsResults: boolean
  /** Whether usage states what was cached for how long. */
  needsCacheSplit: boolean
  /** Whether answers state cost and duration. */
  hasCost: boolean
  /** Whether a result needs a structured copy, as an object. */
  needsStructured: boolean
  flags: readonly Flag[]
}

export const realForm: ClientForm = {
  types: null,
  agentTypes: null,
  answerBlocks: null,
  hasUserBlocks: true,
  userBlocks: null,
  resultContent: 'any',
  subtypes: null,
  queuesTasks: false,
  isOneBlockPerLine: true,
  stopReason: 'any',
  hasRedacted: true,
  joinsResults: false,
  needsCacheSplit: false,
  hasCost: false,
  needsStructured: false,
  flags: ['meta', 'deleted', 'aborted', 'active', 'transcript-only'],
}

export const s1Form: ClientForm = {
  ...realForm,
  types: new Set(['user', 'assistant', 'progress', 'system', 'summary', 'file-history-snapshot']),
  hasUserBlocks: false,
  isOneBlockPerLine: false,
  stopReason: 'required',
  needsCacheSplit: true,
  flags: [],
}

export const s2Form: ClientForm = {
  ...realForm,
  types: new Set(['user', 'assistant', 'progress', 'system', 'queue-operation', 'file-history-snapshot']),
  agentTypes: new Set(['user', 'assistant']),
  answerBlocks: new Set(['text', 'thinking', 'tool-call']),
  userBlocks: new Set(['text']),
  resultContent: 'texts',
  subtypes: new Set(['turn_duration', 'compact_boundary']),
  queuesTasks: true,
  stopReason: 'null',
  hasRedacted: false,
  joinsResults: true,
  needsCacheSplit: true,
  flags: ['meta', 'transcript-only'],
}

export const s4Form: ClientForm = {
  ...realForm,
  types: new Set(['user', 'assistant', 'summary']),
  answerBlocks: new Set(['text', 'tool-call']),
  hasUserBlocks: false,
  resultContent: 'texts',
  isOneBlockPerLine: false,
  stopReason: 'required',
  hasCost: true,
  needsStructured: true,
  flags: ['meta'],
}

/** The records of an event; none where the form cannot say it. */
export function clientDrafts(event: NewEvent, form: ClientForm): WireDraft[] {
  if (form.types === null && isWhole(event)) return [wholeDraft(event)]
  const types = event.agent === undefined ? form.types : (form.agentTypes ?? form.types)
  return draftsOf(event, form).filter(draft => (types?.has(draft.type) ?? true) && isNamed(draft, form))
}

/** Whether the form has such a record of this type. */
function isNamed({ type, fields }: WireDraft, { subtypes, queuesTasks }: ClientForm): boolean {
  if (type === 'system') return subtypes?.has(String(fields['subtype'])) ?? true
  return type !== 'queue-operation' || !queuesTasks || isTaskOperation(fields)
}

/** 002 queues tasks as JSON and what became of them as tags. */
function isTaskOperation({ operation, content }: WireDraft['fields']): boolean {
  if (operation === 'dequeue') return content === undefined
  if (operation !== 'enqueue' || typeof content !== 'string') return false
  if (content.includes('<task-notification>')) return /<task-id>[\s\S]*<status>/.test(content)
  const task = asObject(parseJson(content))
  return ['task_id', 'description', 'task_type'].every(field => typeof task?.[field] === 'string')
}

/** Read from a record of Claude Code's: it is written as it was. */
function isWhole({ raw }: NewEvent): boolean {
  return typeof raw?.['type'] === 'string' && !foreignTypes.has(raw['type']) && !isRoleless(raw)
}

const foreignTypes: ReadonlySet<string> = new Set(['human', 'tool_result', 'compact_prelude', 'compact_recap'])

/** As 000 writes answers. */
function isRoleless(raw: JsonObject): boolean {
  const message = asObject(raw['message'])
  return message?.['type'] === 'message' && typeof message['role'] !== 'string'
}

function wholeDraft({ raw = {} }: NewEvent): WireDraft {
  return { type: String(raw['type']), fields: raw, isChain: 'uuid' in raw || 'parentUuid' in raw }
}

function draftsOf(event: NewEvent, form: ClientForm): WireDraft[] {
  switch (event.kind) {
    case 'answer':
      return answerDrafts(event, form)
    case 'api-error':
      return event.wireType === 'system' ? [systemDraft(event)] : answerDrafts(event, form)
    case 'tool-results':
      return resultDrafts(event, form)
    case 'prompt':
    case 'delegation':
    case 'notification':
    case 'interruption':
    case 'meta':
    case 'preserved':
    case 'compact-summary':
      return event.wireType === 'system' ? [systemDraft(event)] : [userDraft(event, form)]
    case 'command':
    case 'command-output':
      return event.wireType === 'system' ? [systemDraft(event)] : [userDraft(withCommandText(event), form)]
    case 'compaction':
      return boundaryDrafts(event)
    case 'notice':
      return [systemDraft(event)]
    case 'hook':
      return event.wireType === 'system' ? [systemDraft(event)] : attachmentDrafts(event)
    case 'attachment':
      return attachmentDrafts(event)
    default:
      return sideDrafts(event)
  }
}

function userDraft(event: NewEvent, form: ClientForm): WireDraft {
  const isRemoved = event.flags?.includes('deleted') === true
  const content = isRemoved ? removedText : form.hasUserBlocks ? userContent(event, form) : textOf(event)
  const isSummary = event.kind === 'compact-summary' && form.types?.has('system') !== false
  return chainDraft('user', {
    ...((event.kind === 'meta' || event.kind === 'preserved') && form.flags.includes('meta') && { isMeta: true }),
    message: { role: 'user', content },
    ...wireFlags(event, form.flags),
    ...(isSummary && { isVisibleInTranscriptOnly: true, isCompactSummary: true }),
    ...originField(event),
  })
}

function userContent(event: NewEvent, { userBlocks }: ClientForm): string | unknown[] {
  const content = wireContent(event, { isPlain: true })
  if (userBlocks === null || typeof content === 'string') return content
  const said = content.filter((_, at) => userBlocks.has(event.blocks?.[at]?.type ?? 'other'))
  const [only] = said
  return said.length === 1 ? String(asObject(only)?.['text'] ?? '') : said
}

/** Where the text does not say it, this does. */
function originField({ kind, detail, raw }: NewEvent): Record<string, unknown> {
  const origin = asString(detail?.['origin'])
  if (kind !== 'notification' || origin === undefined) return {}
  return { origin: asObject(raw?.['origin']) ?? { kind: origin } }
}

function chainDraft(type: string, fields: Record<string, unknown>): WireDraft {
  return { type, fields, isChain: true }
}

function answerDrafts(event: NewEvent, form: ClientForm): WireDraft[] {
  const wire = wireBlocks(event)
  const said = (event.blocks ?? []).flatMap((block, at) =>
    isSaid(block, form) && !isEmptyMedia(block, wire[at]) ? [wire[at]] : [],
  )
  if (said.length === 0 && (event.blocks ?? []).length > 0) return []
  const groups = form.isOneBlockPerLine && said.length > 0 ? said.map(block => [block]) : [said]
  const isError = event.kind === 'api-error'
  return groups.map(content =>
    chainDraft('assistant', {
      message: {
        id: event.message?.id ?? '',
        type: 'message',
        role: 'assistant',
        model: event.message?.model ?? (isError ? '<synthetic>' : unknownModel),
        content: event.flags?.includes('deleted') ? content.map(withoutContent) : content,
        stop_reason: stopReason(event, form),
        stop_sequence: null,
        usage: wireUsage(event, form),
      },
      ...(event.message?.requestId !== undefined && { requestId: event.message.requestId }),
      ...(form.hasCost && { costUSD: event.message?.costUSD ?? 0, durationMs: event.message?.durationMs ?? 0 }),
      ...(isError && { isApiErrorMessage: true, ...asObject(event.detail) }),
      ...wireFlags(event, form.flags),
    }),
  )
}

function isSaid(block: NewBlock, { answerBlocks, hasRedacted }: ClientForm): boolean {
  if (block.type === 'thinking' && block.redacted === true && !hasRedacted) return false
  return answerBlocks?.has(block.type) ?? true
}

/** What an answer of a dialect without models is said to be of: no model that Claude Code knows, so its thinking is not sent. */
export const unknownModel = 'unknown'

function isEmptyMedia(block: NewBlock, wire: unknown): boolean {
  if (block.type !== 'image' && block.type !== 'document') return false
  const source = asObject(asObject(wire)?.['source'])
  return source?.['type'] === 'base64' && asString(source['data']) === ''
}

/** Its place stays: a call without its input, anything else as a short text. */
function withoutContent(block: unknown): unknown {
  const value = asObject(block)
  return asString(value?.['type'])?.endsWith('tool_use') ? { ...value, input: {} } : { type: 'text', text: removedText }
}

function stopReason({ message, blocks = [] }: NewEvent, { stopReason: form }: ClientForm): string | null {
  if (form === 'null') return null
  if (message?.stopReason !== undefined || form === 'any') return message?.stopReason ?? null
  return blocks.some(({ type }) => type === 'tool-call') ? 'tool_use' : 'end_turn'
}

/** One record per result, as Claude Code writes them, or one for all of them. */
function resultDrafts(event: NewEvent, form: ClientForm): WireDraft[] {
  const wire = wireBlocks(event)
  const isRemoved = event.flags?.includes('deleted') === true
  const drafts = (event.blocks ?? []).flatMap((block, at) => {
    if (block.type !== 'tool-result') return form.hasUserBlocks ? [otherResult(wire[at])] : []
    const one = asObject(isRemoved ? wireBlock({ ...block, content: [{ type: 'text', text: removedText }] }) : wire[at])
    const structured = structuredOf(event, block, form)
    return [
      chainDraft('user', {
        message: { role: 'user', content: [{ ...one, ...limitedContent(one, form), is_error: block.isError }] },
        ...(structured !== undefined && !isRemoved && { toolUseResult: structured }),
        ...wireFlags(event, form.flags),
      }),
    ]
  })
  return form.joinsResults && drafts.length > 1 ? [joinedResults(event, drafts, form)] : drafts
}

function joinedResults(event: NewEvent, drafts: readonly WireDraft[], { flags }: ClientForm): WireDraft {
  const content = drafts.flatMap(({ fields }) => asArray(asObject(fields['message'])?.['content']))
  return chainDraft('user', { message: { role: 'user', content }, ...wireFlags(event, flags) })
}

function limitedContent(block: JsonObject | undefined, { resultContent }: ClientForm): Record<string, unknown> {
  const content = block?.['content']
  if (resultContent === 'any' || !Array.isArray(content)) return {}
  const texts = content.filter(one => asObject(one)?.['type'] === 'text')
  return { content: texts.length === 0 ? '' : texts }
}

function otherResult(block: unknown): WireDraft {
  return chainDraft('user', { message: { role: 'user', content: [block] } })
}

function structuredOf(event: NewEvent, block: ToolResultBlock, form: ClientForm): unknown {
  const stated = block.structured ?? (resultCount(event) === 1 ? event.raw?.['toolUseResult'] : undefined)
  if (!form.needsStructured) return stated
  const object = asObject(stated)
  if (object !== undefined && !isNamelessFile(object)) return object
  const stdout = textOf({ blocks: [block] })
  return { stdout, stderr: '', interrupted: false, isImage: false, sandbox: false }
}

/** 004 has files with their path only. */
function isNamelessFile({ file }: JsonObject): boolean {
  return asObject(file) !== undefined && asString(asObject(file)?.['filePath']) === undefined
}

function resultCount({ blocks = [] }: NewEvent): number {
  return blocks.filter(({ type }) => type === 'tool-result').length
}

function systemDraft(event: NewEvent): WireDraft {
  const { subtype, isMeta: _meta, ...own } = { ...event.detail }
  const text = textOf(event)
  return chainDraft('system', {
    subtype: asString(subtype) ?? (event.kind === 'api-error' ? 'api_error' : 'informational'),
    ...((event.blocks ?? []).length > 0 && { content: text }),
    isMeta: event.flags?.includes('meta') === true,
    ...own,
    ...(event.flags?.includes('error') && own['level'] === undefined && { level: 'error' }),
    ...(event.kind === 'notice' && subtype === undefined && own['level'] === undefined && { level: 'info' }),
  })
}

/** `compact_boundary`, whose parent the encoder sets to null, with what was before it as its logical parent. */
function boundaryDrafts(event: NewEvent): WireDraft[] {
  const { phase, preserved, subtype: _subtype, preservedMessages: _count, ...rest } = { ...event.detail }
  // 003 also marks how a compaction begins, and that work goes on.
  if (phase !== undefined && phase !== 'done' && phase !== 'micro') return []
  const content = textOf(event) || 'Conversation compacted'
  if (phase === 'micro')
    return [
      chainDraft('system', { subtype: 'microcompact_boundary', content, isMeta: false, microcompactMetadata: rest }),
    ]
  const boundary = chainDraft('system', {
    subtype: 'compact_boundary',
    content: 'Conversation compacted',
    isMeta: false,
    level: 'info',
    compactMetadata: {
      trigger: asString(rest['trigger']) ?? 'manual',
      preTokens: rest['preTokens'] ?? 0,
      ...rest,
      ...preservedFields(asObject(preserved)),
    },
  })
  return [boundary]
}

function preservedFields(preserved: JsonObject | undefined): Record<string, unknown> {
  if (preserved === undefined) return {}
  const { head, tail, anchor, uuids, allUuids } = preserved
  return {
    ...(head !== undefined && { preservedSegment: { headUuid: head, anchorUuid: anchor, tailUuid: tail } }),
    ...(asArray(uuids).length > 0 && {
      preservedMessages: { anchorUuid: anchor, uuids, ...(allUuids !== undefined && { allUuids }) },
    }),
  }
}

function attachmentDrafts(event: NewEvent): WireDraft[] {
  const { attachmentType, queued: _queued, ...own } = { ...event.detail }
  const type = asString(attachmentType)
  if (type === undefined) return []
  return [chainDraft('attachment', { attachment: { type, ...own } })]
}

const titleTypes: Readonly<Record<string, readonly [type: string, field: string]>> = {
  summary: ['summary', 'summary'],
  custom: ['custom-title', 'customTitle'],
  ai: ['ai-title', 'aiTitle'],
  'agent-name': ['agent-name', 'agentName'],
}

/** Records outside of the chain. */
function sideDrafts(event: NewEvent): WireDraft[] {
  const detail: Record<string, unknown> = { ...event.detail }
  const draft = (type: string, fields: Record<string, unknown>): WireDraft[] => [{ type, fields, isChain: false }]
  switch (event.kind) {
    case 'progress':
      return [progressDraft(event, detail)]
    case 'queue': {
      const content = detail['content'] ?? (textOf(event) || undefined)
      return draft('queue-operation', {
        operation: detail['operation'] ?? 'enqueue',
        ...(content !== undefined && { content }),
      })
    }
    case 'title': {
      const [type, field] = titleTypes[asString(detail['titleFrom']) ?? 'custom'] ?? ['custom-title', 'customTitle']
      const leaf = detail['leaf']
      return draft(type, { [field]: detail['title'] ?? textOf(event), ...(leaf !== undefined && { leafUuid: leaf }) })
    }
    case 'snapshot':
      return snapshotDrafts(event, detail)
    case 'state':
    case 'link': {
      const { type, leaf, ...own } = detail
      return typeof type === 'string' ? draft(type, { ...own, ...(leaf !== undefined && { leafUuid: leaf }) }) : []
    }
    default:
      return []
  }
}

function progressDraft(
  event: NewEvent,
  { dataType, toolUseID, parentToolUseID, ...own }: Record<string, unknown>,
): WireDraft {
  const raw = asObject(event.raw?.['data'])
  const output = textOf(event)
  const data = raw ?? { type: dataType ?? 'bash_progress', ...own, ...(output !== '' && { output }) }
  return chainDraft('progress', {
    data,
    toolUseID: toolUseID ?? '',
    parentToolUseID: parentToolUseID ?? toolUseID ?? '',
  })
}

/** `detail.snapshot` or `detail.files`: the files that Claude Code could take back. */
function snapshotDrafts({ raw, at }: NewEvent, detail: Record<string, unknown>): WireDraft[] {
  const messageId = detail['messageId']
  if (raw !== undefined && raw['type'] === 'file-history-snapshot')
    return [{ type: 'file-history-snapshot', fields: raw, isChain: false }]
  // A single file of a later version: as a snapshot it would say that there are no other files.
  if (raw !== undefined) return []
  const backups = Object.fromEntries(asArray(detail['files']).map(file => [String(file), { backupFileName: null }]))
  const snapshot = asObject(detail['snapshot']) ?? { messageId, trackedFileBackups: backups, timestamp: at }
  const fields = { messageId, snapshot, isSnapshotUpdate: detail['isUpdate'] === true }
  return [{ type: 'file-history-snapshot', fields, isChain: false }]
}

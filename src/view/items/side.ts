// What surrounds the conversation: attachments, checkpoints, links, records of unknown kinds and damaged bytes. All of it
// is quiet but damage.

import { detailFields } from '../../model/detail.ts'
import type { EventOf, SessionEvent } from '../../model/event.ts'
import { badge, factsPart, fieldParts, foldedJson, foldedText, partsAfterText, textOf, textParts } from '../parts.ts'
import type { CodePart, ViewItem, ViewPart } from '../view.ts'
import { countOf, countText, sizeText, wordsOf } from '../words.ts'
import { newItem, quietItem } from './item.ts'

const carriedTexts = ['content', 'snippet', 'prompt', 'text', 'stdout', 'plan']
const namingFields = ['displayPath', 'filename', 'path', 'planFilePath', 'newDate', 'condition'] as const

export function viewAttachment(event: EventOf<'attachment'>): ViewItem {
  const { detail = {} } = event
  const type = wordsOf(detail.attachmentType ?? '')
  const name = namingFields.map(field => detail[field]).find(value => value !== undefined && value !== '')
  const item = quietItem(event, 'attachment', ['Attached', type, name ?? ''].filter(word => word !== '').join('  '))
  const { lineStart: from, lineEnd: to } = detail
  if (from !== undefined && to !== undefined) item.badges.push(badge(`lines ${from}-${to}`))
  if (detail.attachmentType === 'prompt_snapshot') {
    item.body = [repeatedJson(detailFields(event))]
    return item
  }
  const text = textOf(event.blocks)
  const known = ['attachmentType', 'lineStart', 'lineEnd', 'toolUseID', ...namingFields]
  const hasContent = event.blocks.length > 0
  item.body = [
    ...foldedText(text),
    ...partsAfterText(event.blocks),
    ...fieldParts(detailFields(event), hasContent ? [...known, ...carriedTexts] : known).map(folded),
  ]
  return item
}

function folded(part: ViewPart): ViewPart {
  return part.type === 'text' ? { ...part, tone: 'quiet', isFolded: true } : part
}

/** A checkpoint of files, for rewinding; nothing to see where it has none. */
export function viewSnapshot(event: EventOf<'snapshot'>): ViewItem[] {
  const { files = [] } = event.detail ?? {}
  if (files.length === 0) return []
  const item = quietItem(event, 'notice', `Checkpoint  ${countOf(files.length, 'file')}`)
  item.body = foldedText(files.join('\n'))
  return [item]
}

const linkTitles: Readonly<Record<string, string>> = {
  'pr-link': 'Pull request',
  'frame-link': 'Published page',
  'bridge-session': 'Remote session',
  'continued-in': 'Continued in',
  'fork-context-ref': 'Forked from',
  relocated: 'Moved',
  'observer-ref': 'Observer',
}
const linkFields = [
  'prUrl',
  'url',
  'frameUrl',
  'continuedInSessionId',
  'bridgeSessionId',
  'parentSessionId',
  'sessionUrl',
] as const

export function viewLink(event: EventOf<'link'>): ViewItem {
  const { detail = {} } = event
  const { type = '' } = detail
  const title = (Object.hasOwn(linkTitles, type) ? linkTitles[type] : undefined) ?? wordsOf(type)
  const field = linkFields.find(name => detail[name] !== undefined)
  const target = field === undefined ? '' : (detail[field] ?? '')
  const item = quietItem(event, 'link', `${title}  ${target}`.trimEnd())
  item.body = fieldParts(detailFields(event), ['type', ...(field === undefined ? [] : [field])])
  return item
}

/** A record of a kind that is not known here, whole. */
export function viewUnknown(event: SessionEvent): ViewItem {
  const { type, foreign } = (event.kind === 'other' && event.detail) || {}
  const name = type || event.wireType || 'without a type'
  const subtype = event.detail?.subtype
  const item = quietItem(event, 'unknown', `Record  ${subtype === undefined ? name : `${name} ${subtype}`}`)
  if (foreign !== undefined) item.badges.push(badge(`log of ${foreign}`, 'warn'))
  const value = event.record.value
  if (value !== undefined)
    item.body = [event.wireType.startsWith('api-request') ? repeatedJson(value) : foldedJson(value)]
  return item
}

/** What a request to the API was made of: the conversation and the system prompt once more. */
function repeatedJson(value: unknown): CodePart {
  return { ...foldedJson(value), isRepeated: true }
}

const damageWords: Readonly<Record<string, string>> = {
  torn: 'Unfinished last line',
  oversized: 'Line too long to read',
}

/** Bytes that are not a record: where they are and how many. */
export function viewDamage(event: EventOf<'malformed'>): ViewItem {
  const { file, line, offset, bytes } = event.source
  const status = event.detail?.status ?? ''
  const title = (Object.hasOwn(damageWords, status) ? damageWords[status] : undefined) ?? 'Damaged bytes'
  const item = newItem(event, 'damaged', `${title}  line ${countText(line)}`)
  item.badges = [badge(sizeText(bytes), 'bad')]
  item.body = factsPart([
    ['file', file],
    ['line', line],
    ['offset', offset],
    ['bytes', bytes],
  ])
  return item
}

/** Records that repeat earlier ones, as forks and resumes write them: said once for a whole run. */
export function viewCopies(events: readonly SessionEvent[]): ViewItem[] {
  const first = events[0]
  if (first === undefined) return []
  const item = quietItem(first, 'notice', `${countOf(events.length, 'record')} repeated from earlier`)
  item.body = factsPart([
    ['file', first.source.file],
    ['from line', first.source.line],
    ['to line', events.at(-1)?.source.line],
  ])
  return [item]
}

/** Progress that belongs to no call: one item for a run of the same kind. */
export function viewProgress(events: readonly EventOf<'progress'>[]): ViewItem[] {
  const last = events.at(-1)
  if (last === undefined) return []
  const { dataType: type = '', hookName, hookEvent } = last.detail ?? {}
  const name = hookName ?? hookEvent
  const isHook = type === 'hook_progress'
  const title = isHook ? `Hook  ${name ?? ''}`.trimEnd() : `Progress  ${wordsOf(type)}`.trimEnd()
  const item = quietItem(last, isHook ? 'hook' : 'notice', title)
  if (events.length > 1) item.badges.push(badge(countOf(events.length, 'line')))
  const known = ['dataType', 'toolUseID', 'parentToolUseID', 'hookName', 'hookEvent']
  item.body = [...textParts(textOf(last.blocks), 'quiet'), ...fieldParts(detailFields(last), known).map(folded)]
  return [item]
}

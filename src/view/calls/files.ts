// Reading and changing files: which part of which file, what was in it, what became of it.

import { asArray, asNumber, asObject, asString, type JsonObject } from '../../base/json.ts'
import { addedFile, computedDiff, loggedDiff } from '../diff.ts'
import { languageOf } from '../language.ts'
import { badge, codePart, fieldParts, foldedText, partsAfterText, textOf, textParts } from '../parts.ts'
import type { Badge, CodePart, DiffPart, ViewPart } from '../view.ts'
import { countOf, countText, sizeText } from '../words.ts'
import { type CallFacts, type CallForm, type Form, outcomeTone, plainOutcome } from './facts.ts'

export const fileForms: Readonly<Record<string, Form>> = {
  Read: readForm,
  NotebookRead: readForm,
}

function readForm(facts: CallFacts): CallForm {
  const file = asObject(facts.structured['file']) ?? {}
  const known = ['file_path', 'notebook_path', 'offset', 'limit']
  return {
    subject: facts.path,
    badges: readBadges(facts, file),
    request: fieldParts(facts.input, known),
    outcome: readOutcome(facts, file),
  }
}

function readBadges({ structured, input }: CallFacts, file: JsonObject): Badge[] {
  const badges: Badge[] = []
  const range = rangeText(input, file)
  if (range !== undefined) badges.push(badge(range))
  const type = asString(structured['type'])
  if (type === 'file_unchanged') badges.push(badge('unchanged since it was last read'))
  else if (type !== undefined && type !== 'text') badges.push(badge(type))
  const size = asNumber(file['originalSize'])
  if (size !== undefined) badges.push(badge(sizeText(size)))
  const dimensions = asObject(file['dimensions'])
  const width = asNumber(dimensions?.['originalWidth']) ?? asNumber(dimensions?.['width'])
  const height = asNumber(dimensions?.['originalHeight']) ?? asNumber(dimensions?.['height'])
  if (width !== undefined && height !== undefined) badges.push(badge(`${width} × ${height}`))
  const cells = asArray(file['cells']).length
  if (cells > 0) badges.push(badge(`${countText(cells)} cells`))
  const pages = asNumber(file['count']) ?? asNumber(file['numPages'])
  if (pages !== undefined) badges.push(badge(`${countText(pages)} pages`))
  return badges
}

/** `lines 10-60 of 200` as it was read, else as it was asked for. */
function rangeText(input: JsonObject, file: JsonObject): string | undefined {
  const start = asNumber(file['startLine'])
  const count = asNumber(file['numLines'])
  const total = asNumber(file['totalLines'])
  if (count !== undefined && total !== undefined) {
    if (count >= total) return countOf(total, 'line')
    return `lines ${start ?? 1}-${(start ?? 1) + Math.max(count, 1) - 1} of ${total}`
  }
  const offset = asNumber(input['offset'])
  const limit = asNumber(input['limit'])
  if (limit !== undefined) return `lines ${offset ?? 1}-${(offset ?? 1) + limit - 1}`
  return offset === undefined ? undefined : `from line ${offset}`
}

function readOutcome(facts: CallFacts, file: JsonObject): ViewPart[] {
  const { structured, content, path } = facts
  if (!facts.hasResult || outcomeTone(facts) !== 'plain') return plainOutcome(facts)
  const type = asString(structured['type'])
  if (type === 'file_unchanged') return textParts(facts.text, 'quiet')
  if (type === 'notebook') return [...notebookCells(file), ...partsAfterText(content)]
  const media = partsAfterText(content)
  const written = asString(file['content'])
  if (type === 'text' && written !== undefined) {
    const { rest } = numberedLines(facts.text)
    return [...fileCode(written, path, asNumber(file['startLine'])), ...reminder(rest), ...media]
  }
  if (media.length > 0) return [...media, ...textParts(textOf(content), 'quiet')]
  return unstructured(facts.text, path)
}

function fileCode(text: string, path: string, startLine: number | undefined): CodePart[] {
  if (text === '') return []
  const part = { ...codePart('', languageOf(path)), text: text.endsWith('\n') ? text.slice(0, -1) : text }
  if (startLine !== undefined) part.startLine = startLine
  return [part]
}

/** Without the structured result, the text has the lines with their numbers: `    12→const a = 1`. */
function unstructured(text: string, path: string): ViewPart[] {
  const { lines, first, rest } = numberedLines(text)
  if (first === undefined) return textParts(text)
  return [...fileCode(lines.join('\n'), path, first), ...reminder(rest)]
}

/** The last line of a file that ends in a line end is empty: only its number is left. */
const numbered = /^ *(\d{1,9})(?:[→\t]|$)/

function numberedLines(text: string): { lines: string[]; first?: number; rest: string } {
  const all = text.split('\n')
  const lines: string[] = []
  let first: number | undefined
  for (const line of all) {
    const found = numbered.exec(line.slice(0, 24))
    if (!found || Number(found[1]) !== (first ?? Number(found[1])) + lines.length) break
    first ??= Number(found[1])
    lines.push(line.slice(found[0].length))
  }
  if (first === undefined) return { lines, rest: '' }
  return { lines, first, rest: all.slice(lines.length).join('\n') }
}

/** Claude Code puts reminders for the model behind a file's content. */
function reminder(rest: string): ViewPart[] {
  return foldedText(rest, 'for the model')
}

function notebookCells(file: JsonObject): ViewPart[] {
  return asArray(file['cells']).flatMap((item): ViewPart[] => {
    const cell = asObject(item) ?? {}
    const source = cell['source']
    const text =
      typeof source === 'string'
        ? source
        : asArray(source)
            .filter(line => typeof line === 'string')
            .join('')
    if (text === '') return []
    const isCode = (asString(cell['cellType']) ?? asString(cell['cell_type'])) !== 'markdown'
    return isCode ? [codePart(text, asString(cell['language']) ?? 'python')] : [{ type: 'markdown', text }]
  })
}

export const editForms: Readonly<Record<string, Form>> = {
  Edit: facts => editForm(facts, [editOf(facts.input)]),
  MultiEdit: facts =>
    editForm(
      facts,
      asArray(facts.input['edits']).map(item => editOf(asObject(item) ?? {})),
    ),
  Write: writeForm,
  NotebookEdit: notebookForm,
}

interface Edit {
  before: string
  after: string
  isAll: boolean
}

function editOf(fields: JsonObject): Edit {
  return {
    before: asString(fields['old_string']) ?? '',
    after: asString(fields['new_string']) ?? '',
    isAll: fields['replace_all'] === true,
  }
}

function editForm(facts: CallFacts, edits: readonly Edit[]): CallForm {
  const { input, structured, path } = facts
  const original = asString(structured['originalFile']) ?? asString(structured['originalFileContents'])
  const diff = loggedDiff(path, structured['structuredPatch']) ?? computedDiff(path, changesOf(edits, original))
  const badges = changeBadges(facts, diff)
  if (edits.length > 1) badges.push(badge(`${edits.length} edits`))
  if (edits.some(edit => edit.isAll)) badges.push(badge('replace all'))
  const known = ['file_path', 'old_string', 'new_string', 'replace_all', 'edits']
  return { subject: path, badges, request: fieldParts(input, known), outcome: changeOutcome(facts, diff) }
}

/** With the file as it was, the edits have their place in it; without it each represents itself. */
function changesOf(edits: readonly Edit[], original: string | undefined): [before: string, after: string][] {
  const pairs = edits.map(({ before, after }): [string, string] => [before, after])
  if (original === undefined) return pairs
  let text = original
  for (const { before, after, isAll } of edits) {
    if (before === '') return pairs
    const at = text.indexOf(before)
    if (at === -1) return pairs
    text = isAll ? text.split(before).join(after) : text.slice(0, at) + after + text.slice(at + before.length)
  }
  return [[original, text]]
}

/** A change that failed added and removed nothing. */
function changeBadges({ structured, isFailed }: CallFacts, diff: DiffPart): Badge[] {
  const badges: Badge[] = []
  if (diff.added > 0 && !isFailed) badges.push(badge(`+${diff.added}`, 'good'))
  if (diff.removed > 0 && !isFailed) badges.push(badge(`-${diff.removed}`, 'bad'))
  if (structured['userModified'] === true) badges.push(badge('changed by the user', 'accent'))
  if (structured['staleRecovered'] === true) badges.push(badge('file had changed'))
  return badges
}

/** A failed change shows what it wanted, after why it failed; the word of success of a done one says nothing new. */
function changeOutcome(facts: CallFacts, diff: DiffPart): ViewPart[] {
  const shown = diff.hunks.length === 0 ? [] : [diff]
  if (outcomeTone(facts) !== 'plain') return [...plainOutcome(facts), ...shown]
  if (shown.length === 0) return plainOutcome(facts)
  return [...shown, ...partsAfterText(facts.content)]
}

function writeForm(facts: CallFacts): CallForm {
  const { input, structured, path } = facts
  const content = asString(structured['content']) ?? asString(input['content']) ?? ''
  const original = asString(structured['originalFile'])
  const isNew = structured['type'] === 'create' || (structured['type'] === undefined && original === undefined)
  const diff = loggedDiff(path, structured['structuredPatch']) ?? writtenDiff(path, original, content)
  const badges = changeBadges(facts, diff)
  if (structured['type'] !== undefined) badges.push(badge(isNew ? 'new file' : 'overwritten'))
  const outcome = changeOutcome(facts, diff)
  return { subject: path, badges, request: fieldParts(input, ['file_path', 'content']), outcome }
}

function writtenDiff(path: string, original: string | undefined, content: string): DiffPart {
  return original === undefined ? addedFile(path, content) : computedDiff(path, [[original, content]])
}

function notebookForm(facts: CallFacts): CallForm {
  const { input, structured, path } = facts
  const mode = asString(structured['edit_mode']) ?? asString(input['edit_mode']) ?? 'replace'
  const source = asString(structured['new_source']) ?? asString(input['new_source']) ?? ''
  const before = asString(structured['old_source']) ?? ''
  const number = asNumber(structured['cell_number']) ?? asNumber(input['cell_number'])
  const cell = asString(input['cell_id']) ?? asString(structured['cell_id']) ?? number
  const diff = computedDiff(path, [[before, mode === 'delete' ? '' : source]])
  const badges = [badge(`${mode} cell${cell === undefined ? '' : ` ${cell}`}`), ...changeBadges(facts, diff)]
  const known = ['notebook_path', 'new_source', 'cell_id', 'cell_number', 'edit_mode']
  const error = textParts(asString(structured['error']), 'bad')
  const outcome = [...error, ...changeOutcome(facts, diff)]
  return { subject: path, badges, request: fieldParts(input, known), outcome }
}

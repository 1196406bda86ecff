// Changing files: every tool that writes shows a diff, from the patch in the log or worked out from old and new text.

import { asArray, asNumber, asObject, asString, type JsonObject } from '../../base/json.ts'
import { addedFile, computedDiff, loggedDiff } from '../diff.ts'
import { badge, fieldParts, partsBesideText, textParts } from '../parts.ts'
import type { Badge, DiffPart, ViewPart } from '../view.ts'
import { type CallFacts, type CallForm, type Form, outcomeTone, plainOutcome } from './facts.ts'

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
  const { input, structured } = facts
  const path = pathOf(facts)
  const original = asString(structured['originalFile']) ?? asString(structured['originalFileContents'])
  const diff = loggedDiff(path, structured['structuredPatch']) ?? computedDiff(path, changesOf(edits, original))
  const badges = changeBadges(facts, diff)
  if (edits.length > 1) badges.push(badge(`${edits.length} edits`))
  if (edits.some(edit => edit.isAll)) badges.push(badge('replace all'))
  const known = ['file_path', 'old_string', 'new_string', 'replace_all', 'edits']
  return { subject: path, badges, request: fieldParts(input, known), outcome: changeOutcome(facts, diff) }
}

function pathOf({ input, structured }: CallFacts): string {
  return asString(input['file_path']) ?? asString(input['notebook_path']) ?? asString(structured['filePath']) ?? ''
}

/** With the file as it was, the edits have their place in it; without it each stands for itself. */
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

function changeBadges({ structured }: CallFacts, diff: DiffPart): Badge[] {
  const badges: Badge[] = []
  if (diff.added > 0) badges.push(badge(`+${diff.added}`, 'good'))
  if (diff.removed > 0) badges.push(badge(`-${diff.removed}`, 'bad'))
  if (structured['userModified'] === true) badges.push(badge('changed by the user', 'accent'))
  if (structured['staleRecovered'] === true) badges.push(badge('file had changed'))
  return badges
}

/** A failed change shows what it wanted, after why it failed; the word of success of a done one says nothing new. */
function changeOutcome(facts: CallFacts, diff: DiffPart): ViewPart[] {
  const shown = diff.hunks.length === 0 ? [] : [diff]
  if (outcomeTone(facts) !== 'plain') return [...plainOutcome(facts), ...shown]
  if (shown.length === 0) return plainOutcome(facts)
  return [...shown, ...partsBesideText(facts.content)]
}

function writeForm(facts: CallFacts): CallForm {
  const { input, structured } = facts
  const path = pathOf(facts)
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
  const { input, structured } = facts
  const path = pathOf(facts)
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

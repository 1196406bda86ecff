// Searching files: the pattern, where, how many were found, and what.

import { asArray, asNumber, asObject, asString } from '../../base/json.ts'
import { badge, factsPart, fieldParts, partsAfterText, textParts } from '../parts.ts'
import type { Badge, ViewPart } from '../view.ts'
import { countOf, countText, firstLine, wordsOf } from '../words.ts'
import { type CallFacts, type CallForm, type Form, firstString, outcomeTone, plainOutcome } from './facts.ts'

export const searchForms: Readonly<Record<string, Form>> = {
  Grep: searchForm,
  Glob: searchForm,
  LS: facts => ({
    subject: firstString(facts.input, ['path']) ?? '',
    request: fieldParts(facts.input, ['path']),
    outcome: plainOutcome(facts),
  }),
  LSP: lspForm,
  ToolSearch: toolSearchForm,
}

function searchForm(facts: CallFacts): CallForm {
  const { input } = facts
  const pattern = asString(input['pattern']) ?? ''
  const path = asString(input['path'])
  return {
    subject: path ? `${pattern}  in ${path}` : pattern,
    badges: countBadges(facts),
    request: fieldParts(input, ['pattern', 'path']),
    outcome: found(facts),
  }
}

function countBadges({ structured }: CallFacts): Badge[] {
  const badges: Badge[] = []
  const matches = asNumber(structured['numMatches'])
  const lines = asNumber(structured['numLines'])
  const files = asNumber(structured['numFiles'])
  if (matches !== undefined) badges.push(badge(countOf(matches, 'match', 'matches')))
  if (lines !== undefined) badges.push(badge(countOf(lines, 'line')))
  if (files !== undefined && (files > 0 || badges.length === 0)) badges.push(badge(countOf(files, 'file')))
  const total =
    asNumber(structured['totalMatches']) ?? asNumber(structured['totalLines']) ?? asNumber(structured['totalFiles'])
  if (total !== undefined && total > (lines ?? files ?? total)) badges.push(badge(`of ${countText(total)}`))
  if (structured['truncated'] === true || structured['appliedLimit'] !== undefined) badges.push(badge('cut', 'warn'))
  return badges
}

/** Matches as the result's own field has them, so that hints for the model around them stay out. */
function found(facts: CallFacts): ViewPart[] {
  if (outcomeTone(facts) !== 'plain') return plainOutcome(facts)
  const content = asString(facts.structured['content'])
  const names = asArray(facts.structured['filenames']).filter(name => typeof name === 'string')
  const text = content ? content : names.length > 0 ? names.join('\n') : facts.text
  return [...textParts(text), ...partsAfterText(facts.content)]
}

function lspForm(facts: CallFacts): CallForm {
  const { input, structured, path } = facts
  const operation = firstString(input, ['operation']) ?? ''
  const count = asNumber(structured['resultCount'])
  return {
    subject: `${wordsOf(operation)}  ${path}`.trim(),
    badges: count === undefined ? [] : [badge(countOf(count, 'result'))],
    request: fieldParts(input, ['operation', 'filePath', 'file_path']),
    outcome: plainOutcome(facts),
  }
}

function toolSearchForm(facts: CallFacts): CallForm {
  const { input, structured } = facts
  const matches = asArray(structured['matches']).filter(name => typeof name === 'string')
  const badges = structured['matches'] === undefined ? [] : [badge(countOf(matches.length, 'match', 'matches'))]
  return {
    subject: firstLine(asString(input['query']) ?? ''),
    badges,
    request: fieldParts(input, ['query', 'max_results']),
    outcome: matches.length > 0 ? textParts(matches.join('\n')) : toolReferences(facts),
  }
}

function toolReferences(facts: CallFacts): ViewPart[] {
  const names = facts.content.flatMap(block => {
    const name = block.type === 'other' ? asString(asObject(block.raw)?.['tool_name']) : undefined
    return name === undefined ? [] : [name]
  })
  return names.length > 0 ? factsPart([['tools', names]]) : plainOutcome(facts)
}

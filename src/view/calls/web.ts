// The web: pages fetched and searches made, by Claude Code's own tools or by the API's.

import { asArray, asNumber, asObject, asString, parseJson } from '../../base/json.ts'
import { badge, factsPart, fieldParts, markdownParts, partsAfterText, textParts } from '../parts.ts'
import type { Badge } from '../view.ts'
import { countOf, sizeText } from '../words.ts'
import { type CallFacts, type CallForm, type Form, outcomeTone, plainOutcome } from './facts.ts'

export const webForms: Readonly<Record<string, Form>> = {
  WebFetch: fetchForm,
  web_fetch: fetchForm,
  WebSearch: searchForm,
  web_search: searchForm,
}

function fetchForm(facts: CallFacts): CallForm {
  const { input, structured } = facts
  const url = asString(input['url']) ?? asString(structured['url']) ?? ''
  const result = asString(structured['result'])
  return {
    subject: url,
    badges: fetchBadges(facts),
    request: [...textParts(asString(input['prompt']), 'quiet'), ...fieldParts(input, ['url', 'prompt'])],
    outcome:
      outcomeTone(facts) === 'plain'
        ? [...markdownParts(result ?? facts.text), ...partsAfterText(facts.content)]
        : plainOutcome(facts),
  }
}

function fetchBadges({ structured }: CallFacts): Badge[] {
  const badges: Badge[] = []
  const code = asNumber(structured['code'])
  const text = asString(structured['codeText'])
  if (code !== undefined) badges.push(badge(text ? `${code} ${text}` : String(code), code < 400 ? 'good' : 'bad'))
  const bytes = asNumber(structured['bytes'])
  if (bytes !== undefined) badges.push(badge(sizeText(bytes)))
  return badges
}

function searchForm(facts: CallFacts): CallForm {
  const { input, structured } = facts
  const logged = searchResults(structured['results'])
  const { links, texts } = logged.links.length + logged.texts.length > 0 ? logged : linksInText(facts.text)
  const badges: Badge[] = []
  if (links.length > 0) badges.push(badge(countOf(links.length, 'result')))
  const searches = asNumber(structured['searchCount'])
  if (searches !== undefined && searches > 1) badges.push(badge(countOf(searches, 'search', 'searches')))
  const hasOwn = links.length > 0 || texts.length > 0
  return {
    subject: asString(input['query']) ?? asString(structured['query']) ?? '',
    badges,
    request: fieldParts(input, ['query']),
    outcome:
      hasOwn && outcomeTone(facts) === 'plain'
        ? [...factsPart(links), ...markdownParts(texts.join('\n\n'))]
        : plainOutcome(facts),
  }
}

/** A list of groups of links and of texts; entries may be null. */
function searchResults(results: unknown): { links: [title: string, url: string][]; texts: string[] } {
  const links: [string, string][] = []
  const texts: string[] = []
  for (const result of asArray(results)) {
    if (typeof result === 'string') texts.push(result)
    for (const item of asArray(asObject(result)?.['content'])) {
      const link = asObject(item)
      const url = asString(link?.['url'])
      if (url !== undefined) links.push([asString(link?.['title']) || url, url])
    }
  }
  return { links, texts }
}

/** Without the structured result, the text has the links as JSON: `Links: [{"title":"…","url":"…"}]`. */
function linksInText(text: string): ReturnType<typeof searchResults> {
  const content: unknown[] = []
  const rest: string[] = []
  for (const line of text.split('\n')) {
    const found = line.startsWith('Links: [') ? parseJson(line.slice('Links: '.length)) : undefined
    if (Array.isArray(found)) for (const link of found) content.push(link)
    else rest.push(line)
  }
  return content.length === 0 ? { links: [], texts: [] } : searchResults([{ content }, rest.join('\n').trim()])
}

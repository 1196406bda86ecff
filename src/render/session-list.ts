// The index page of exported sessions, as HTML and as Markdown: which there are, when and where, and links to their files.
// What the pages of sessions look like is in html/ and markdown/.

import type { Instant } from '../base/instant.ts'
import { countOf, countText } from '../view/words.ts'
import { escapeHtml, escapeHtmlLine } from './html/escape.ts'
import { styleSheet } from './html/style.ts'
import { escapeMarkdownLine } from './markdown/escape.ts'
import { clockFor } from './words.ts'

/** A session on the index page. All texts are raw. */
export interface ListedSession {
  /** The file of its page, relative to the index; made of letters, digits, dots, dashes and slashes. */
  file: string
  id: string
  title: string
  project: string
  startedAt: Instant
  endedAt: Instant
  prompts: number
  toolCalls: number
  tokens: number
}

export interface SessionListOptions {
  timezone?: string
  /** What was selected, in words. */
  about: string
}

const listStyle = `
.sessions{max-width:1080px;margin:0 auto;padding:32px 20px}.sessions h1{margin-bottom:4px}
.sessions table{border-collapse:collapse;width:100%;font-size:14px;line-height:20px;margin-top:20px}
.sessions th,.sessions td{text-align:left;padding:6px 16px 6px 0;border-bottom:1px solid var(--hair);vertical-align:top}
.sessions th{font-weight:600;color:var(--soft)}.sessions .number,.sessions th:nth-child(n+4){text-align:right;font-variant-numeric:tabular-nums}
`

const heads = ['When', 'Title', 'Project', 'Prompts', 'Calls', 'Tokens']

function whenText({ startedAt, endedAt }: ListedSession, timezone: string | undefined): string {
  const at = clockFor(timezone).read(endedAt ?? startedAt)
  return at === null ? '' : `${at.date} ${at.time}`
}

/** Blanks count as no title. */
function titleOf({ title, id }: ListedSession): string {
  return title.trim() === '' ? id : title
}

/** The chunks of the page; the sessions come in the order that they have. */
export function* sessionListToHtml(sessions: readonly ListedSession[], options: SessionListOptions): Generator<string> {
  const about = escapeHtmlLine(`${countOf(sessions.length, 'session')}${options.about}`)
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="clew">
<title>Sessions</title>
<style>${styleSheet}${listStyle}</style>
</head>
<body>
<main class="sessions">
<h1>Sessions</h1>
<p class="holds">${about}</p>
<div class="wide"><table>
<thead><tr>${heads.map(head => `<th scope="col">${head}</th>`).join('')}</tr></thead>
<tbody>
`
  for (const session of sessions) yield rowHtml(session, options.timezone)
  yield '</tbody>\n</table></div>\n</main>\n</body>\n</html>\n'
}

function rowHtml(session: ListedSession, timezone: string | undefined): string {
  const { file, project, prompts, toolCalls, tokens } = session
  const link = `<a href="${escapeHtml(file)}" dir="auto">${escapeHtmlLine(titleOf(session))}</a>`
  const numbers = [prompts, toolCalls, tokens].map(number => `<td class="number">${countText(number)}</td>`).join('')
  const when = `<td><time>${whenText(session, timezone)}</time></td>`
  return `<tr>${when}<td>${link}</td><td dir="auto">${escapeHtmlLine(project)}</td>${numbers}</tr>\n`
}

/** The same as Markdown. */
export function* sessionListToMarkdown(
  sessions: readonly ListedSession[],
  options: SessionListOptions,
): Generator<string> {
  yield `# Sessions\n\n${escapeMarkdownLine(`${countOf(sessions.length, 'session')}${options.about}`)}\n\n`
  yield `| ${heads.join(' | ')} |\n| --- | --- | --- | --: | --: | --: |\n`
  for (const session of sessions) {
    const { file, project, prompts, toolCalls, tokens } = session
    const link = `[${escapeMarkdownLine(titleOf(session))}](${file})`
    const numbers = [prompts, toolCalls, tokens].map(number => countText(number))
    yield `| ${[whenText(session, options.timezone), link, escapeMarkdownLine(project), ...numbers].join(' | ')} |\n`
  }
}

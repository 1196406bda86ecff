// `clew history`: the prompts that were typed, newest last, with pasted text and the session of each.

import pc from 'picocolors'
import type { Clew } from '../../answers/clew.ts'
import { knownRows } from '../../answers/sessions/known.ts'
import { shortIds } from '../../answers/sessions/names.ts'
import { historyOf, type PastAnswer, printedPrompts } from '../../answers/texts/history.ts'
import { type Clock, clockFor } from '../../answers/times.ts'
import { escapeForLine, escapeForTerminal } from '../../base/escape.ts'
import { columnsOf, cutToColumns, fitColumns } from '../../base/width.ts'
import { leastWidth, outputWidth } from '../../render/terminal/style.ts'
import { render, safeLine, wrapLine } from '../../render/terminal/text.ts'
import type { HistoryPrompt } from '../../schema/contract-shapes.ts'
import { sizeText } from '../../view/words.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { printJson, printLine, reportUnread, say } from '../terminal/output.ts'

type Pasted = HistoryPrompt['pasted'][number]

export async function run({ options, globals }: CommandInput): Promise<ExitCode> {
  const { clew, json, quiet } = globals
  const answer = await historyOf(clew, options)
  const { all, hasHistory, findings } = answer
  const prompts = printedPrompts(answer)
  reportUnread(findings, quiet)
  if (json) await printJson({ prompts })
  if (all.length === 0) {
    say('clew: neither history.jsonl nor sessions found; --root PATH names a Claude home')
    return findings.length > 0 ? 2 : 1
  }
  if (!hasHistory && !quiet) say('clew: no history.jsonl found; showing the prompts of the sessions')
  if (!json) await print(answer, options['pasted'] === true, clew)
  if (prompts.length > 0) return 0
  if (!quiet) say(`clew: none of ${all.length} prompts matches; try fewer filters`)
  return 1
}

async function print({ prompts }: PastAnswer, withPasted: boolean, clew: Clew): Promise<void> {
  const { rows } = await knownRows(clew)
  const shortId = shortIds(rows.map(({ session }) => session.id))
  const ids = sessionIds(prompts.map(({ prompt }) => prompt))
  const idWidth = Math.min(37, ids.reduce((most, id) => Math.max(most, shortId(id).length), 8) + 1)
  const width = Math.max(leastWidth, outputWidth())
  const shown = { clock: clockFor(clew.timezone), shortId, width, idWidth }
  for (const { prompt, projectName = '-', isUnclear = false } of prompts)
    await printPrompt(prompt, { ...shown, projectName, isUnclear }, withPasted)
}

function sessionIds(prompts: readonly HistoryPrompt[]): string[] {
  return prompts.flatMap(prompt => (isReadable(prompt) && prompt.session !== undefined ? [prompt.session] : []))
}

/** In a narrower terminal the text gets a line of its own. */
const wideEnough = 76

interface Shown {
  clock: Clock
  shortId: (id: string) => string
  /** What lists call its project. */
  projectName: string
  /** Several sessions are possible. */
  isUnclear: boolean
  width: number
  /** Of the ids, with `?`. */
  idWidth: number
}

/** `2026-05-12 18:40  hexwind  704f1849  Same start, other rule`; a narrow terminal gets the text on a line of its own. */
async function printPrompt(prompt: HistoryPrompt, shown: Shown, withPasted: boolean): Promise<void> {
  const isWide = shown.width >= wideEnough
  const projectWidth = isWide ? 14 : Math.max(4, shown.width - 16 - shown.idWidth - 4)
  const place = fitColumns(escapeForLine(shown.projectName), projectWidth)
  const head = `${pc.dim(shown.clock(prompt.at).padEnd(16))}  ${place}  ${sessionText(prompt, shown, isWide)}`
  const note = prompt.pasted.length === 0 ? '' : ` ${pastedNote(prompt.pasted)}`
  const indent = isWide ? 16 + projectWidth + shown.idWidth + 6 : 2
  const lines = promptLines(prompt.text, shown.width - indent, note)
  await printLine(`${head}${isWide ? '  ' : `\n${' '.repeat(indent)}`}${lines.join(`\n${' '.repeat(indent)}`)}`)
  if (withPasted) for (const pasted of prompt.pasted) await printPasted(pasted)
}

/** All of it, wrapped; the note is behind its end. */
function promptLines(text: string, columns: number, note: string): string[] {
  const written = text.trim().split('\n')
  const lines = written.flatMap(line => wrapLine([{ text: safeLine(line) }], columns).map(part => render(part)))
  const last = lines.pop() ?? ''
  if (note === '') return [...lines, last]
  return columnsOf(last) + columnsOf(note) <= columns
    ? [...lines, last + pc.dim(note)]
    : [...lines, last, pc.dim(note.trim())]
}

/** The beginning of the session's id; `gone`, or `?` where several are possible. */
function sessionText(prompt: HistoryPrompt, { shortId, idWidth, isUnclear }: Shown, isPadded: boolean): string {
  const isSure = prompt.linkedBy === 'id' || prompt.linkedBy === 'text'
  const text = isReadable(prompt)
    ? `${cutToColumns(escapeForLine(shortId(prompt.session ?? '')), 36)}${isSure ? '' : '?'}`
    : isUnclear
      ? '?'
      : 'gone'
  const padded = isPadded ? text.padEnd(idWidth) : text
  return isReadable(prompt) ? pc.cyan(padded) : pc.yellow(padded)
}

/** Whether its session can be shown: on disk, or from the archive. */
function isReadable({ onDisk, inArchive }: HistoryPrompt): boolean {
  return onDisk || inArchive === true
}

function pastedNote(pasted: readonly Pasted[]): string {
  const bytes = pasted.reduce((sum, item) => sum + item.bytes, 0)
  return `[pasted ${pasted.length > 1 ? `${pasted.length}, ` : ''}${sizeText(bytes)}]`
}

async function printPasted(pasted: Pasted): Promise<void> {
  if (pasted.text === undefined) {
    await printLine(pc.dim(`  | (${escapeForLine(pasted.type)}, not in the history)`))
    return
  }
  for (const line of pasted.text.split('\n')) await printLine(`${pc.dim('  | ')}${escapeForTerminal(line)}`)
}

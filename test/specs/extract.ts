// Pulls the examples out of the five specifications: JSON blocks with their variants, and drawings of flows and trees.
// Every one gets a place (specification, headings, number). What an example means is not said here.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { looseJson } from './loose-json.ts'

export type SpecId = '000' | '001' | '002' | '003' | '004'

interface Fence {
  /** Such as `000 Special Message Patterns / Sidechain Messages #1`. */
  place: string
  spec: SpecId
  language: string
  text: string
}
/** A JSON example; an array in it stands for several lines. */
export interface Example extends Fence {
  variants: unknown[]
}
export interface Extracted {
  examples: Example[]
  /** Blocks without a language: paths, flows and trees. */
  drawings: Fence[]
  /** Blocks marked as JSON that could not be read. */
  unreadable: Fence[]
}

/** Where the specifications lie, beside the project; undefined where they are not there. */
export function specFolder(): string | undefined {
  const folder = path.resolve(process.cwd(), '../shared/specs')
  return existsSync(folder) ? folder : undefined
}

export function extractAll(folder: string): Extracted {
  const files = readdirSync(folder)
    .filter(name => /^00[0-4].*\.txt$/.test(name))
    .sort()
  return splitFences(files.flatMap(name => fencesOf(name.slice(0, 3) as SpecId, read(folder, name))))
}

function read(folder: string, name: string): string {
  return readFileSync(path.join(folder, name), 'utf8').replaceAll('\r\n', '\n')
}

/** Sorts blocks by what they hold. */
export function splitFences(fences: readonly Fence[]): Extracted {
  const found: Extracted = { examples: [], drawings: [], unreadable: [] }
  for (const fence of fences) {
    if (fence.language === '') found.drawings.push(fence)
    if (fence.language !== 'json') continue
    const variants = looseJson(fence.text)
    if (variants === undefined) found.unreadable.push(fence)
    else found.examples.push({ ...fence, variants })
  }
  return found
}

/** All code blocks of one specification, in order. */
export function fencesOf(spec: SpecId, text: string): Fence[] {
  const lines = (text.trim().includes('\n') ? text : unfold(text)).split('\n')
  const headings: string[] = []
  const counts = new Map<string, number>()
  const fences: Fence[] = []
  let open: { language: string; lines: string[] } | undefined
  for (const line of lines) {
    const mark = /^\s*```(\w*)\s*$/.exec(line)
    if (open !== undefined && mark !== null) {
      const place = `${spec} ${headings.filter(Boolean).join(' / ')}`
      const number = (counts.get(place) ?? 0) + 1
      counts.set(place, number)
      fences.push({ place: `${place} #${number}`, spec, language: open.language, text: open.lines.join('\n') })
      open = undefined
    } else if (open !== undefined) open.lines.push(line)
    else if (mark !== null) open = { language: mark[1] ?? '', lines: [] }
    else noteHeading(headings, line)
  }
  return fences
}

function noteHeading(headings: string[], line: string): void {
  const found = /^(#{2,6}) (.+)$/.exec(line)
  if (found === null) return
  const level = (found[1] ?? '').length - 2
  headings.length = Math.min(headings.length, level)
  headings[level] = (found[2] ?? '').replaceAll('`', '').trim()
}

/** Headings whose end cannot be seen in a text that has lost its line ends. */
const unfoldedHeadings = [
  'Claude JSONL Format Specification',
  'File Format',
  'Message Envelope (Common Fields)',
  'Field Reference',
  'Content Structure',
  'User Message Content',
  'Assistant Message Content',
  'Content Block Types',
  'Text Block',
  'Thinking Block',
  'Tool Use Block',
  'Tool Result Block',
  'Usage Object',
  'Model Identifiers',
  'Version History',
  'Conversation Graph',
  'Parsing Recommendations',
]

/** Gives a specification that was written on one line its lines back: headings and fences stand alone again. */
function unfold(text: string): string {
  const fenced = text.replace(/ ```(json|typescript)? (.*?) ```(?= |$)/g, '\n```$1\n$2\n```\n')
  return fenced.replace(/(?<=^|\s)(#{1,6}) ([^#`]*)/g, (whole, marks: string, rest: string) => {
    const name = unfoldedHeadings.find(heading => rest.startsWith(heading))
    return name === undefined ? whole : `\n${marks} ${name}\n${rest.slice(name.length)}`
  })
}

// Damaged sessions and what their repair must resume with: the damages of damages.ts on one hand, the damaged variants of a
// corpus on the other.

import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { decodeText } from '../../src/decode/decode.ts'
import { type RepairedLog, type RepairOptions, repairLog } from '../../src/write/edit/repair.ts'
import { corpusFolder } from '../needs.ts'
import { type Damaged, damages, parseLog } from './damages.ts'
import { contextOf, type Said, saidBy } from './said.ts'

export interface ResumeCase {
  name: string
  bytes: Uint8Array
  session: string
  /** What a resume of the repaired file sends; null: nothing is there to resume. */
  asked: Said[] | null
}

/** Ids are numbered, time stands still. */
export function repaired(bytes: Uint8Array, options: Partial<RepairOptions> = {}): RepairedLog {
  let made = 0
  const newId = (): string => `00000000-0000-4000-8000-${String(++made).padStart(12, '0')}`
  return repairLog(bytes, { newId, now: () => Date.UTC(2026, 5, 1), ...options })
}

export const toText = ({ lines }: Pick<RepairedLog, 'lines'>): string => lines.map(line => `${line}\n`).join('')

/** What is still asked for where lines are destroyed: a call without its result is, a result without its call is not. */
export function askedOf(original: string, session: string, { destroyed }: Damaged): Said[] {
  const { events } = decodeText(original, { session })
  const said = saidBy(events, contextOf(original, session)).filter(({ line }) => !destroyed.has(line))
  const calls = new Set(said.flatMap(({ kind, key }) => (kind === 'call' ? [key] : [])))
  return said.filter(({ kind, key }) => kind !== 'result' || calls.has(key))
}

export function damagedCase(file: string, damage: string): ResumeCase {
  const original = readFileSync(file, 'utf8')
  const session = basename(file, '.jsonl')
  const damaged = (damages[damage] as (typeof damages)[string])(parseLog(original))
  return { name: damage, bytes: damaged.bytes, session, asked: askedOf(original, session, damaged) }
}

interface Variants {
  known: Record<string, string>
  truth: { variant: string; what: string }[]
}

/** In the order in which they were said. */
const order = 'PC PD PB P1 B1 B2 B3 T1 T2 T3 D1 D2 SU P2 T4 P3 T5 OP OA'.split(' ')

/** Where not all that is in the bytes is asked for: it is behind a compaction, of another session, or only in metadata. */
const askedNames: Readonly<Record<string, string>> = {
  't5-boundary-twice': 'SU T3 P2 T4',
  't7-tail-only': 'SU P2 T4',
  's20-foreign-head': 'P1 T1 T2 T3 P2 T4 P3 T5',
  's16-headless': 'T2 T3 P2 T4 P3 T5',
}

/** The damaged variants of a folder of the corpus, in their order; what is in the bytes is asked for. */
export function variantCases(folder: 'resume' | 'resume2'): ResumeCase[] {
  const truthFile = join(corpusFolder, folder, 'truth.json')
  if (!existsSync(truthFile)) return []
  const { known, truth }: Variants = JSON.parse(readFileSync(truthFile, 'utf8'))
  return truth.map(({ variant }) => {
    const bytes = readFileSync(join(corpusFolder, folder, `${variant}.jsonl`))
    const text = bytes[0] === 0xff ? new TextDecoder('utf-16le').decode(bytes) : bytes.toString('utf8')
    return {
      name: variant,
      bytes,
      session: sessionIn(text, variant),
      asked: askedByNames(text, known, askedNames[variant]?.split(' ')),
    }
  })
}

/** That of the last record. */
function sessionIn(text: string, variant: string): string {
  const id = [...text.matchAll(/"sessionId": ?"([0-9a-f-]{36})"/g)].at(-1)?.[1]
  return id ?? `00000000-0000-4000-8000-${String(variant.length).padStart(12, '0')}`
}

function askedByNames(
  text: string,
  known: Record<string, string>,
  names: readonly string[] | undefined,
): Said[] | null {
  const records = text.split('\n').filter(line => line.includes('"parentUuid"'))
  const main = records.filter(line => !line.includes('"isSidechain":true'))
  const spoken = inTime(main.length > 0 ? main : records)
  const isThere = (name: string): boolean => spoken.some(line => line.includes(known[name] ?? '\n'))
  const texts = (names ?? order.filter(isThere)).map(
    (name): Said => ({ kind: 'text', key: known[name] ?? '', line: 0 }),
  )
  const ids = (pattern: RegExp): string[] =>
    names === undefined ? spoken.flatMap(line => [...line.matchAll(pattern)].map(found => found[1] as string)) : []
  const calls = [...new Set(ids(/"type": ?"tool_use", ?"id": ?"([^"]+)"/g))]
  const results = new Set(ids(/"tool_use_id": ?"([^"]+)"/g).filter(id => calls.includes(id)))
  const pairs = calls.flatMap((key): Said[] => [
    { kind: 'call', key, line: 0 },
    ...(results.has(key) ? [{ kind: 'result', key, line: 0 } as const] : []),
  ])
  return texts.length + pairs.length === 0 ? null : [...texts, ...pairs]
}

/** A torn line is where it stands. */
function inTime(lines: readonly string[]): string[] {
  let last = ''
  const timed = lines.map(line => {
    last = /"timestamp": ?"([^"]+)"/.exec(line)?.[1] ?? last
    return { line, time: last }
  })
  return timed.sort((one, other) => one.time.localeCompare(other.time)).map(({ line }) => line)
}

// The catalog of everything that is known to occur in a Claude home's logs: what it is for, its fields, since when, and how
// we know. The facts are JSON files in this folder; here are their types and look-ups. It neither reads nor checks a log.

import attachments from './attachments.json' with { type: 'json' }
import content from './content.json' with { type: 'json' }
import conversation from './conversation.json' with { type: 'json' }
import dialects from './dialects.json' with { type: 'json' }
import files from './files.json' with { type: 'json' }
import namedOnly from './named-only.json' with { type: 'json' }
import placeRows from './places.json' with { type: 'json' }
import progress from './progress.json' with { type: 'json' }
import sideRecords from './side-records.json' with { type: 'json' }
import system from './system.json' with { type: 'json' }
import toolResults from './tool-results.json' with { type: 'json' }

/** What an entry describes. `part`: an object inside records that others refer to. `file`: a side file. */
export type CatalogGroup =
  | 'record'
  | 'system'
  | 'progress'
  | 'attachment'
  | 'content'
  | 'tool-result'
  | 's0'
  | 's3'
  | 'history'
  | 'journal'
  | 'file'
  | 'part'

/** How Claude Code treats a record type when it reads or rewrites a file. */
export type CatalogBucket = 'transcript' | 'boundary-cleared' | 'accumulate' | 'last-wins' | 'store-only' | 'reported'

export const bucketMeaning: Readonly<Record<CatalogBucket, string>> = {
  transcript: 'a link of the conversation',
  'boundary-cleared': 'means nothing any more once a compaction follows',
  accumulate: 'every one counts',
  'last-wins': 'state that is written again and again: the last one counts',
  'store-only': 'not written to disk',
  reported: 'reported by others, never measured',
}

/** Where a fact comes from, one letter each in the entries. */
export const sourceNames = {
  m: 'measured on real logs',
  d: 'seen when versions of Claude Code were driven through the same scenarios',
  c: "Claude Code's public changelog",
  k: 'public session code of the agent SDK',
  n: 'public notes of others',
  0: 'specification 000',
  1: 'specification 001',
  2: 'specification 002',
  3: 'specification 003',
  4: 'specification 004',
} as const

export type SourceName = (typeof sourceNames)[keyof typeof sourceNames]

export interface CatalogEntry {
  /** Name of its schema. */
  name: string
  group: CatalogGroup
  /** `type`, subtype, tool name or file name as written; absent on parts. */
  wire?: string
  /** Heading, where the wire's name says too little. */
  title?: string
  bucket?: CatalogBucket
  /** Whether it is a link of the uuid chain. */
  inChain?: boolean
  /** Name of the entry whose fields it has too. */
  base?: string
  /** First and last version of Claude Code it was seen in; absent where unknown. */
  firstSeen?: string
  lastSeen?: string
  /** How often it was measured, in 244,883 lines of 895 real sessions. */
  count?: number
  /** What else than an object it may be: a text, an array of blocks, a list of other objects; tool results only. */
  forms?: readonly ('object' | 'string' | 'array' | 'list')[]
  /** Letters of `sourceNames`. */
  sources: string
  /** Event or block kind that it becomes, in words. */
  becomes?: string
  purpose: string
  /** Invented and shortened, one JSON text each. For subtypes of progress and attachment: the inner object. */
  examples?: readonly string[]
  notes?: readonly string[]
  fields: readonly CatalogField[]
}

export interface CatalogField {
  name: string
  /** Whether the schema requires it. */
  isRequired?: boolean
  /** JSON type in the words of `type-words.ts`. */
  type: string
  firstSeen?: string
  lastSeen?: string
  count?: number
  /** Letters of `sourceNames`. */
  sources: string
  meaning: string
}

/** Where a file of a Claude home is and what it contains. */
export interface Place {
  /** Below the Claude home. */
  path: string
  what: string
  /** Name of the schema that describes its content or its lines. */
  schema?: string
  /** Letters of `sourceNames`. */
  sources: string
}

/** In the order of the documentation: the conversation first, then what surrounds it. */
export const catalog = [
  ...conversation,
  ...system,
  ...progress,
  ...attachments,
  ...sideRecords,
  ...content,
  ...toolResults,
  ...dialects,
  ...files,
] as unknown as readonly CatalogEntry[]

export const places: readonly Place[] = placeRows

/** Types that are known by name only, from public notes: no record of them was measured, so there are no fields. */
export const attachmentNames: readonly string[] = namedOnly.attachment
/** Also those that stay in memory. */
export const progressNames: readonly string[] = namedOnly.progress

const byName: ReadonlyMap<string, CatalogEntry> = new Map(catalog.map(entry => [entry.name, entry]))

export function catalogEntry(name: string): CatalogEntry | undefined {
  return byName.get(name)
}

/** All fields of an entry: those of its base first, its own in their place where both have one. */
export function allFields(entry: CatalogEntry): CatalogField[] {
  const fields = new Map<string, CatalogField>()
  const base = entry.base === undefined ? undefined : byName.get(entry.base)
  for (const field of [...(base?.fields ?? []), ...entry.fields]) fields.set(field.name, field)
  return [...fields.values()]
}

const byWire: ReadonlyMap<string, CatalogEntry> = new Map(
  catalog.flatMap(entry => (entry.wire === undefined ? [] : [[`${entry.group} ${entry.wire}`, entry] as const])),
)

/** The entry of a group by the name it has on the wire. */
export function entryByWire(group: CatalogGroup, wire: string): CatalogEntry | undefined {
  return byWire.get(`${group} ${wire}`)
}

/** The sources that the letters represent, in words. */
export function spellSources(letters: string): SourceName[] {
  const known: Readonly<Record<string, SourceName>> = sourceNames
  return [...letters].flatMap(letter => known[letter] ?? [])
}

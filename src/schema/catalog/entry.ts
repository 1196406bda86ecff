// The shape of a catalog entry as it is written down, and the way back to plain objects. No facts about the format here.

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

/** How the client treats a record type when it reads or rewrites a file. */
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
  d: 'seen when client versions were driven through the same scenarios',
  c: "the client's public changelog",
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
  /** First and last client version it was seen in; absent where nobody knows. */
  firstSeen?: string
  lastSeen?: string
  /** How often it was measured, in 244,883 lines of 895 real sessions. */
  count?: number
  /** What else than an object it may be; tool results only. */
  forms?: readonly ('object' | 'string' | 'array')[]
  /** Letters of `sourceNames`. */
  sources: string
  /** Event or block kind that it becomes, in words. */
  becomes?: string
  purpose: string
  /** Invented and shortened, one JSON text each. For subtypes of progress and attachment: the inner object. */
  examples?: readonly string[]
  notes?: readonly string[]
  /** `name | type | versions | count | sources | meaning`; `!` after the name: the schema requires it. */
  fields: readonly string[]
}

export interface CatalogField {
  name: string
  isRequired: boolean
  /** JSON type in the words of `type-words.ts`. */
  type: string
  firstSeen?: string
  lastSeen?: string
  count?: number
  sources: SourceName[]
  meaning: string
}

/** A row of `CatalogEntry.fields` as an object. */
export function catalogField(row: string): CatalogField {
  const [name = '', type = '', versions = '', count = '', sources = '', meaning = ''] = row
    .split(' | ')
    .map(cell => cell.trim())
  const [firstSeen = '', lastSeen = ''] = versions.split('-')
  return {
    name: name.replace(/!$/, ''),
    isRequired: name.endsWith('!'),
    type,
    ...(firstSeen && { firstSeen }),
    ...(lastSeen && { lastSeen }),
    ...(count && { count: Number(count) }),
    sources: spellSources(sources),
    meaning,
  }
}

/** The sources that the letters stand for, in words. */
export function spellSources(letters: string): SourceName[] {
  const known: Readonly<Record<string, SourceName>> = sourceNames
  return [...letters].flatMap(letter => known[letter] ?? [])
}

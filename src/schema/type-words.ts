// The catalog's words for JSON types, as zod schemas. `string or null`, `@content-block[]`, `map of @file-backup`,
// `"user"`. A schema made from them is loose: it describes known fields and lets every other one pass.

import { z } from 'zod'

/** Finds the schema that `@name` refers to; asked only when a value is checked or converted. */
export type Lookup = (name: string) => z.ZodType

const simple: Readonly<Record<string, () => z.ZodType>> = {
  any: () => z.unknown(),
  string: () => z.string(),
  number: () => z.number(),
  boolean: () => z.boolean(),
  null: () => z.null(),
  object: () => z.looseObject({}),
  array: () => z.array(z.unknown()),
}

/** The schema for the words. Words that mean nothing throw: they are ours, and a test reads all of them. */
export function typeFromWords(words: string, lookup: Lookup): z.ZodType {
  const choices = words.split(' or ').map(word => typeFromWord(word.trim(), lookup))
  const [first, second, ...rest] = choices
  if (first === undefined) throw new Error('no type given')
  return second === undefined ? first : z.union([first, second, ...rest])
}

function typeFromWord(word: string, lookup: Lookup): z.ZodType {
  if (word.startsWith('"') && word.endsWith('"')) return z.literal(word.slice(1, -1))
  if (word.startsWith('map of ')) return z.record(z.string(), typeFromWord(word.slice('map of '.length), lookup))
  if (word.endsWith('[]')) return z.array(typeFromWord(word.slice(0, -2), lookup))
  if (word.startsWith('@')) return z.lazy(() => lookup(word.slice(1)))
  const make = simple[word]
  if (make === undefined) throw new Error(`no such type: ${word}`)
  return make()
}

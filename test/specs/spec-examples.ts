// The extracted examples, looked up by place, for tests that may run where the specifications are not there.

import { expect } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import { type Example, type Extracted, extractAll, specFolder } from './extract.ts'
import { toLines } from './wrap.ts'

const folder = specFolder()
/** Undefined where the specifications do not lie beside the project. */
export const specs: Extracted | undefined = folder === undefined ? undefined : extractAll(folder)
export const examples: ReadonlyMap<string, Example> = new Map(
  specs?.examples.map(example => [example.place, example]) ?? [],
)

/** False, with a word about it, where the specifications are not there. */
export function haveSpecs(): boolean {
  if (specs === undefined) console.log('skipped: no specifications beside the project')
  return specs !== undefined
}

/** Lines of every variant of an example. */
export function variantsAt(place: string): JsonObject[][] {
  const example = examples.get(place)
  expect(example, `an example at ${place}`).toBeDefined()
  return example?.variants.map(variant => toLines(example.spec, variant)) ?? []
}

/** The first variants of several examples as the lines of one file. */
export function linesAt(...places: string[]): JsonObject[] {
  return places.flatMap(place => variantsAt(place)[0] ?? [])
}

// Finds the word that was probably meant.

import { editSteps } from './edit-steps.ts'

/** Those that differ in few letters, or continue where the word ends; the nearest first. */
export function nearest(word: string, known: readonly string[]): string[] {
  const far = Math.max(1, Math.floor(word.length / 3))
  return known
    .map(name => ({ name, distance: word.length > 1 && name.startsWith(word) ? 0 : distanceOf(word, name) }))
    .filter(({ distance }) => distance <= far)
    .sort((a, b) => a.distance - b.distance)
    .map(({ name }) => name)
}

const longestWord = 40

/** A longer word is not a typing error. */
function distanceOf(one: string, other: string): number {
  return one.length > longestWord ? one.length : editSteps(one, other)
}

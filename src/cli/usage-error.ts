// What people are told when a command line cannot be understood: one line with what would work. It knows no command.

import { editSteps } from '../base/edit-steps.ts'
import { escapeForLine } from '../base/escape.ts'

/** `clew: unknown option '--lng' (did you mean --long?); see clew ls --help`, from the parser's own words. */
export function usageLine(said: string, command: string, takesSession: boolean): string {
  const text = said
    .replace(/^error: /, '')
    .trim()
    .replace(/\.$/, '')
    .replace(/\n\(Did you mean /, ' (did you mean ')
  const isTooMany = text.startsWith('too many arguments')
  const hint = isTooMany && takesSession ? 'quote a title that has blanks' : `see ${command} --help`
  return `clew: ${escapeForLine(text)}; ${hint}\n`
}

/** For a first word that is no command: the command that was probably meant, else how to look for a session. */
export function unknownWord(word: string, commands: readonly string[], flags: readonly string[]): string {
  const isFlag = word.startsWith('-')
  const [near] = nearest(word.replace(/=.*/, ''), isFlag ? flags : commands)
  if (isFlag)
    return `unknown option "${word}"; ${near === undefined ? 'clew --help lists them' : `did you mean ${near}?`}`
  if (near !== undefined) return `unknown command "${word}"; did you mean clew ${near}?`
  return `unknown command "${word}"; clew --help lists them, clew show finds sessions by title or id`
}

/** Those that differ in few letters, or go on where the word ends; the nearest first. */
export function nearest(word: string, known: readonly string[]): string[] {
  const far = Math.max(1, Math.floor(word.length / 3))
  return known
    .map(name => ({ name, distance: word.length > 1 && name.startsWith(word) ? 0 : distanceOf(word, name) }))
    .filter(({ distance }) => distance <= far)
    .sort((a, b) => a.distance - b.distance)
    .map(({ name }) => name)
}

const longestWord = 40

/** A word that long is no slip of the fingers. */
function distanceOf(one: string, other: string): number {
  return one.length > longestWord ? one.length : editSteps(one, other)
}

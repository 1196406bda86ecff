// Numbers on the command line.

import { UserError } from './command.ts'

/** A number from 1 on (or from `least`); undefined where the flag is absent. */
export function wholeNumber(value: unknown, flag: string, least = 1): number | undefined {
  if (value === undefined) return undefined
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : Number.NaN
  if (number >= least) return number
  throw new UserError(`${flag} takes a whole number from ${least} on, not "${String(value)}"`)
}

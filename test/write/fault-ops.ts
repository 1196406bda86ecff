// The writer's system calls, counted, failing or deadly at a chosen one. What a test makes of it is its own business.

import { type SessionOps, sessionOps } from '../../src/write/ops.ts'

/** Calls that change something; closing and reading do not. */
const changing = [
  'create',
  'write',
  'sync',
  'rename',
  'link',
  'unlink',
  'makeFolder',
  'removeFolder',
  'syncFolder',
  'openAppend',
  'createAppend',
  'writeOnce',
  'truncate',
] as const

export type Call = (typeof changing)[number]

/** What happens at a call; `undefined`: it is made as ever. */
export type Reaction = (
  call: Call,
  number: number,
  make: () => unknown,
  given: readonly unknown[],
) => { value: unknown } | undefined

/** All calls pass by `react`, numbered from 1. */
export function watchedOps(react: Reaction, base: SessionOps = sessionOps): SessionOps {
  let number = 0
  const watched: Record<string, unknown> = { ...base }
  for (const call of changing) {
    const real = base[call] as (...given: unknown[]) => unknown
    watched[call] = (...given: unknown[]) => {
      number++
      const done = react(call, number, () => real(...given), given)
      return done === undefined ? real(...given) : done.value
    }
  }
  return watched as unknown as SessionOps
}

/** Without waiting for the disk. */
export const quickOps: SessionOps = { ...sessionOps, sync() {}, syncFolder() {} }

export function systemFault(code: string): Error {
  return Object.assign(new Error(`${code}: as the test wants it`), { code })
}

// Which ways there are to run something by itself on a machine, and which one is meant.

import { UserError } from '../answers/error.ts'
import { attempt } from '../base/attempt.ts'
import { cron } from './cron.ts'
import { hook } from './hook.ts'
import { launchd } from './launchd.ts'
import type { Machine } from './machine.ts'
import type { Way } from './plan.ts'
import { systemd } from './systemd.ts'
import { taskScheduler } from './windows.ts'

const wayNames = ['timer', 'cron', 'hook'] as const

/** All that a platform could have, the preferred one first. */
export function waysOf({ platform }: Machine): Way[] {
  if (platform === 'win32') return [taskScheduler, hook]
  return [platform === 'darwin' ? launchd : systemd, cron, hook]
}

/** Those that are installed. One that cannot be looked at, such as a forbidden crontab, counts as not installed. */
export function installedWays(machine: Machine, homes: readonly string[]): Way[] {
  return waysOf(machine).filter(way => (attempt(() => way.uninstall(machine, homes))?.steps.length ?? 0) > 0)
}

/** The one that was requested, or undefined. */
export function readWay(value: unknown, machine: Machine): Way | undefined {
  if (value === undefined) return undefined
  if (!wayNames.some(name => name === value)) throw new UserError(`--by ${value}: it is one of ${wayNames.join(', ')}`)
  const way = waysOf(machine).find(one => one.name === value)
  if (way === undefined) throw new UserError(`--by ${value}: not available on this platform; try --by timer`)
  return way
}

/** The one to use: as asked, else the first of timer and cron that works here. */
export function chooseWay(named: Way | undefined, machine: Machine): Way {
  const candidates = named === undefined ? waysOf(machine).filter(way => way !== hook) : [named]
  const faults: string[] = []
  for (const way of candidates) {
    const fault = way.missing(machine)
    if (fault === undefined) return way
    faults.push(fault)
  }
  const others = waysOf(machine).filter(way => !candidates.includes(way) && way.missing(machine) === undefined)
  const hint = others.map(way => `--by ${way.name} (${way.title})`).join(' or ')
  throw new UserError(`${faults.join(', and ')}; what works here: ${hint}`)
}

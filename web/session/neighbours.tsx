// Keys to the session before and after this one, as the list next to it has them.

import { useKeys } from '../keys.ts'
import { say } from '../parts/copy.tsx'
import { navigate, routeNow } from '../route.ts'
import { pageSize, useSessions } from '../shell/sessions.ts'

const all = {}

export function NeighbourKeys({ current }: { current: string }) {
  const sessions = useSessions(all)
  const go = (step: 1 | -1) => {
    const next = neighbourOf(at => sessions.row(at)?.id, Math.min(sessions.total, pageSize), current, step)
    if (next === undefined) say(step === 1 ? 'No later session in the list' : 'No earlier session in the list')
    else navigate({ screen: routeNow().screen, session: next, query: {} })
  }
  useKeys(
    {
      ']': ['next session in the list', () => go(1)],
      '[': ['previous session in the list', () => go(-1)],
    },
    'This session',
  )
  return null
}

/** The id next to one; the first where it is not in the list. Undefined at the ends. */
export function neighbourOf(
  idAt: (at: number) => string | undefined,
  count: number,
  current: string,
  step: 1 | -1,
): string | undefined {
  for (let at = 0; at < count; at++) if (idAt(at) === current) return at + step < 0 ? undefined : idAt(at + step)
  return idAt(0)
}

// When something was, short; the whole date is told to those who point at it.

import type { Instant } from '../../src/base/instant.ts'
import { longWhen } from '../shell/when.ts'

export function TimeMark({ at }: { at: Instant }) {
  if (at === null) return null
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return null
  const two = (part: number) => String(part).padStart(2, '0')
  return (
    <time className="when-mark" dateTime={date.toISOString()} title={longWhen(at)}>
      {two(date.getHours())}:{two(date.getMinutes())}
    </time>
  )
}

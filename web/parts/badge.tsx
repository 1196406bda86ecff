// A short mark behind a headline. What is bad has a shape too, for those who do not see the colour.

import { visibleLine } from '../../src/render/safe-text.ts'
import type { Badge } from '../../src/view/view.ts'
import { Icon } from './icon.tsx'

/** `+3` and `-1` of a diff are numbers, not verdicts. */
const countMark = /^[+-]\d/

export function BadgeMark({ badge }: { badge: Badge }) {
  const text = visibleLine(badge.text).replace(/^-(?=\d)/, '−')
  const isVerdict = badge.tone === 'bad' && !countMark.test(badge.text)
  return (
    <span className={`mark-${badge.tone} badge`}>
      {isVerdict ? <Icon name="bad" /> : null}
      {text}
    </span>
  )
}

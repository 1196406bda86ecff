// Names with values. Web addresses among the values are links, shown as they are.

import { isSafeAddress, visibleLine, visibleText } from '../../src/render/safe-text.ts'
import type { FactsPart } from '../../src/view/view.ts'
import { keyed } from './keyed.ts'

export function Facts({ facts }: { facts: FactsPart['facts'] }) {
  return (
    <dl className="facts">
      {keyed(facts).map(({ key, value: fact }) => (
        <div key={key}>
          <dt>{visibleLine(fact.name)}</dt>
          <dd>{isSafeAddress(fact.value) ? <SafeLink href={fact.value} /> : visibleText(fact.value)}</dd>
        </div>
      ))}
    </dl>
  )
}

/** An address that was written in the log, shown whole. */
export function SafeLink({ href }: { href: string }) {
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {visibleLine(href)}
    </a>
  )
}

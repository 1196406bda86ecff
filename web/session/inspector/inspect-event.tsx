// The event that is looked at: what it is, when, and under which id.

import { visibleLine } from '../../../src/render/safe-text.ts'
import type { ViewItem } from '../../../src/view/view.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { longWhen } from '../../shell/when.ts'
import { titleOf } from '../filter.ts'
import { useAround } from '../state.ts'

export function EventFacts({ item }: { item: ViewItem }) {
  const { showRaw } = useAround()
  return (
    <section>
      <h2>This event</h2>
      <dl className="inspect-rows">
        <div>
          <dt>{visibleLine(titleOf(item))}</dt>
          <dd>{item.status ?? item.actor}</dd>
        </div>
        <div>
          <dt>When</dt>
          <dd>{longWhen(item.at)}</dd>
        </div>
        <div>
          <dt>Id</dt>
          <dd className="event-id" title={item.id}>
            {visibleLine(item.id)}
          </dd>
        </div>
      </dl>
      <p className="raw-tools">
        <button type="button" className="tool-button" onClick={() => showRaw(item.id)}>
          <Icon name="raw" /> <span>Raw record</span>
        </button>
        <CopyButton text={() => item.id} what="event id" label="Copy id" />
      </p>
    </section>
  )
}

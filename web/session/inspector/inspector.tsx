// What is known at the place that is read: what fills the context, files, things to do, cost, and the event itself.

import type { SessionHead } from '../../../src/view/reading.ts'
import type { ViewItem } from '../../../src/view/view.ts'
import { countText } from '../../../src/view/words.ts'
import { CheckList } from '../../parts/checklist.tsx'
import { costText, tokensText } from '../../shell/names.ts'
import { useTodos } from '../use-todos.ts'
import { ContextNow } from './inspect-context.tsx'
import { EventFacts } from './inspect-event.tsx'
import { FilesTouched } from './inspect-files.tsx'

export interface InspectorProps {
  head: SessionHead
  session: string
  thread: string
  /** What is looked at; absent: the end. */
  item: ViewItem | undefined
  /** The slot up to which things are told. */
  slot: number | undefined
}

export function Inspector({ head, session, thread, item, slot }: InspectorProps) {
  return (
    <>
      <ContextNow event={item?.id ?? null} session={session} />
      <Todos thread={thread} slot={slot} />
      <FilesTouched session={session} cwd={head.project.cwd} version={head.counts.calls} />
      <Cost head={head} />
      {item ? <EventFacts item={item} /> : null}
    </>
  )
}

function Todos({ thread, slot }: { thread: string; slot: number | undefined }) {
  const todos = useTodos(thread, slot)
  if (todos.length === 0) return null
  const done = todos.filter(todo => todo.state === 'done').length
  return (
    <section>
      <h2>
        Todo{' '}
        <span className="inspect-count">
          {done} of {todos.length}
        </span>
      </h2>
      <CheckList items={todos} />
    </section>
  )
}

function Cost({ head }: { head: SessionHead }) {
  const { usage, counts } = head
  if (usage.outputTokens + usage.inputTokens + usage.cacheReadTokens === 0) return null
  const isBound = !usage.isOutputFinal || usage.unknownModels.length > 0
  const output = `${usage.isOutputFinal ? '' : '≥ '}${countText(usage.outputTokens)}`
  return (
    <section>
      <h2>Cost</h2>
      <dl className="inspect-rows">
        {usage.costUSD === undefined ? null : (
          <div>
            <dt>This session</dt>
            <dd>
              {isBound ? '≥ ' : ''}
              {costText(usage.costUSD)}
            </dd>
          </div>
        )}
        {usage.subagentsUSD === undefined || counts.subagents === 0 ? null : (
          <div>
            <dt>of it {counts.subagents === 1 ? 'one subagent' : `${counts.subagents} subagents`}</dt>
            <dd>{costText(usage.subagentsUSD)}</dd>
          </div>
        )}
        <div>
          <dt>Output</dt>
          <dd>{output} tok</dd>
        </div>
        <div>
          <dt>Read from cache</dt>
          <dd>{tokensText(usage.cacheReadTokens)} tok</dd>
        </div>
      </dl>
      {usage.unknownModels.length > 0 ? (
        <p className="text-note">No price is known for {usage.unknownModels.join(', ')}.</p>
      ) : null}
    </section>
  )
}

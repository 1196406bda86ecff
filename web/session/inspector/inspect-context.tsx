// What fills the context window at the place that is read, as a bar and in numbers.

import { useEffect, useState } from 'react'
import type { ContextAt } from '../../../src/view/reading.ts'
import { toolKind } from '../../parts/tool-kind.ts'
import { useAsync, useReader } from '../../reader.ts'
import { Link } from '../../route.ts'
import { tokensText } from '../../shell/names.ts'

/** Moving through the session asks only where the reader stays. */
const stayMs = 350

export function ContextNow({ event, session }: { event: string | null; session: string }) {
  const reader = useReader()
  const [asked, setAsked] = useState(event)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(event), stayMs)
    return () => clearTimeout(timer)
  }, [event])
  const { value, error } = useAsync(() => reader.contextAt(asked), [reader, asked])
  const [last, setLast] = useState<ContextAt>()
  useEffect(() => {
    if (value) setLast(value)
  }, [value])
  const context = value ?? last
  return (
    <section>
      <h2>
        <Link route={{ screen: 'context', session, query: event === null ? {} : { event } }}>
          {asked === null ? 'Context now' : 'Context here'}
        </Link>
      </h2>
      {context ? <ContextBar context={context} /> : <p className="text-note">{error?.message ?? ' '}</p>}
    </section>
  )
}

interface Sort {
  name: string
  colour: string
  tokens: number
}

function ContextBar({ context }: { context: ContextAt }) {
  const sorts = sortsOf(context)
  const shown = Math.max(context.tokens, context.counted ?? 0, 1)
  const about = context.isEstimated ? '≈ ' : ''
  const total = context.counted ?? context.tokens
  return (
    <>
      <div className="context-bar" aria-hidden="true">
        {sorts.map(sort => (
          <span key={sort.name} style={{ width: `${(sort.tokens / shown) * 100}%`, background: sort.colour }} />
        ))}
      </div>
      <dl className="inspect-rows">
        {sorts.slice(0, 6).map(sort => (
          <div key={sort.name}>
            <dt>
              <span className="swatch" style={{ background: sort.colour }} />
              {sort.name}
            </dt>
            <dd>
              {about}
              {tokensText(sort.tokens)}
            </dd>
          </div>
        ))}
        <div className="in-all">
          <dt>In all</dt>
          <dd>
            {context.counted === undefined ? about : ''}
            {tokensText(total)}
            {context.window === undefined ? '' : ` of ${tokensText(context.window)}`}
          </dd>
        </div>
      </dl>
    </>
  )
}

const names: Readonly<Record<string, [name: string, colour: string]>> = {
  prompts: ['Prompts', 'var(--prompt)'],
  answers: ['Answers', 'var(--answer)'],
  thinking: ['Thinking', 'var(--thinking)'],
  calls: ['Tool calls', 'var(--faint)'],
  summaries: ['Summary', 'var(--seam)'],
  attachments: ['Attachments', 'var(--system)'],
  commands: ['Commands', 'var(--warn)'],
  notifications: ['Notifications', 'var(--hair-2)'],
  media: ['Images', 'var(--web)'],
  client: ['From the client', 'var(--hair-2)'],
}
const outputs: Readonly<Record<string, [name: string, colour: string]>> = {
  file: ['Files read', 'var(--file)'],
  shell: ['Shell output', 'var(--shell)'],
  web: ['Web pages', 'var(--web)'],
  agent: ['Subagents’ answers', 'var(--agent)'],
}

function sortsOf(context: ContextAt): Sort[] {
  const sums = new Map<string, Sort>()
  for (const part of context.parts) {
    const output =
      part.kind === 'output' ? (outputs[toolKind(part.tool ?? '')] ?? ['Other output', 'var(--system)']) : undefined
    const [name, colour] = output ?? names[part.kind] ?? [part.kind, 'var(--hair-2)']
    const sort = sums.get(name)
    if (sort) sort.tokens += part.tokens
    else sums.set(name, { name, colour, tokens: part.tokens })
  }
  const logged = context.parts.reduce((sum, { tokens }) => sum + tokens, 0)
  // Counted by the API, written down nowhere.
  const rest = (context.counted ?? 0) - logged
  if (rest > 0) sums.set('', { name: 'System prompt, tools', colour: 'var(--hair-2)', tokens: rest })
  return [...sums.values()].filter(sort => sort.tokens > 0).sort((a, b) => b.tokens - a.tokens)
}

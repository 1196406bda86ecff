// What Claude Code would send if it resumed a session now, and what fills its context window.

import { buildContext } from '../../graph/context/context.ts'
import { markCopied } from '../../graph/lineage/own-part.ts'
import { titleOf } from '../../graph/lineage/title.ts'
import type { Context } from '../../model/session.ts'
import { bytesOf } from '../../model/source.ts'
import { loadSession } from '../../session/load.ts'
import { type MakeUp, makeUpOf } from '../../session/make-up.ts'
import { contextWindowOf } from '../../session/window.ts'
import type { Clew } from '../clew.ts'
import { copiedPartFor } from '../sessions/copied.ts'
import { sessionOf } from '../sessions/find.ts'
import { pricingOf } from '../usage/prices.ts'
import { siblingsOf } from './detail.ts'

interface SessionContext {
  context: Context
  makeUp(): MakeUp
  title(): Promise<string>
  /** Tokens that fit; null where the model is not known. */
  window(): number | null
}

/** `word` names the session; the latest where absent. `data`: with the content of pictures and documents. */
export async function contextOf(
  clew: Clew,
  word: string | undefined,
  { data = false }: { data?: boolean } = {},
): Promise<SessionContext> {
  const session = await sessionOf(word, clew)
  const progress = clew.listener.progress('reading', bytesOf(session))
  const graph = await loadSession(clew.source, session, { data }, (_log, record) => progress.add(record.bytes)).finally(
    () => progress.end(),
  )
  const context = buildContext(graph)
  return {
    context,
    makeUp: () => makeUpOf(context, graph.events),
    async title() {
      markCopied(graph.session, graph.events, await copiedPartFor(session, clew))
      return titleOf(graph, (await siblingsOf(graph, session, clew)).summaries).title
    },
    window: () => contextWindowOf(graph, pricingOf(clew)),
  }
}

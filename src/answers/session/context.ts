// What Claude Code would send if it resumed a session now, and what fills its context window.

import { buildContext } from '../../graph/context/context.ts'
import type { Context } from '../../model/session.ts'
import { bytesOf } from '../../model/source.ts'
import { loadSession } from '../../session/load.ts'
import { type MakeUp, makeUpOf } from '../../session/make-up.ts'
import type { Clew } from '../clew.ts'
import { sessionOf } from '../sessions/find.ts'

/** `word` names the session; the latest where absent. `data`: with the content of pictures and documents. */
export async function contextOf(
  clew: Clew,
  word: string | undefined,
  { data = false }: { data?: boolean } = {},
): Promise<{ context: Context; makeUp(): MakeUp }> {
  const session = await sessionOf(word, clew)
  const progress = clew.listener.progress('reading', bytesOf(session))
  const graph = await loadSession(clew.source, session, { data }, (_log, record) => progress.add(record.bytes)).finally(
    () => progress.end(),
  )
  const context = buildContext(graph)
  return { context, makeUp: () => makeUpOf(context, graph.events) }
}

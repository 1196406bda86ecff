// The answers of the commands in one call each, over disk, archive and index.
import { getSession, getSessionInfo, getSessionMessages, listSessions, search, usage } from 'clew'

const sessions = await listSessions({ dir: '/home/mira/bakery', has: ['error'], sort: 'size', limit: 2 })
for (const { id, title, prompts, errors } of sessions)
  console.log(`${id}  ${title}: ${prompts} prompts, ${errors} errors`)

const info = await getSessionInfo('33c79d8c') // as on the command line: the beginning of an id, a title, a path or `last`
console.log(info?.title, info?.endedAt)

const session = await getSession('33c79d8c')
console.log(
  session?.turns.length,
  'turns;',
  session?.toolCalls.filter(call => call.status === 'failed').length,
  'failed',
)

for (const { type, message } of await getSessionMessages('33c79d8c', { limit: 2 }))
  console.log(type, JSON.stringify(message).slice(0, 60))

const { total, hits } = await search('rounding kind:prompt', { limit: 1 })
console.log(total, hits[0]?.kind, hits[0]?.snippet.slice(0, 40))

const { model = [], totals } = await usage({ by: 'model', since: '2026-01-01' })
for (const { modelsUsed, totalTokens } of model.slice(0, 2)) console.log(modelsUsed[0], totalTokens)
console.log(totals?.totalTokens, 'in all')

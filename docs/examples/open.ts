// One handle for many questions. It is closed at the end; `await using` does that by itself where the runtime has it.
import { isMain, open } from 'clew'

const said: string[] = []
const clew = await open({ onProblem: message => said.push(message) })

// sessions: list, projects, find
const [costly] = await clew.sessions.list({ sort: 'cost', limit: 1 })
console.log(costly?.title)
console.log((await clew.sessions.projects()).length, 'projects')
const row = await clew.sessions.find('33c79d8c') // the beginning of an id, a title, a path or `last`
console.log(row?.title, row?.errors)

// session: detail, graph, messages, context, tree, stats, document
const { turns } = await clew.session.detail('33c79d8c')
const graph = await clew.session.graph('33c79d8c')
console.log(
  turns.length,
  'turns;',
  graph.events.filter(event => isMain(event, graph)).length,
  'events of the main thread',
)
const [first] = await clew.session.messages('33c79d8c', { limit: 1 })
for (const block of first?.blocks ?? []) if (block.type === 'text') console.log(block.text.slice(0, 40))
const { context, makeUp } = await clew.session.context('33c79d8c')
console.log(context.resumable, context.messages.length, makeUp.parts.length > 0)
console.log((await clew.session.tree('33c79d8c')).rows.length > turns.length)
console.log((await clew.session.stats('33c79d8c')).tools[0]?.name)
console.log((await clew.session.document('33c79d8c', { format: 'md' })).split('\n')[0])

// usage: report; texts: search, grep, history
const { model = [] } = await clew.usage.report({ by: 'model' })
console.log(model[0]?.modelsUsed[0])
console.log((await clew.texts.search('rounding kind:prompt')).total, 'prompts')
console.log((await clew.texts.grep('croissants?', { kind: 'prompt', limit: 5 })).total, 'lines')
console.log((await clew.texts.history({ limit: 1 }))[0]?.text)

// care: check, doctor; archive: status, run, restore, forget
const { records, groups } = await clew.care.check(['33c79d8c'])
console.log(records, 'records,', groups.length, 'rules found something')
console.log((await clew.care.doctor()).problems.length >= 0, (await clew.care.archive.status()).files)

// write: fork, trim, repair, convert; a dry run says what would be written
const fork = await clew.write.fork('33c79d8c', { at: turns[0]?.lastEvent ?? '', dryRun: true })
console.log(fork.messages, 'messages would be sent')
console.log((await clew.write.repair('33c79d8c', { dryRun: true })).changes.length, 'changes')

await clew.close()

// What the model would see if the session were resumed now.
import { homedir } from 'node:os'
import { join } from 'node:path'
import { buildContext, contextOfEvents, discover, diskSource, loadSession } from 'clew'

const { sessions } = await discover(join(homedir(), '.claude'))
const files = sessions.find(session => session.id.startsWith('33c79d8c'))
if (!files) throw new Error('no such session')

const graph = await loadSession(diskSource(), files)
const context = buildContext(graph)
console.log(context.resumable ? `as Claude Code ${context.reference} would send it:` : context.reason)
for (const { role, blocks } of context.messages) console.log(role, blocks.map(block => block.type).join(', '))

// The same at an earlier moment: of the events so far.
console.log(contextOfEvents(graph.session, graph.events.slice(0, 8)).messages.length)

// What the model would see if the session were resumed now.
import { homedir } from 'node:os'
import { join } from 'node:path'
import { buildContext, discover, diskSource, loadSession } from 'clew'

const { sessions } = await discover(join(homedir(), '.claude'))
const files = sessions.find(session => session.id.startsWith('33c79d8c'))
if (!files) throw new Error('no such session')

const context = buildContext(await loadSession(diskSource(), files))
console.log(context.resumable ? `as Claude Code ${context.reference} would send it:` : context.reason)
for (const { role, blocks } of context.messages) console.log(role, blocks.map(block => block.type).join(', '))

// Writes a session of two turns with a subagent, compacts it and continues it in another writer.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  answer,
  createSession,
  openSession,
  prompt,
  SessionWriter,
  text,
  thinking,
  title,
  toolCall,
  toolResult,
  turnDuration,
  WriteError,
} from 'clew/write'

const folder = mkdtempSync(join(tmpdir(), 'bakery-'))
const writer = await createSession({ folder, cwd: '/home/mira/bakery', gitBranch: 'main' })
await writer.append(title('Rounding in the cart'))
await writer.append(prompt('Three rolls show as 1.0499999999999998 €.'))
const message = { model: 'claude-opus-5', stopReason: 'tool_use' }
const call = toolCall('toolu_1', 'Task', { description: 'Find it', prompt: 'Where are prices added?' })
const { ids, losses } = await writer.append(answer([thinking('A float.'), text('I ask.'), call], message))
console.log(ids.length, 'records,', losses.length, 'losses')

const task = { type: 'Explore', description: 'Find it', prompt: 'Where are prices added?' }
const agent = await writer.startSubagent('toolu_1', task)
await agent.append(answer('In cart.ts, as floats.'))
await agent.close()

await writer.append(toolResult('toolu_1', 'In cart.ts, as floats.'))
await writer.append(answer('I count cents now.', { model: 'claude-opus-5', stopReason: 'end_turn' }))
await writer.append(turnDuration(4200))
await writer.compact({ summary: 'Prices are counted in cents.', keep: 1 })
await writer.close()

const again = await openSession(writer.path)
console.log(again instanceof SessionWriter, again.dialect, again.session === writer.session)
try {
  await again.append(toolResult('toolu_9', 'Nobody called.'))
} catch (error) {
  if (error instanceof WriteError) console.log(error.code, error.message)
}
await again.append(prompt('And the receipt?'))
for (const { kind } of await again.events()) console.log(kind)
await again.close()
rmSync(folder, { recursive: true })

// Writes the same events in each dialect and prints what it cannot say.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  answer,
  command,
  commandOutput,
  createSession,
  document,
  image,
  meta,
  notice,
  progress,
  prompt,
  queue,
  sessionOps,
  snapshot,
  summary,
  tag,
  text,
  toolCall,
  toolResult,
  wireDialects,
} from 'clew/write'

const folder = mkdtempSync(join(tmpdir(), 'bakery-'))
const pixel = 'iVBORw0KGgo='
// Whoever needs no disk may leave out what waits for it.
const ops = { ...sessionOps, sync() {}, syncFolder() {} }

for (const dialect of wireDialects) {
  const writer = await createSession({ folder: join(folder, dialect), cwd: '/home/mira/bakery', dialect, ops })
  const seen = [image('image/png', pixel), document('application/pdf', pixel)]
  const { id } = await writer.append(prompt([text('What is this?'), ...seen]))
  const appended = await writer.appendAll([
    answer([toolCall('toolu_1', 'Bash', { command: 'file roll.png' })]),
    progress('toolu_1', 'roll'),
    toolResult('toolu_1', 'a roll'),
    answer('A roll.'),
    notice('Context is low.', 'warning'),
    meta('Be short.'),
    command('/cost'),
    commandOutput('0.12 $'),
    queue('enqueue', 'and this?'),
    snapshot(id ?? '', ['cart.ts']),
    tag('bakery'),
    summary('A roll', id ?? ''),
  ])
  const lost = appended.flatMap(({ losses }) => losses).filter(({ path }) => path === '')
  console.log(`${dialect}: ${lost.length} of ${appended.length} cannot be said${lost[0] ? `: ${lost[0].why}` : ''}`)
  await writer.close()
}
rmSync(folder, { recursive: true })

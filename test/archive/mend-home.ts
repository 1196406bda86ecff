// A small Claude home with a few sessions, for tests about damage.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Three sessions of different lengths. */
export function makeFiles(home: string): void {
  const folder = join(home, 'projects/-home-dev-shop')
  mkdirSync(folder, { recursive: true })
  for (const [index, lines] of [20, 200, 2000].entries()) {
    const id = `0000000${index}-0000-4000-8000-000000000000`
    const text = Array.from({ length: lines }, (_, line) =>
      JSON.stringify({
        type: 'user',
        sessionId: id,
        uuid: `${index}-${line}`,
        cwd: '/home/dev/shop',
        message: { role: 'user', content: `line ${line} of ${index}, ${(line * 7919) % 104729}` },
      }),
    )
    writeFileSync(join(folder, `${id}.jsonl`), `${text.join('\n')}\n`)
  }
}

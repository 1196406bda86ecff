// Finds the sessions of a Claude home and prints where they are.
import { homedir } from 'node:os'
import { claudeHomes, discover } from 'clew'

for (const home of claudeHomes({ env: process.env, homeDir: homedir() })) {
  const { sessions, histories, findings } = await discover(home)
  console.log(`${sessions.length} sessions, ${histories.length} prompt history, ${findings.length} findings`)

  for (const { id, slug, logs, side } of sessions.slice(0, 3)) {
    const bytes = logs.reduce((sum, log) => sum + log.size, 0)
    console.log(`${id}  ${slug}  ${logs.length} logs of ${bytes} bytes, ${side.length} other files`)
  }
}

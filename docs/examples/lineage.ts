// Finds out which sessions of a home descend from others.
import { homedir } from 'node:os'
import { join } from 'node:path'
import {
  digestSession,
  discover,
  diskSource,
  linkSessions,
  loadSession,
  type SessionDigest,
  summariesBySession,
} from 'clew'

const source = diskSource()
const { sessions } = await discover(join(homedir(), '.claude'))

// A digest is small: a whole home is linked without holding its events.
const digests: SessionDigest[] = []
for (const files of sessions) digests.push(digestSession(await loadSession(source, files)))

for (const [session, links] of linkSessions(digests)) {
  for (const link of links)
    console.log(`${session.slice(0, 8)} ${link.relation} ${link.session.slice(0, 8)}: ${link.how}`)
}

// Titles that were written into other files than the branches that they name.
for (const [session, summaries] of summariesBySession(digests))
  console.log(session.slice(0, 8), summaries.map(({ title }) => title).join(', '))

// Every real session that resumes has a fork that resumes with the same messages.

import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { textToBytes } from '../../../src/base/bytes.ts'
import { decodeText } from '../../../src/decode/decode.ts'
import { discover } from '../../../src/disk/discover/discover.ts'
import { diskSource } from '../../../src/disk/read/read.ts'
import { buildContext, contextOfEvents } from '../../../src/graph/context/context.ts'
import { sessionId } from '../../../src/model/ids.ts'
import type { Context } from '../../../src/model/session.ts'
import { forkSession } from '../../../src/write/edit/fork.ts'
import { readSession } from '../../../src/write/edit/session.ts'
import { clientHomes, publicHome } from '../../needs.ts'

function sent({ messages }: Context, session: string): string {
  const said = JSON.stringify(messages.map(({ role, blocks }) => [role, blocks]))
  return said.replaceAll(`/${session}/tool-results/`, '/session/tool-results/')
}

describe('forks of real sessions', { tags: ['corpus', 'deep'] }, () => {
  for (const home of [...clientHomes, publicHome]) {
    it(`resume as their origins do: ${home}`, { timeout: 300_000 }, async () => {
      for (const files of (await discover(home)).sessions) {
        const origin = await readSession(diskSource(), files)
        const context = buildContext(origin.graph)
        if (!context.resumable) continue
        const { session, lines } = forkSession(origin, { newId: randomUUID, now: Date.now })
        const { events } = decodeText(textToBytes(`${lines.join('\n')}\n`), { session, data: true })
        expect([files.id, sent(contextOfEvents(sessionId(session), events), session)]).toEqual([
          files.id,
          sent(context, files.id),
        ])
      }
    })
  }
})

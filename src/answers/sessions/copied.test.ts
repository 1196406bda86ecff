import { expect, it } from 'vitest'
import { withHome } from '../../../test/home.ts'
import { discover } from '../../disk/discover/discover.ts'
import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import { diskSource } from '../../disk/read/read.ts'
import { Sketch, type Wire } from '../../graph/testing.ts'
import { copiedPartsIn } from './copied.ts'

const plain = (record: Wire) => JSON.stringify(record)
const withBlanks = (record: Wire) => JSON.stringify(record, null, 1).replace(/\n */g, ' ')

it.each([
  ['as Claude Code writes them', 0, plain],
  ['with blanks between names and values', 0, withBlanks],
  ['behind more lines of its own than the head of a file has', 200, plain],
])('a fork that does not say so is known by the records that it shares, %s', (_, snapshots, write) =>
  withHome(async home => {
    const chat = (session: string) =>
      new Sketch(session).user('prompt-01', null, 'Bake').answer('answer-01', 'prompt-01', 'ok')
    const own = { type: 'file-history-snapshot', messageId: 'm', snapshot: { pad: 'x'.repeat(500) } }
    const text = (records: readonly Wire[]) => records.map(record => `${write(record)}\n`).join('')
    const first = chat('first').records
    const fork = [...Array<Wire>(snapshots).fill(own), ...chat('fork').user('prompt-02', 'answer-01', 'More').records]
    home.write('projects/-w/first.jsonl', text(first))
    home.write('projects/-w/fork.jsonl', text(fork))
    const source = diskSource()
    const parts = await copiedPartsIn(mergeDiscoveries([await discover(home.home)], source), source)
    expect([...parts].map(([session, { from }]) => [session, from])).toEqual([['fork', 'first']])
  }),
)

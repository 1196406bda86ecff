import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { detailOf } from '../../src/answers/session/detail.ts'
import { footLines } from '../../src/cli/session/show-text.ts'
import { discover } from '../../src/disk/discover/discover.ts'
import { diskTree } from '../../src/disk/discover/tree.ts'
import { paintFor } from '../../src/render/terminal/style.ts'
import { clockFor } from '../../src/render/words.ts'
import { loadSession } from '../../src/session/load.ts'

const places = { tree: diskTree, source: diskTree.source }

describe('links to other sessions', () => {
  it('are said not to have been looked for where the folder is too large', async () => {
    const { sessions } = await discover(resolve('samples/home'))
    const fork = sessions.find(session => session.id.startsWith('e63f670d'))
    if (!fork) throw new Error('the sample history has a fork')
    const graph = await loadSession(places.source, fork)
    expect((await detailOf(graph, fork, places)).lineage).not.toEqual([])
    const unsearched = await detailOf(graph, fork, places, 1000)
    expect(unsearched.lineage).toEqual([])
    expect(unsearched.diagnostics.map(finding => finding.code)).toContain('lineage-not-searched')
    const paint = paintFor(at => at ?? '-', { isFull: false, showsThinking: false, showsTimes: false })
    expect(footLines(unsearched, unsearched, clockFor('UTC'), paint).join(' ')).toContain('not searched for links')
  })
})

// `clew search` and `clew show --event` as people use them, over the sample history.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPlaces } from '../../src/archive/read/places.ts'
import { run as runSearch } from '../../src/cli/commands/search.ts'
import { run as runShow } from '../../src/cli/commands/show.ts'
import { capture } from './capture.ts'

const samples = resolve('samples/home')
let home = ''

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'clew-search-cli-'))
})
afterAll(() => {
  rmSync(home, { recursive: true, force: true })
})

async function searched(
  args: string[],
  options: Record<string, unknown> = {},
  more: { json?: boolean; columns?: number } = {},
) {
  const places = await openPlaces(home)
  return capture(runSearch, { args, options, root: [samples], isRootNamed: true, ...places, home, ...more })
}

describe('clew search', () => {
  it('prints hits below their session, with what `show --event` takes', async () => {
    const { stdout, stderr, code } = await searched(['croissant'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^33c79d8c {2}Croissant pre-orders with a cut-off time {2}bakery/m)
    expect(stdout).toMatch(/answer +.*1,60 € for a croissant/)
    expect(stderr).toMatch(/3 hits in 1 session .*clew show 33c79d8c --event /)
    const event = /--event (\S+)/.exec(stderr)?.[1] ?? ''
    expect(event).not.toBe('')
  })

  it('opens what it found', async () => {
    const found = JSON.parse((await searched(['croissant kind:answer'], {}, { json: true })).stdout)
    const [hit] = found.hits
    const shown = await capture(runShow, {
      args: [hit.session],
      options: { event: hit.event.slice(0, 8) },
      root: [samples],
      isRootNamed: true,
    })
    expect(shown.code).toBe(0)
    expect(shown.stdout).toContain(`this is event ${hit.event}`)
    expect(shown.stdout).toContain('1,60 €')
  })

  it('gives JSON with places, snippets and highlights', async () => {
    const { stdout, code } = await searched(['"fog of war"'], {}, { json: true })
    expect(code).toBe(0)
    const answer = JSON.parse(stdout)
    expect(answer).toMatchObject({ query: '"fog of war"', isTotalLowerBound: false })
    expect(typeof answer.tookMs).toBe('number')
    for (const hit of answer.hits) {
      const words = hit.highlights.map(([from, to]: [number, number]) => hit.snippet.slice(from, to).toLowerCase())
      expect(words.join(' ')).toMatch(/^fog.of.war/)
    }
  })

  it('takes options for filters', async () => {
    const byOption = await searched(['npm'], { tool: 'Bash', kind: ['answer'] }, { json: true })
    const byFilter = await searched(['npm tool:Bash kind:answer'], {}, { json: true })
    expect(JSON.parse(byOption.stdout).hits).toEqual(JSON.parse(byFilter.stdout).hits)
    expect(JSON.parse(byOption.stdout).total).toBeGreaterThan(0)
  })

  it('fits narrow terminals', async () => {
    for (const flat of [true, false]) {
      const { stdout } = await searched(['the'], flat ? { flat: true } : {}, { columns: 40 })
      expect(stdout).not.toBe('')
      for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(40)
    }
  })

  it('says what to try where nothing is found, with exit code 1', async () => {
    const { stdout, stderr, code } = await searched(['croisant'])
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 })
    expect(stderr).toContain('did you mean croissant?')
  })

  it('reports an unknown filter where nothing matches, but not for an address', async () => {
    expect((await searched(['colour:red'])).stderr).toContain('no filter colour: exists')
    expect((await searched(['https://nowhere.example'])).stderr).not.toContain('filter')
  })

  it('hints at what is odd in a query and searches all the same', async () => {
    const { stderr, code } = await searched(['"croissant'])
    expect(code).toBe(0)
    expect(stderr).toContain('this quote is not closed')
  })

  it('refuses an empty query and wrong options with exit code 2', async () => {
    expect((await searched(['   '])).code).toBe(2)
    await expect(searched(['x'], { kind: ['nonsense'] })).rejects.toThrow(/--kind nonsense/)
    await expect(searched(['x'], { limit: '0' })).rejects.toThrow(/--limit "0"/)
  })
})

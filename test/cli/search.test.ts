// `clew search` and `clew show --event` as people use them, over the sample history.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openClew } from '../../src/answers/open.ts'
import { openPlaces } from '../../src/archive/read/places.ts'
import { run as runSearch } from '../../src/cli/commands/search.ts'
import { run as runShow } from '../../src/cli/commands/show.ts'
import { commands } from '../../src/cli/commands.ts'
import { capture } from './capture.ts'
import { clewHere } from './run.ts'

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
    expect(stderr).toMatch(/3 hits in 1 session [\s\S]*clew show 33c79d8c --event /)
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
    const byOption = await searched(['npm'], { tool: 'Bash', kind: ['call'] }, { json: true })
    const byFilter = await searched(['npm tool:Bash kind:call'], {}, { json: true })
    expect(JSON.parse(byOption.stdout).hits).toEqual(JSON.parse(byFilter.stdout).hits)
    expect(JSON.parse(byOption.stdout).total).toBeGreaterThan(0)
  })

  it('finds by kind: whatever hits are called, and nothing else', async () => {
    const found = async (query: string) => {
      const { stdout } = await searched([query], { all: true }, { json: true })
      return JSON.parse(stdout).hits as { label: string; field: string; event: string }[]
    }
    const labels = new Set((await found('the')).map(({ label }) => label))
    expect(labels).toContain('call')
    expect(labels).toContain('result')
    for (const label of labels) {
      const hits = await found(`the kind:${label}`)
      expect(new Set(hits.map(hit => hit.label))).toEqual(new Set([label]))
    }
    expect((await found('npm kind:answer')).every(({ field }) => field !== 'input')).toBe(true)
  })

  it('refuses kinds and tools that do not exist, and names near ones', async () => {
    await expect(searched(['npm kind:cal'])).rejects.toThrow('there is no kind:cal; did you mean kind:call?')
    await expect(searched(['npm'], { kind: ['promt'] })).rejects.toThrow(
      'did you mean prompt? it is one of prompt, answer,',
    )
    await expect(searched(['npm tool:Bsh'])).rejects.toThrow('there is no tool:Bsh; did you mean tool:Bash?')
    await expect(searched(['npm -tool:Bsh'])).rejects.toThrow('did you mean tool:Bash?')
    await expect(searched(['npm'], { tool: 'Nonsense' })).rejects.toThrow(/it is one of .*Bash/)
  })

  it('prints its summary after the hits, with what is hidden and how to see it', async () => {
    const written: string[] = []
    const { stderr } = await searched(['the'], { limit: '1' })
    expect(stderr).toMatch(/^\d+ hits in \d+ sessions.*; \d+ not shown; to see them: --all; for more sessions: -n N\n/)
    const spies = (['stdout', 'stderr'] as const).map(name =>
      vi.spyOn(process[name], 'write').mockImplementation((text: unknown, ...rest: unknown[]) => {
        written.push(`${name} ${String(text)}`)
        const done = rest.at(-1)
        if (typeof done === 'function') done()
        return true
      }),
    )
    try {
      const clew = await openClew({ roots: [samples], home })
      await runSearch({ args: ['croissant'], options: {}, globals: { clew, json: false, quiet: false }, commands })
    } finally {
      for (const spy of spies) spy.mockRestore()
    }
    expect(written[0]).toMatch(/^stdout 33c79d8c/)
    expect(written[1]).toMatch(/^stderr .*3 hits in 1 session/)
  })

  it('opens the hit with a number, at the hit', async () => {
    const [first] = JSON.parse((await searched(['croissant'], {}, { json: true })).stdout).hits
    const { stdout, code } = await searched(['croissant'], { open: '1' })
    expect(code).toBe(0)
    expect(stdout).toContain(`this is event ${first.event}`)
    await expect(searched(['croissant'], { open: '9' })).rejects.toThrow('no hit 9; hits are numbered 1 to')
  })

  it('finds other forms of a word that no text has, and says so', async () => {
    const { stdout, stderr, code } = await searched(['buttoned'])
    expect(code).toBe(0)
    expect(stdout.toLowerCase()).toContain('button')
    expect(stderr).toContain('no text has buttoned; these have button*')
    expect((await searched(['"buttoned"'])).code).toBe(1)
  })

  it('ends with 130 and without an answer where Ctrl-C stops the index', async () => {
    const once = process.once.bind(process)
    const spy = vi.spyOn(process, 'once').mockImplementation((event, listener) => {
      if (event !== 'SIGINT') return once(event, listener)
      listener('SIGINT')
      return process
    })
    const folder = mkdtempSync(join(tmpdir(), 'clew-search-cli-'))
    try {
      const { stdout, stderr, code } = await clewHere(['search', 'the', '--root', samples, '--home', folder])
      expect({ stdout, code }).toEqual({ stdout: '', code: 130 })
      expect(stderr).toContain('stopped before everything was indexed')
    } finally {
      spy.mockRestore()
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('takes words with a minus as exclusions', async () => {
    const run = (...args: string[]) => clewHere(['search', ...args, '--root', samples, '--home', home, '--json'])
    const all = JSON.parse((await run('croissant')).stdout)
    const without = JSON.parse((await run('croissant', '-price')).stdout)
    expect(without.query).toBe('croissant -price')
    expect(without.total).toBeLessThan(all.total)
    expect(JSON.parse((await run('npm', '-tool:Bash')).stdout).query).toBe('npm -tool:Bash')
    expect(
      JSON.parse((await clewHere(['find', 'croissant', '--root', samples, '--home', home, '--json'])).stdout).total,
    ).toBe(all.total)
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

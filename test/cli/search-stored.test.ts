// `clew search` over texts that Claude Code stored outside of the log: large output of tools, and pasted text.

import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPlaces } from '../../src/archive/read/places.ts'
import { chooseArchiveMode } from '../../src/archive/store/mode.ts'
import type { CommandRun } from '../../src/cli/command.ts'
import { run as grep } from '../../src/cli/commands/grep.ts'
import { run as index } from '../../src/cli/commands/index.ts'
import { run as search } from '../../src/cli/commands/search.ts'
import type { SearchHit } from '../../src/index/search/search.ts'
import { capture } from './capture.ts'

const id = 'dddddddd-0000-4000-8000-000000000005'
const gone = 'eeeeeeee-0000-4000-8000-000000000009'
const [prompt, bash, bashResult, mcp, mcpResult] = ['1', '2', '3', '4', '5'].map(
  digit => `${digit.repeat(8)}-0000-4000-8000-000000000000`,
) as [string, string, string, string, string]

const at = '2026-04-01T08:00:00.000Z'
const saved = 'Output too large (50KB). Full output saved to: /elsewhere/tool-results/b1.txt'
const tooLong = 'Error: result exceeds the limit. Output has been saved to /x/tool-results/mcp-db-report-1.txt.'
const log = [
  [prompt, 'user', 'Sort the fruit'],
  [bash, 'assistant', [{ type: 'tool_use', id: 'c1', name: 'Bash', input: { command: 'sort' } }]],
  [bashResult, 'user', [{ type: 'tool_result', tool_use_id: 'c1', content: `<persisted-output>\n${saved}\n\napple` }]],
  [mcp, 'assistant', [{ type: 'tool_use', id: 'c2', name: 'mcp__db__report', input: {} }]],
  [mcpResult, 'user', [{ type: 'tool_result', tool_use_id: 'c2', content: tooLong }]],
]
const history = [
  { display: 'look [Pasted text #1]', pastedContents: { 1: { id: 1, type: 'text', contentHash: '0123456789abcdef' } } },
  { display: 'old [Pasted text #1]', pastedContents: { 1: { id: 1, type: 'text', content: 'a bullace tree' } } },
]

let folder = ''
let outputs = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clew-stored-'))
  const project = join(folder, 'claude', 'projects', '-w')
  outputs = join(project, id, 'tool-results')
  mkdirSync(outputs, { recursive: true })
  mkdirSync(join(folder, 'claude', 'paste-cache'))
  const line = ([uuid, type, content]: unknown[]) =>
    `${JSON.stringify({ type, uuid, parentUuid: null, sessionId: id, timestamp: at, cwd: '/w', message: { role: type, content } })}\n`
  writeFileSync(join(project, `${id}.jsonl`), log.map(line).join(''))
  writeFileSync(join(outputs, 'b1.txt'), 'apple\nthe only quince\n')
  writeFileSync(join(outputs, 'mcp-db-report-1.txt'), 'one medlar\n')
  writeFileSync(join(outputs, 'unnamed.txt'), 'some rowan\n')
  writeFileSync(join(outputs, 'names.txt'), 'a.ts\0whitebeam.ts\0')
  writeFileSync(join(outputs, 'picture.png'), Buffer.from('\u0089PNG\0sorbus\0', 'latin1'))
  const lines = history.map(
    one => `${JSON.stringify({ ...one, timestamp: 1775030400000, project: '/w', sessionId: gone })}\n`,
  )
  writeFileSync(join(folder, 'claude', 'history.jsonl'), lines.join(''))
  writeFileSync(join(folder, 'claude', 'paste-cache', '0123456789abcdef.txt'), 'pasted: a damson')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function run(command: CommandRun, args: string[], options: Record<string, unknown> = {}, json = false) {
  const home = join(folder, 'home')
  const places = await openPlaces(home)
  return capture(command, { args, options, root: [join(folder, 'claude')], isRootNamed: true, ...places, home, json })
}

async function hitsOf(query: string): Promise<SearchHit[]> {
  return JSON.parse((await run(search, [query], {}, true)).stdout).hits
}

describe('texts outside of the log', () => {
  it('are found as a part of the result or prompt that names their file', async () => {
    const [quince, ...more] = await hitsOf('quince')
    expect(more).toEqual([])
    expect(quince).toMatchObject({
      session: id,
      event: bashResult,
      label: 'result',
      at,
      snippet: 'apple the only quince',
    })
    expect(quince?.storedIn).toMatch(/tool-results.b1\.txt$/)
    expect(await hitsOf('medlar')).toMatchObject([{ session: id, event: mcpResult, label: 'result' }])
    expect(await hitsOf('rowan')).toMatchObject([{ session: id, event: '', label: 'result', at: null }])
    expect(await hitsOf('damson')).toMatchObject([{ session: gone, label: 'history', snippet: 'pasted: a damson' }])
    expect(await hitsOf('bullace')).toMatchObject([{ session: gone, label: 'history' }])
    expect(await hitsOf('sorbus')).toEqual([])
    // The log has it too, as a preview: one hit.
    expect(await hitsOf('apple')).toHaveLength(1)
  })

  it('pass the filters of what they belong to', async () => {
    for (const filter of [
      'tool:Bash',
      'kind:result',
      'since:2026-03-01',
      'project:/w',
      `session:${id}`,
      '-kind:call',
    ]) {
      expect(await hitsOf(`quince ${filter}`), filter).toHaveLength(1)
    }
    for (const filter of ['-tool:Bash', 'kind:prompt', 'since:2026-05-01', 'is:error']) {
      expect(await hitsOf(`quince ${filter}`), filter).toHaveLength(0)
    }
    expect(await hitsOf('medlar tool:report')).toHaveLength(1)
  })

  it('are opened with the whole text, and say where they are', async () => {
    const { stdout } = await run(search, ['quince'])
    expect(stdout).toMatch(/result +apple the only quince\n +in tool-results\/b1\.txt/)
    const shown = await run(search, ['quince'], { open: '1' })
    expect(shown.stdout).toContain(`this is event ${bashResult}`)
    expect(shown.stdout).toContain('the only quince')
    expect((await run(search, ['damson'], { open: '1' })).stdout).toContain('| pasted: a damson')
  })

  it('follow their files: an index that was refreshed equals a new one', async () => {
    const verified = async () => (await run(index, ['verify'])).code
    expect(await hitsOf('quince')).toHaveLength(1)
    appendFileSync(join(outputs, 'b1.txt'), 'and a hawthorn\n')
    expect(await hitsOf('quince hawthorn')).toHaveLength(1)
    expect(await verified()).toBe(0)
    rmSync(join(outputs, 'b1.txt'))
    rmSync(join(folder, 'claude', 'paste-cache'), { recursive: true })
    expect(await hitsOf('hawthorn OR damson')).toEqual([])
    expect(await verified()).toBe(0)
  })

  it('are what their files contain now, also where the archive has what they contained before', async () => {
    chooseArchiveMode(join(folder, 'home'), 'auto')
    expect(await hitsOf('quince')).toHaveLength(1)
    writeFileSync(join(outputs, 'b1.txt'), 'apple\nnothing but a sorb\n')
    for (const [word, count] of [
      ['sorb', 1],
      ['quince', 0],
    ] as const) {
      expect(await hitsOf(word), word).toHaveLength(count)
      expect(JSON.parse((await run(grep, [word], {}, true)).stdout).hits, word).toHaveLength(count)
    }
  })

  it('are named by the same events for grep', async () => {
    const { hits } = JSON.parse((await run(grep, ['quince|medlar'], {}, true)).stdout)
    expect(hits).toMatchObject([{ event: bashResult }, { event: mcpResult }])
  })

  it('are those of text files, for grep and search: output may have NULs, a picture has no text', async () => {
    for (const [word, count] of [
      ['whitebeam', 1],
      ['sorbus', 0],
    ] as const) {
      expect(await hitsOf(word), word).toHaveLength(count)
      expect(JSON.parse((await run(grep, [word], {}, true)).stdout).hits, word).toHaveLength(count)
    }
  })
})

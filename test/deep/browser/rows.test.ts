// Rows that are hard to set well: nothing covers an outcome, tables and small headings can be read, only what was asked for
// is unfolded, a session that waits for a subagent runs. On one session that is written here.

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { type App, describeApp, desktop, finish, phone, picture, still } from './browser.ts'
import { coveredTexts, fontSize, lineCounts } from './in-page.mjs'

const session = 'a0a0a0a0-0000-4000-8000-000000000001'
const waiting = 'a0a0a0a0-0000-4000-8000-000000000002'
const agent = 'a1b2c3d4e5f600001'

const report = `# Report

#### How dry it is

| bed | state | on | what grows there now |
|---|---|---|---|
| one | dry | Wednesday | tomatoes, basil and marigold in three rows |

> Water it.
`

/** A log as Claude Code writes it; times are minutes before now. */
class Log {
  readonly lines: string[] = []
  private parent: string | null = null
  private readonly base: object

  constructor(id: string, of?: string) {
    const shared = {
      userType: 'external',
      cwd: '/home/ana/garden',
      sessionId: id,
      version: '2.1.100',
      gitBranch: 'main',
    }
    this.base = { ...shared, isSidechain: of !== undefined, ...(of !== undefined && { agentId: of }) }
  }

  add(type: 'user' | 'assistant', content: unknown, minutes: number, extra: object = {}): void {
    const uuid = `${type}-${this.lines.length}-${Math.round(minutes)}`
    const usage = { input_tokens: 3, output_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 900 }
    const api = { id: `msg_${uuid}`, type: 'message', model: 'claude-opus-4-5', stop_reason: 'end_turn', usage }
    const message = { role: type, content, ...(type === 'assistant' && api) }
    const timestamp = new Date(Date.now() - minutes * 60_000).toISOString()
    this.lines.push(
      JSON.stringify({
        parentUuid: this.parent,
        ...this.base,
        type,
        message,
        uuid,
        timestamp,
        requestId: uuid,
        ...extra,
      }),
    )
    this.parent = uuid
  }

  call(name: string, input: object, minutes: number): string {
    const id = `toolu_${this.lines.length}`
    this.add('assistant', [{ type: 'tool_use', id, name, input }], minutes)
    return id
  }

  result(id: string, text: string, minutes: number, isError = false): void {
    const block = { type: 'tool_result', tool_use_id: id, content: text, ...(isError && { is_error: true }) }
    this.add('user', [block], minutes, { toolUseResult: isError ? `Error: ${text}` : { stdout: text, stderr: '' } })
  }

  write(path: string, minutes: number): void {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${this.lines.join('\n')}\n`)
    const at = Date.now() / 1000 - minutes * 60
    utimesSync(path, at, at)
  }
}

function gardenHome({ home }: App): void {
  const folder = join(home, 'projects', '-home-ana-garden')
  const day = 2 * 24 * 60
  const log = new Log(session)
  log.add('user', 'Which beds are dry?', day)
  for (const [at, bed] of ['one', 'two', 'three', 'four'].entries()) {
    const command = `probe --bed ${bed} --depth 30 --unit litres --format long --repeat 3 --until-steady`
    const id = log.call('Bash', { command, description: `Probe bed ${bed}` }, day)
    const text = at === 2 ? 'Exit code 4\nno moisture sensor' : 'moisture is steady'
    log.result(id, text, day - 0.1 * (at + 1), at === 2)
  }
  log.add('assistant', [{ type: 'text', text: report }], day - 1)
  log.write(join(folder, `${session}.jsonl`), day)
  // Its subagent works for longer than a log may be silent.
  const main = new Log(waiting)
  main.add('user', 'Dig the pond.', 30)
  main.call('Agent', { description: 'Dig', prompt: 'Dig for an hour.', subagent_type: 'general-purpose' }, 29)
  main.write(join(folder, `${waiting}.jsonl`), 29)
  const digging = new Log(waiting, agent)
  digging.add('user', 'Dig for an hour.', 29)
  digging.call('Bash', { command: 'dig', description: 'Dig on' }, 0)
  digging.write(join(folder, waiting, 'subagents', `agent-${agent}.jsonl`), 0)
}

/** Texts of rows that lie under the row's tools while the pointer is on it. */
async function covered(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const row of await page.locator('.item-call').all()) {
    await row.locator('.call').hover()
    await expect.poll(() => row.evaluate(coveredTexts)).not.toBeNull()
    found.push(...((await row.evaluate(coveredTexts)) ?? []))
  }
  return found
}

describeApp('rows of a transcript', gardenHome, check => {
  check('show their outcome while the pointer, or a finger, is on them', async app => {
    for (const size of [desktop, phone]) {
      const opened = await app.open(`/s/${session}`, size)
      await still(opened.page)
      expect(await covered(opened.page)).toEqual([])
      await picture(opened.page, `rows-hover-${size.width}`)
      await finish(opened)
    }
  })

  check('do not break the words of a table, and have headings that can be read', async app => {
    for (const size of [desktop, phone]) {
      const opened = await app.open(`/s/${session}`, size)
      const { page } = opened
      const table = page.locator('.md-table').first()
      await table.scrollIntoViewIfNeeded()
      const lines = await table.locator('td', { hasText: /^\w+$/ }).evaluateAll(lineCounts)
      expect(lines).toEqual([1, 1, 1])
      expect(await page.locator('.md-h4').evaluate(fontSize)).toBeGreaterThanOrEqual(13)
      await picture(page, `rows-table-${size.width}`)
      await finish(opened)
    }
  })

  check('are unfolded one at a time by somebody who goes from find to find', async app => {
    const opened = await app.open(`/s/${session}`)
    const { page } = opened
    await still(page)
    await page.keyboard.press('Control+f')
    await page.keyboard.type('moisture')
    await page.getByText('4 places').waitFor()
    for (const at of [1, 2, 3, 4]) {
      await page.keyboard.press('Enter')
      await page.getByText(`${at} of 4`).waitFor()
    }
    await expect.poll(() => page.locator('.item-call .call[aria-expanded="true"]').count()).toBe(1)
    expect(await page.locator('.item-call .call[aria-expanded="true"]').textContent()).toContain('Probe bed four')
    await finish(opened)
  })

  check('say that a call runs while only its subagent writes', async app => {
    const opened = await app.open(`/s/${waiting}`)
    const { page } = opened
    const row = page.locator('.item-call', { hasText: 'Dig' }).first()
    await row.getByText('running').waitFor()
    await page.locator('.session-end', { hasText: 'The session is running' }).waitFor()
    await page.locator('.pane .session-row', { hasText: 'Dig the pond.' }).getByRole('img', { name: 'live' }).waitFor()
    await finish(opened)
  })
})

// A made-up Claude home for tests of lists: sessions in several projects with what filters ask for.

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const ids = {
  cart: 'aaaaaaaa-0000-4000-8000-000000000001',
  tax: 'aaaaaaaa-1000-4000-8000-000000000002',
  map: 'bbbbbbbb-0000-4000-8000-000000000003',
  old: 'cccccccc-0000-4000-8000-000000000004',
}

type Line = Record<string, unknown>

/** Lines of one session, each a second after the one before. */
export class SessionLines {
  readonly lines: Line[] = []
  private readonly id: string
  private readonly common: Line
  private clock: number
  private parent: string | null = null

  constructor(id: string, at: string, cwd: string, gitBranch: string) {
    this.id = id
    this.clock = Date.parse(at)
    this.common = { sessionId: id, cwd, gitBranch, version: '2.1.210', userType: 'external', isSidechain: false }
  }

  private link(type: string, more: Line): this {
    const uuid = `${this.id.slice(0, 8)}-${this.lines.length}-${this.id.slice(-4)}`
    const timestamp = new Date(this.clock).toISOString()
    this.clock += 1000
    this.lines.push({ parentUuid: this.parent, ...this.common, type, uuid, timestamp, ...more })
    this.parent = uuid
    return this
  }

  prompt(text: string | Line[]): this {
    return this.link('user', { message: { role: 'user', content: text } })
  }

  answer(text: string, model = 'claude-opus-5', tokens = 100): this {
    const usage = { input_tokens: 1, output_tokens: tokens }
    const content = [{ type: 'text', text }]
    const message = {
      id: `msg-${this.lines.length}`,
      role: 'assistant',
      model,
      content,
      usage,
      stop_reason: 'end_turn',
    }
    return this.link('assistant', { message })
  }

  call(name: string, result: string, isError = false): this {
    const id = `toolu-${this.lines.length}`
    const message = { id: `msg-${this.lines.length}`, role: 'assistant', model: 'claude-opus-5' }
    this.link('assistant', { message: { ...message, content: [{ type: 'tool_use', id, name, input: {} }] } })
    const block = { type: 'tool_result', tool_use_id: id, content: result, is_error: isError }
    return this.link('user', { message: { role: 'user', content: [block] } })
  }

  side(record: Line): this {
    this.lines.push({ ...record, sessionId: this.id })
    return this
  }

  /** The last uuid, for summaries that name it. */
  get leaf(): string {
    return this.parent ?? ''
  }
}

export function writeLines(path: string, lines: readonly Line[], modifiedAt?: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, lines.map(line => `${JSON.stringify(line)}\n`).join(''))
  if (modifiedAt !== undefined) utimesSync(path, new Date(modifiedAt), new Date(modifiedAt))
}

/** Four sessions: two in a shop, a map with an image and a failed call, and an old one that a summary elsewhere names. */
export function makeHome(home: string): void {
  const shop = (id: string, at: string, branch: string) => new SessionLines(id, at, '/home/mira/shop', branch)
  const file = (slug: string, id: string) => join(home, 'projects', slug, `${id}.jsonl`)
  const old = shop(ids.old, '2025-11-01T10:00:00Z', 'main')
    .prompt('Where is the till?')
    .answer('Here.', 'claude-sonnet-4')
  const cart = shop(ids.cart, '2026-02-17T23:30:00Z', 'main').prompt('Round the cart').answer('Rounded to cents.')
  cart.side({ type: 'summary', summary: 'Looking for the till', leafUuid: old.leaf })
  cart.side({ type: 'custom-title', customTitle: '=Cart totals' })
  const tax = shop(ids.tax, '2026-02-18T09:00:00Z', 'tax').prompt('Add the tax').answer('Done.', 'claude-opus-5', 9000)
  tax.prompt('And the rest').answer('Also.').side({ type: 'ai-title', aiTitle: 'Tax on cakes' })
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
  const map = new SessionLines(ids.map, '2026-03-01T08:00:00Z', '/home/mira/地図', 'islands')
  map
    .prompt([{ type: 'text', text: '島の地図を描いて 🏝️' }, image])
    .call('Bash', 'Exit code 1', true)
    .answer('描きました')
  writeLines(file('-home-mira-shop', ids.old), old.lines, '2026-02-01T00:00:00Z')
  writeLines(file('-home-mira-shop', ids.cart), cart.lines, '2026-02-17T23:40:00Z')
  writeLines(file('-home-mira-shop', ids.tax), tax.lines, '2026-02-18T09:10:00Z')
  writeLines(file('-home-mira---', ids.map), map.lines, '2026-03-01T08:10:00Z')
  const agent = new SessionLines(ids.tax, '2026-02-18T09:00:01Z', '/home/mira/shop', 'tax')
    .prompt('Look it up')
    .answer('5 %')
  const lines = agent.lines.map(line => ({ ...line, isSidechain: true, agentId: 'a1b2c3d' }))
  writeLines(join(home, 'projects', '-home-mira-shop', ids.tax, 'subagents', 'agent-a1b2c3d.jsonl'), lines)
}

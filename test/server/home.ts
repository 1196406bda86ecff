// A small Claude home with one session, and next to it a file that no one may read: links and records in the home name it.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const session = '5e5510a0-0000-4000-8000-000000000001'
export const event = 'e0e0e0e0-0000-4000-8000-000000000001'
export const canaryText = 'CANARY-7f3a-nobody-may-read-this'

export interface ServedHome {
  /** The Claude home. */
  root: string
  /** Clew's own folder. */
  home: string
  canary: string
  /** A web folder with a page, a script, and a link that leads out. */
  web: string
  remove(): void
}

export function makeHome(): ServedHome {
  const folder = mkdtempSync(join(tmpdir(), 'clew-server-'))
  const root = join(folder, 'claude')
  const project = join(root, 'projects', '-home-mira-project')
  const canary = join(folder, 'canary.txt')
  const web = join(folder, 'web')
  const results = join(project, session, 'tool-results')
  for (const path of [results, join(web, 'assets'), join(folder, 'clew')]) mkdirSync(path, { recursive: true })
  writeFileSync(canary, `${canaryText}\n`)
  writeFileSync(join(folder, 'clew', 'canary.txt'), `${canaryText}\n`)
  writeFileSync(join(root, 'canary.txt'), `${canaryText}\n`)
  symlinkSync(canary, join(results, 'toolu_1.txt'))
  symlinkSync(folder, join(project, 'out'))
  symlinkSync(canary, join(web, 'assets', 'linked-ABCDEFGH.js'))
  symlinkSync(canary, join(web, 'linked.json'))
  writeFileSync(join(web, 'index.html'), '<!doctype html><title>Clew</title>')
  writeFileSync(join(web, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(join(web, 'manifest.json'), '{}')
  writeFileSync(join(web, 'assets', 'main-ABCDEFGH.js'), `console.log(${JSON.stringify('x'.repeat(5000))})\n`)
  writeFileSync(
    join(project, `${session}.jsonl`),
    `${records([canary, join(results, 'toolu_1.txt'), join(results, '../../out/canary.txt')])
      .map(one => JSON.stringify(one))
      .join('\n')}\n`,
  )
  return {
    root,
    home: join(folder, 'clew'),
    canary,
    web,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A prompt, calls whose outputs are said to lie in files elsewhere, and the account that the session belongs to. */
function records(places: readonly string[]): object[] {
  const base = { sessionId: session, isSidechain: false, cwd: '/home/mira/project', version: '2.1.0' }
  const saved = (path: string) =>
    `<persisted-output>\nOutput too large (2MB). Full output saved to: ${path}\n\nPreview:\nhello\n</persisted-output>`
  const calls = places.map((_, i) => ({
    type: 'tool_use',
    id: `toolu_${i}`,
    name: 'Bash',
    input: { command: 'cat it' },
  }))
  const results = places.map((path, i) => ({ type: 'tool_result', tool_use_id: `toolu_${i}`, content: saved(path) }))
  return [
    {
      ...base,
      type: 'user',
      uuid: event,
      parentUuid: null,
      timestamp: '2026-01-01T00:00:00.000Z',
      message: { role: 'user', content: 'Where is the kettle?' },
    },
    {
      ...base,
      type: 'assistant',
      uuid: 'a1',
      parentUuid: event,
      timestamp: '2026-01-01T00:00:01.000Z',
      message: { id: 'm1', role: 'assistant', model: 'claude-opus-4-5', content: calls },
    },
    {
      ...base,
      type: 'user',
      uuid: 'u2',
      parentUuid: 'a1',
      timestamp: '2026-01-01T00:00:02.000Z',
      message: { role: 'user', content: results },
    },
    { type: 'session-owner', sessionId: session, uuid: 'owner', accountUuid: canaryText, organizationUuid: canaryText },
  ]
}

/** A home of sessions with one prompt each, the first one written last. */
export function manySessions(count: number): { home: string; roots: string[]; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'clew-many-'))
  const project = join(folder, 'claude', 'projects', '-home-mira-shop')
  mkdirSync(project, { recursive: true })
  for (let at = 0; at < count; at++) {
    const session = `5e5510a0-0000-4000-8000-${String(at).padStart(12, '0')}`
    const record = {
      type: 'user',
      uuid: `u${at}`,
      parentUuid: null,
      sessionId: session,
      cwd: '/home/mira/shop',
      timestamp: new Date(Date.UTC(2026, 0, 1) - at * 60_000).toISOString(),
      message: { role: 'user', content: `Prompt number ${at}` },
    }
    writeFileSync(join(project, `${session}.jsonl`), `${JSON.stringify(record)}\n`)
    utimesSync(join(project, `${session}.jsonl`), 1e9 - at, 1e9 - at)
  }
  return {
    home: join(folder, 'own'),
    roots: [join(folder, 'claude')],
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

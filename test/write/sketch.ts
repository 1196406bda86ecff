// Sessions for tests of the writing half: copies of the samples in a home of their own, and small invented ones.

import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { discover } from '../../src/disk/discover/discover.ts'
import { diskSource } from '../../src/disk/read/read.ts'
import { buildContext } from '../../src/graph/context/context.ts'
import type { SessionGraph } from '../../src/model/session.ts'
import type { SessionFiles } from '../../src/model/source.ts'
import { loadSession } from '../../src/session/load.ts'
import { samples } from '../home.ts'

/** A home with all samples, which may be written to. */
export function copyOfSamples(folder: string): string {
  const home = join(folder, 'home')
  cpSync(samples, home, { recursive: true })
  return home
}

export async function sessionsIn(home: string): Promise<SessionFiles[]> {
  return (await discover(home)).sessions
}

export function load(files: SessionFiles): Promise<SessionGraph> {
  return loadSession(diskSource(), files, { data: true })
}

/** What a resume sends, without ids of events: comparable between a session and its copy. */
export function sentBy(graph: SessionGraph): unknown[] {
  return buildContext(graph).messages.map(({ role, blocks }) => ({ role, blocks }))
}

export const sessionName = '0b1c2d3e-0000-4000-8000-000000000001'

/** `u1`, `a1`, … as ids that Claude Code accepts. */
export function idOf(name: string): string {
  const digits = Buffer.from(name).toString('hex').padStart(12, '0').slice(-12)
  return `00000000-0000-4000-8000-${digits}`
}

/** A chain of records in the form of Claude Code, each behind the one before it, a second later. */
export class Sketch {
  readonly records: Record<string, unknown>[] = []
  private parent: string | null = null
  private at = Date.parse('2026-01-05T10:00:00Z')

  prompt(name: string, content: unknown = `prompt ${name}`): this {
    return this.add(name, { type: 'user', message: { role: 'user', content } })
  }

  answer(name: string, ...content: unknown[]): this {
    const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
    const said = content.length === 0 ? [{ type: 'text', text: `answer ${name}` }] : content
    const message = { id: `msg_${name}`, type: 'message', role: 'assistant', model: 'claude-opus-5-5', content: said }
    return this.add(name, { type: 'assistant', message: { ...message, stop_reason: 'end_turn', usage } })
  }

  call(name: string, tool = 'Bash', input: unknown = { command: `run ${name}` }): this {
    return this.answer(name, { type: 'tool_use', id: `toolu_${name}`, name: tool, input })
  }

  result(name: string, call: string, content: unknown = `output ${name}`): this {
    const block = { type: 'tool_result', tool_use_id: `toolu_${call}`, content, is_error: false }
    return this.add(name, {
      type: 'user',
      message: { role: 'user', content: [block] },
      toolUseResult: { stdout: content },
    })
  }

  /** A record outside of the chain. */
  side(record: Record<string, unknown>): this {
    this.records.push({ ...record, sessionId: sessionName })
    return this
  }

  /** The next record follows this one. */
  from(name: string | null): this {
    this.parent = name === null ? null : idOf(name)
    return this
  }

  private add(name: string, fields: Record<string, unknown>): this {
    const place = { parentUuid: this.parent, isSidechain: false, uuid: idOf(name), sessionId: sessionName }
    const rest = {
      timestamp: new Date(this.at).toISOString(),
      cwd: '/home/mira/shop',
      version: '2.1.325',
      userType: 'external',
    }
    this.records.push({ ...place, ...fields, ...rest, gitBranch: 'main' })
    this.parent = idOf(name)
    this.at += 1000
    return this
  }

  /** Writes the log into a home and returns its path. */
  write(home: string): string {
    const folder = join(home, 'projects', '-home-mira-shop')
    mkdirSync(folder, { recursive: true })
    const path = join(folder, `${sessionName}.jsonl`)
    writeFileSync(path, this.records.map(record => `${JSON.stringify(record)}\n`).join(''))
    return path
  }
}

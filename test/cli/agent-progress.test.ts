// A subagent that only progress records of its parent's log tell of, asked for by every command, with an index and without, before
// and after it has a log of its own.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Sketch, type Wire } from '../../src/graph/testing.ts'
import { withFolder } from '../home.ts'
import { clewHere } from './run.ts'

const id = '0c0ffee0-0000-4000-8000-000000000045'

function agentLines(): Wire[] {
  const agent = new Sketch(id).user('t1', null, 'Count the walnuts.')
  agent
    .call('t2', 't1', 'toolu_in', 'Bash', { command: 'wc walnuts' })
    .result('t3', 't2', 'toolu_in', 'no such file', { is_error: true })
  return agent.answer('t4', 't3', 'There are no walnuts.').records
}

function mainLog(): string {
  const sketch = new Sketch(id).user('u1', null, 'Ask someone to count.')
  sketch.call('a1', 'u1', 'toolu_out', 'Task', { description: 'Count', prompt: 'Count the walnuts.' })
  let last = 'a1'
  for (const [at, { type, message, uuid, timestamp, requestId }] of agentLines().entries()) {
    const data = { type: 'agent_progress', agentId: 'ag', message: { type, message, uuid, timestamp, requestId } }
    sketch.chain('progress', `p${at}`, last, { data, toolUseID: `agent_${at}`, parentToolUseID: 'toolu_out' })
    last = `p${at}`
  }
  return sketch.result('r1', last, 'toolu_out', 'None.').answer('a2', 'r1', 'None at all.').text()
}

describe('a subagent in progress records', () => {
  it('is in every answer once, whether it has a log of its own or not', async () => {
    await withFolder(async folder => {
      const home = join(folder, 'home/projects/-p')
      const agentLog = join(home, id, 'subagents/agent-ag.jsonl')
      mkdirSync(dirname(agentLog), { recursive: true })
      writeFileSync(join(home, `${id}.jsonl`), mainLog())
      const run = async (...args: string[]) => {
        const result = await clewHere([...args, '--root', join(folder, 'home'), '--home', join(folder, 'own')])
        expect(result.stderr).not.toContain('error')
        return result
      }
      const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout)
      const facts = async (...more: string[]) => {
        const [row] = (await json('ls', '--long', ...more)).sessions
        const { toolCalls, subagents, errors, usage, tools, costUSD } = row
        const { hits }: { hits: Wire[] } = await json('grep', 'walnuts', ...more)
        const total = (await json('usage', 'session', ...more)).session
        return {
          toolCalls,
          subagents,
          errors,
          usage,
          tools,
          costUSD,
          hits: hits.map(hit => hit['event']).sort(),
          total,
        }
      }
      const first = await facts('--no-index')
      expect(first).toMatchObject({ toolCalls: 2, subagents: 1, errors: 1, tools: ['Task', 'Bash'] })
      expect(first.usage.inputTokens).toBe(40)
      expect(first.hits.filter(event => event === 't4')).toHaveLength(1)
      expect(await facts()).toEqual(first)
      const searched = await json('search', '--all', 'walnuts thread:ag')
      expect(searched.hits.map(({ event }: { event: string }) => event).sort()).toEqual(['t1', 't2', 't4'])
      expect((await run('tree', id)).stdout).toContain('Count')
      expect((await run('show', id)).stdout).toContain('There are no walnuts.')

      const own = agentLines().map(line => `${JSON.stringify({ ...line, isSidechain: true, agentId: 'ag' })}\n`)
      writeFileSync(agentLog, own.join(''))
      const later = await json('search', '--all', 'walnuts thread:ag')
      expect(later.hits.map(({ event, copies }: Wire) => `${event} ${copies ?? 0}`).sort()).toEqual([
        't1 0',
        't2 0',
        't4 0',
      ])
      expect(await facts()).toEqual(first)
      expect(await facts('--no-index')).toEqual(first)
      expect((await run('index', 'verify')).code).toBe(0)
      rmSync(agentLog)
      expect(await facts()).toEqual(first)
    })
  })
})

import { expect, test } from 'vitest'
import type { GenerationId, SideFile } from '../../model/source.ts'
import { Sketch } from '../testing.ts'

const file = (path: string): SideFile => ({
  path,
  kind: 'tool-result',
  generation: '' as GenerationId,
  size: 1,
  modifiedMs: 0,
})

test('a file is found by the path that the result names, even after a move', () => {
  const toolUseResult = { stdout: 'start', persistedOutputPath: '/old/home/tool-results/b1.txt' }
  const sketch = new Sketch().call('a', null, 't1').result('r', 'a', 't1', 'start', { toolUseResult })
  expect(sketch.graphWith([file('/new/tool-results/b1.txt')]).toolCalls[0]?.spillFile).toBe('/new/tool-results/b1.txt')
  expect(sketch.graphWith([]).toolCalls[0]?.spillFile).toBe('/old/home/tool-results/b1.txt')
})

test('a file is found by the call’s id in its name', () => {
  const graph = new Sketch().call('a', null, 'toolu_01ab').result('r', 'a', 'toolu_01ab')
  expect(graph.graphWith([file('/x/toolu_01ab.txt')]).toolCalls[0]?.spillFile).toBe('/x/toolu_01ab.txt')
})

test('an MCP output is found by server, tool and the nearest time', () => {
  const sketch = new Sketch()
  for (const id of ['1', '2', '3'])
    sketch.call(`a${id}`, null, `t${id}`, 'mcp__shop_db__report').result(`r${id}`, `a${id}`, `t${id}`)
  // Results at 10:01, 10:03 and 10:05.
  const ms = Date.UTC(2026, 0, 5, 10, 3) + 40
  const graph = sketch.graphWith([
    file(`/x/mcp-shop_db-report-${ms}.txt`),
    file(`/x/mcp-shop_db-report-${ms + 9e6}.txt`),
  ])
  expect(graph.toolCalls.map(call => call.spillFile)).toEqual([undefined, `/x/mcp-shop_db-report-${ms}.txt`, undefined])
})

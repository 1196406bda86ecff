import { expect, test } from 'vitest'
import { allText, badgeTexts, partsOf, viewCallOf } from '../testing.ts'

test('output of a task in the background shows what it printed and its state', () => {
  const task = {
    task_id: 'b1',
    task_type: 'local_bash',
    status: 'completed',
    description: 'Serve',
    output: 'up',
    exitCode: 1,
  }
  const item = viewCallOf(
    'TaskOutput',
    { task_id: 'b1', block: true },
    { structured: { retrieval_status: 'timeout', task } },
  )
  expect(item.headline).toBe('TaskOutput  b1  Serve')
  expect(badgeTexts(item)).toEqual(expect.arrayContaining(['timeout', 'completed', 'exit 1']))
  expect(allText(item)).toBe('up')
  const agent = { ...task, task_type: 'local_agent', result: '**ok**' }
  const answer = viewCallOf(
    'TaskOutput',
    { task_id: 'b1' },
    { structured: { retrieval_status: 'success', task: agent } },
  )
  expect(partsOf(answer, 'markdown')[0]?.text).toBe('**ok**')
})

test('stopping, watching and waking', () => {
  const stop = viewCallOf(
    'TaskStop',
    { task_id: 'b1' },
    { structured: { task_id: 'b1', command: 'serve', message: 'Stopped' } },
  )
  expect([stop.headline, allText(stop)]).toEqual(['TaskStop  b1', 'serve'])
  const monitor = viewCallOf(
    'Monitor',
    { command: 'tail -f log', description: 'Errors in the log' },
    { structured: { taskId: 'm1', timeoutMs: 300_000, persistent: false } },
  )
  expect(monitor.headline).toBe('Monitor  Errors in the log')
  expect(badgeTexts(monitor)).toEqual(expect.arrayContaining(['background task m1', 'timeout 5 min']))
  const wake = viewCallOf(
    'ScheduleWakeup',
    { delaySeconds: 90, reason: 'Wait for CI' },
    { structured: { scheduledFor: 1 } },
  )
  expect(wake.headline).toBe('ScheduleWakeup  Wait for CI')
  expect(badgeTexts(wake)).toContain('in 1 min 30 s')
})

import { expect, test } from 'vitest'
import { type Task, WorkerPool } from './pool.ts'

// Sources run in this thread; commands of the built tool prove the threads.
const slowFirst: Task<number, number, string> = {
  name: 'test/slow-first',
  async run(n, emit) {
    if (n === 13) throw new RangeError('unlucky')
    await emit(`at ${n}`)
    await new Promise(done => setTimeout(done, n === 1 ? 20 : 0))
    return n * 2
  },
}

test('map gives results in the order of the arguments, whatever ends first', async () => {
  const pool = new WorkerPool()
  const messages: string[] = []
  const results: number[] = []
  for await (const result of pool.map(slowFirst, [1, 2, 3], { ahead: 3, onMessage: one => void messages.push(one) }))
    results.push(result)
  expect(results).toEqual([2, 4, 6])
  expect(messages.sort()).toEqual(['at 1', 'at 2', 'at 3'])
})

test('a task that fails rejects, and the next one runs', async () => {
  const pool = new WorkerPool()
  await expect(pool.run(slowFirst, 13)).rejects.toThrow('unlucky')
  await expect(pool.run(slowFirst, 4)).resolves.toBe(8)
})

test('a closed pool takes no task', async () => {
  const pool = new WorkerPool()
  await pool.close()
  await expect(pool.run(slowFirst, 2)).rejects.toThrow('closed')
})

test.each([-1, 1.5, Number.NaN])('a pool of %d threads is refused, since its tasks would never run', size => {
  expect(() => new WorkerPool({ size })).toThrow(RangeError)
})

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { currentPath, indexFolder } from './open.ts'

let home: string

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'clew-open-'))
  mkdirSync(indexFolder(home), { recursive: true })
})

afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Puts one file into the place of another, as rebuilding does, until it is stopped. */
const swapping = `
  const { workerData, parentPort } = require('node:worker_threads')
  const { renameSync, unlinkSync, writeFileSync } = require('node:fs')
  for (let at = 1, before = ''; ; at++) {
    const name = at.toString(16).padStart(12, '0') + '.sqlite'
    writeFileSync(workerData + '/' + name, '')
    writeFileSync(workerData + '/next', name + '\\n')
    renameSync(workerData + '/next', workerData + '/current')
    if (before !== '') unlinkSync(workerData + '/' + before)
    before = name
    if (at === 1 || at === 300) parentPort.postMessage(at)
  }`

describe('the database in use', () => {
  test('is none where the file that is named is not there', () => {
    expect(currentPath(home)).toBeNull()
    writeFileSync(join(indexFolder(home), 'current'), `${'0'.repeat(12)}.sqlite\n`)
    expect(currentPath(home)).toBeNull()
  })

  test('is never missed while another takes its place', async () => {
    const worker = new Worker(swapping, { eval: true, workerData: indexFolder(home) })
    try {
      await new Promise(there => worker.once('message', there))
      let isOver = false
      worker.once('message', () => (isOver = true))
      let misses = 0
      while (!isOver) {
        for (let look = 0; look < 50; look++) if (currentPath(home) === null) misses++
        await new Promise(next => setImmediate(next))
      }
      expect(misses).toBe(0)
    } finally {
      await worker.terminate()
    }
  })
})

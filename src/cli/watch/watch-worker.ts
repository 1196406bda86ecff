// A thread that refreshes archive and index whenever a watch asks for it. It decides nothing about when.

import { existsSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { surveyRoots } from '../../archive/capture/survey.ts'
import { ArchiveError } from '../../archive/format/error.ts'
import { openPlaces } from '../../archive/read/places.ts'
import { isLogName } from '../../disk/discover/project.ts'
import { refreshIndex } from '../../index/refresh/refresh.ts'
import { currentPath } from '../../index/store/open.ts'
import { NewerIndexError } from '../../index/store/schema.ts'
import { sizeText } from '../../view/words.ts'
import { keepInPassing } from '../auto-keep.ts'
import type { GlobalOptions } from '../command.ts'
import { sentence } from '../commands/archive/archive-open.ts'
import { indexScope, refreshOptions } from '../index-refresh.ts'
import type { FreshAnswer, FreshStart } from './watch-fresh.ts'

const { home, root, isRootNamed, stop } = workerData as FreshStart
const stopped = new Int32Array(stop)

/** A first index of more than this is not made behind somebody's back. */
const smallBytes = 64 * 1024 * 1024

// On Linux it is this thread alone that gives way to others.
if (process.platform === 'linux') {
  try {
    setPriority(0, 5)
  } catch {
    // Then it does not give way.
  }
}

parentPort?.on('message', async () => {
  parentPort?.postMessage(await answer())
})

async function answer(): Promise<FreshAnswer> {
  try {
    return await refresh()
  } catch (error) {
    if (error instanceof ArchiveError && error.code === 'locked') return { state: 'busy' }
    return { state: 'failed', message: `archive and index are not fresh: ${messageOf(error)}` }
  }
}

async function refresh(): Promise<FreshAnswer> {
  const globals: GlobalOptions = { ...(await openPlaces(home)), root, isRootNamed, json: false, quiet: true }
  const scope = indexScope(globals)
  // Nothing is there yet.
  if (scope.isSample) return { state: 'done' }
  if (currentPath(home) === null) {
    const bytes = logBytes(scope.roots)
    if (bytes > smallBytes) {
      await keepInPassing(globals)
      return { state: 'done', message: `${sizeText(bytes)} are not indexed yet; clew index refresh does it` }
    }
  }
  const isStopped = () => Atomics.load(stopped, 0) !== 0
  const report = await refreshIndex({ ...refreshOptions(globals, { waitMs: 0 }), isStopped })
  const failure = report.kept?.failure
  return failure === undefined
    ? { state: 'done' }
    : { state: 'failed', message: `not kept: ${sentence(failure.message)}` }
}

function logBytes(roots: readonly string[]): number {
  const { files } = surveyRoots(roots.filter(path => existsSync(path)))
  return files.reduce((sum, { path, state }) => sum + (isLogName(path) ? state.size : 0), 0)
}

function messageOf(error: unknown): string {
  if (error instanceof NewerIndexError || error instanceof ArchiveError) return sentence(error.message)
  return error instanceof Error ? error.message : String(error)
}

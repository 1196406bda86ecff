// Replaces a log by another text, at once and only after the archive has its bytes, so that restoring them undoes it. It does
// not ask whether the session is in use: that is use.ts.

import { readFileSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { capture } from '../archive/capture/capture.ts'
import { hasContent } from '../archive/capture/content.ts'
import { scopeOf } from '../archive/capture/survey.ts'
import type { Archive } from '../archive/store/archive.ts'
import { attempt } from '../base/attempt.ts'
import { sweepAside, writeWhole } from '../files/durable.ts'
import { writeFailure } from '../files/error.ts'
import { withLog } from './lease.ts'
import { WriteError } from './wire/error.ts'

export interface ReplaceOptions {
  /** Clew's own folder, for the lock. */
  clewHome: string
  waitMs?: number
}

const usualWaitMs = 10_000

/** Answers the generation of the archive that has the bytes that were replaced. Fails where the file is not `before` any more. */
export async function replaceLog(
  archive: Archive,
  path: string,
  { before, after }: { before: Uint8Array; after: Uint8Array },
  { clewHome, waitMs = usualWaitMs }: ReplaceOptions,
): Promise<number> {
  return withLog(archive.ops, path, { clewHome, waitMs, what: 'repair' }, async () => {
    refuseChanged(path, before)
    attempt(() => sweepAside(archive.ops, dirname(path), basename(path)))
    const generation = await archivedAs(archive, path)
    refuseChanged(path, before)
    put(archive, path, after)
    return generation
  })
}

function put({ ops }: Archive, path: string, bytes: Uint8Array): void {
  try {
    writeWhole(ops, path, bytes, statSync(path).mode & 0o7777)
  } catch (error) {
    throw writeFailure(error, path)
  }
}

function refuseChanged(path: string, before: Uint8Array): void {
  if (readFileSync(path).compare(before) !== 0)
    throw new WriteError('in-use', `${path} has changed meanwhile: something writes to it.`, path)
}

/** The generation with the bytes that are there now. */
async function archivedAs(archive: Archive, path: string): Promise<number> {
  const { failure } = await capture(archive, { roots: [path] })
  archive.reload()
  const { catalog } = archive.manifest
  const scope = scopeOf(path)
  for (const generation of catalog.of(scope?.home ?? '', scope?.parts[0]?.path ?? ''))
    if (await hasContent(path, generation, catalog)) return generation.number
  throw failure ?? new WriteError('not-found', `${path} could not be archived first, so it was not replaced.`, path)
}

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { chooseArchiveMode } from '../archive/store/mode.ts'
import { refreshOptionsOf, scopeOf } from './scope.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clew-scope-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('archives nothing in the background until someone chose that, and from then on without a restart', () => {
  const [home, claude] = [join(folder, 'own'), join(folder, 'claude')]
  mkdirSync(home)
  mkdirSync(claude)
  writeFileSync(join(home, 'config.json'), JSON.stringify({ roots: [claude] }))
  const scope = scopeOf({ home })
  expect(refreshOptionsOf(scope).archiveRoots).toEqual([])
  chooseArchiveMode(home, 'auto')
  expect(refreshOptionsOf(scope).archiveRoots).toEqual([claude])
  chooseArchiveMode(home, 'off')
  expect(refreshOptionsOf(scope).archiveRoots).toEqual([])
})

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { chooseArchiveMode } from '../archive/store/mode.ts'
import { refreshOptions } from './knows/index-refresh.ts'
import { openClew } from './open.ts'
import { findScope, scopeOf } from './scope.ts'

let folder: string
beforeEach(() => {
  vi.stubEnv('CLAUDE_CONFIG_DIR', '')
  folder = mkdtempSync(join(tmpdir(), 'clew-scope-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

it('archives nothing in the background until someone chose that, and from then on without a restart', async () => {
  const [home, claude] = [join(folder, 'own'), join(folder, 'claude')]
  mkdirSync(home)
  mkdirSync(claude)
  writeFileSync(join(home, 'config.json'), JSON.stringify({ roots: [claude] }))
  const clew = await openClew({ home })
  expect(refreshOptions(clew).archiveRoots).toEqual([])
  chooseArchiveMode(home, 'auto')
  expect(refreshOptions(clew).archiveRoots).toEqual([claude])
  expect(refreshOptions({ ...clew, isReadOnly: true }).archiveRoots).toEqual([])
  chooseArchiveMode(home, 'off')
  expect(refreshOptions(clew).archiveRoots).toEqual([])
})

it('is the samples until a first session, and never where homes were named or the samples are not wanted', () => {
  const claude = join(folder, '.claude')
  const home = join(folder, 'own')
  vi.stubEnv('HOME', folder)
  {
    const usual = { root: [], home, usesSample: true }
    expect(findScope(usual)).toMatchObject({ isSample: true, isScoped: true })
    expect(findScope({ ...usual, usesSample: false })).toEqual({ roots: [], isScoped: false, isSample: false })
    expect(findScope({ ...usual, root: [claude] })).toMatchObject({ roots: [claude], isSample: false, isScoped: true })
    const held = scopeOf(usual)
    mkdirSync(join(claude, 'projects', '-a'), { recursive: true })
    writeFileSync(join(claude, 'projects', '-a', 'one.jsonl'), '{}\n')
    expect(findScope(usual)).toEqual({ roots: [claude], isScoped: false, isSample: false })
    expect(scopeOf(usual)).toBe(held)
  }
})

import { mkdir, symlink } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeTestFolder, type TestFolder } from '../folder-testing.ts'
import { claudeHomes } from './homes.ts'

let folder: TestFolder
beforeEach(async () => {
  folder = await makeTestFolder()
})
afterEach(() => folder.remove())

const homes = (options: { roots?: string[]; env?: Record<string, string> } = {}) =>
  claudeHomes({ env: {}, ...options, homeDir: folder.root })

it('takes the roots that were named, with ~ expanded, and nothing else', async () => {
  await mkdir(folder.path('.claude'))
  const env = { CLAUDE_CONFIG_DIR: '/configured' }
  expect(homes({ roots: ['~', '~/x', '/a', '~other/x', 'rel'], env })).toEqual([
    folder.root,
    folder.path('x'),
    '/a',
    '~other/x',
    'rel',
  ])
})

it('takes CLAUDE_CONFIG_DIR before the usual places, even where it does not exist', async () => {
  await mkdir(folder.path('.claude'))
  expect(homes({ env: { CLAUDE_CONFIG_DIR: '/configured' } })).toEqual(['/configured'])
  expect(homes({ env: { CLAUDE_CONFIG_DIR: '~/c' } })).toEqual([folder.path('c')])
  expect(homes({ env: { CLAUDE_CONFIG_DIR: '' } })).toEqual([folder.path('.claude')])
})

it('splits CLAUDE_CONFIG_DIR at commas unless a folder has that very name', async () => {
  expect(homes({ env: { CLAUDE_CONFIG_DIR: '/a, /b,,/a' } })).toEqual(['/a', '/b'])
  await mkdir(folder.path('x,y'))
  expect(homes({ env: { CLAUDE_CONFIG_DIR: folder.path('x,y') } })).toEqual([folder.path('x,y')])
})

it('else takes those of the two usual places that exist', async () => {
  expect(homes()).toEqual([])
  await mkdir(folder.path('.config/claude'), { recursive: true })
  expect(homes()).toEqual([folder.path('.config/claude')])
  await mkdir(folder.path('.claude'))
  expect(homes()).toEqual([folder.path('.claude'), folder.path('.config/claude')])
})

it('names a place once where one of them is a link to the other', async () => {
  await mkdir(folder.path('.claude'))
  await mkdir(folder.path('.config'))
  await symlink(folder.path('.claude'), folder.path('.config/claude'))
  expect(homes()).toEqual([folder.path('.claude')])
})

import { mkdir, symlink } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { TestHome } from '../../../test/home.ts'
import { claudeHomes } from './homes.ts'

let folder: TestHome
beforeEach(async () => {
  folder = new TestHome()
})
afterEach(() => folder.remove())

const homes = (options: { roots?: string[]; env?: Record<string, string> } = {}) =>
  claudeHomes({ env: {}, ...options, homeDir: folder.home })

it('takes the roots that were named, with ~ expanded, and nothing else', async () => {
  await mkdir(folder.at('.claude'))
  const env = { CLAUDE_CONFIG_DIR: '/configured' }
  expect(homes({ roots: ['~', '~/x', '/a', '~other/x', 'rel'], env })).toEqual([
    folder.home,
    folder.at('x'),
    '/a',
    '~other/x',
    'rel',
  ])
})

it('takes CLAUDE_CONFIG_DIR before the usual places, even where it does not exist', async () => {
  await mkdir(folder.at('.claude'))
  expect(homes({ env: { CLAUDE_CONFIG_DIR: '/configured' } })).toEqual(['/configured'])
  expect(homes({ env: { CLAUDE_CONFIG_DIR: '~/c' } })).toEqual([folder.at('c')])
  expect(homes({ env: { CLAUDE_CONFIG_DIR: '' } })).toEqual([folder.at('.claude')])
})

it('splits CLAUDE_CONFIG_DIR at commas unless a folder has that very name', async () => {
  expect(homes({ env: { CLAUDE_CONFIG_DIR: '/a, /b,,/a' } })).toEqual(['/a', '/b'])
  await mkdir(folder.at('x,y'))
  expect(homes({ env: { CLAUDE_CONFIG_DIR: folder.at('x,y') } })).toEqual([folder.at('x,y')])
})

it('else takes those of the two usual places that exist', async () => {
  expect(homes()).toEqual([])
  await mkdir(folder.at('.config/claude'), { recursive: true })
  expect(homes()).toEqual([folder.at('.config/claude')])
  await mkdir(folder.at('.claude'))
  expect(homes()).toEqual([folder.at('.claude'), folder.at('.config/claude')])
})

it('names a place once where one of them is a link to the other', async () => {
  await mkdir(folder.at('.claude'))
  await mkdir(folder.at('.config'))
  await symlink(folder.at('.claude'), folder.at('.config/claude'))
  expect(homes()).toEqual([folder.at('.claude')])
})

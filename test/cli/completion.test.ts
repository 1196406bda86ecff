import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { withFolder } from '../home.ts'
import { clewHere } from './run.ts'

const script = async (shell: string): Promise<string> => (await clewHere(['completion', shell])).stdout

/** What bash offers for the last of these words, in a folder with a file and a folder. */
async function offered(...words: string[]): Promise<string[]> {
  return withFolder(async folder => {
    writeFileSync(join(folder, 'my session.jsonl'), '')
    mkdirSync(join(folder, 'logs'))
    writeFileSync(join(folder, 'clew.bash'), await script('bash'))
    const line = `source ./clew.bash; COMP_WORDS=(clew "$@"); COMP_CWORD=$#; _clew; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', line, 'bash', ...words], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    return stdout.split('\n').filter(word => word !== '' && word !== 'clew.bash')
  })
}

describe('clew completion bash', () => {
  it('is a script that bash reads', async () => {
    const { status, stderr } = spawnSync('bash', ['-n'], { input: await script('bash'), encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
  })

  it('offers every command, and flags of all', async () => {
    expect((await offered('')).sort()).toEqual(commands.map(command => command.name).sort())
    expect(await offered('ev')).toEqual(['events'])
    expect(await offered('--js')).toEqual(['--json'])
  })

  it('offers the flags of a command, wherever global flags are', async () => {
    expect(await offered('check', '--p')).toEqual(['--profile'])
    expect(await offered('--json', 'check', '--sa')).toEqual(['--sarif'])
    expect(await offered('tree', 'last', '--f')).toEqual(['--full'])
    expect(await offered('guide', '--f')).toEqual([])
  })

  it('offers the values of a flag, words of a command, and paths', async () => {
    expect(await offered('check', '--profile', 's')).toEqual(['s0', 's1', 's2', 's3', 's4'])
    expect(await offered('completion', '')).toEqual(['bash', 'zsh', 'fish'])
    expect(await offered('config', 's')).toEqual(['set'])
    expect((await offered('records', '')).sort()).toEqual(['logs', 'my session.jsonl'])
    expect(await offered('--root', 'my')).toEqual(['my session.jsonl'])
    expect(await offered('tree', 'la')).toEqual(['last'])
    expect(await offered('config', '')).toEqual(['list', 'path', 'get', 'set', 'unset'])
    expect(await offered('ls', '')).toEqual(['sessions', 'projects'])
    expect(await offered('usage', 'm')).toEqual(['monthly', 'model'])
    expect(await offered('usage', 'my')).toEqual([])
  })

  it('offers the same for the other names of a command', async () => {
    expect(await offered('list', '')).toEqual(['sessions', 'projects'])
    expect(await offered('cost', '--bre')).toEqual(['--breakdown'])
  })
})

describe('clew completion', () => {
  it.each(['zsh', 'fish'])('for %s has every command', async shell => {
    const text = await script(shell)
    for (const { name } of commands) expect(text).toMatch(new RegExp(`\\b${name}\\b`))
    expect(text).toContain('--profile'.slice(shell === 'fish' ? 2 : 0))
  })

  for (const shell of ['zsh', 'fish']) {
    it(`for ${shell} is a script that the shell reads`, { tags: shell }, () =>
      withFolder(async folder => {
        const file = join(folder, 'completion')
        writeFileSync(file, await script(shell))
        const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' })
        expect([status, stderr]).toEqual([0, ''])
      }),
    )
  }

  it('knows no other shell', async () => {
    for (const words of [['tcsh'], ['toString'], ['bash', 'zsh'], []]) {
      const { stdout, stderr, code } = await clewHere(['completion', ...words])
      expect([stdout, code]).toEqual(['', 2])
      expect(stderr).not.toBe('')
    }
  })
})

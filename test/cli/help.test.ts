// Help fits a screen, whatever is declared: at most 79 columns and 40 lines, with an example.

import { describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { clewHere } from './run.ts'

const mostLines = 40

describe('help', () => {
  it('knows commands by their other names', async () => {
    for (const [alias, name] of [
      ['list', 'ls'],
      ['cost', 'usage'],
    ] as const) {
      expect((await clewHere([alias, '--help'])).stdout).toBe((await clewHere([name, '--help'])).stdout)
    }
    expect((await clewHere(['ls', '-n', '2', '--root', 'samples/home', '--json'])).stdout.match(/"id"/g)).toHaveLength(
      2,
    )
  })

  it.each(commands.map(command => command.name))('of %s fits one screen and has an example', async name => {
    const { stdout, stderr, code } = await clewHere([name, '--help'])
    expect([code, stderr]).toEqual([0, ''])
    const lines = stdout.trimEnd().split('\n')
    expect(lines.filter(line => line.length > 79)).toEqual([])
    expect(lines.length).toBeLessThanOrEqual(mostLines)
    expect(stdout).toMatch(new RegExp(`Examples:\\n  .*clew ${name}\\b`))
    for (const flag of ['--root', '--json', '--timezone']) expect(stdout).toContain(flag)
  })

  it('of clew itself fits one screen and has every command on a line of its own', async () => {
    const { stdout, code } = await clewHere(['--help'])
    expect(code).toBe(0)
    const lines = stdout.trimEnd().split('\n')
    expect(lines.filter(line => line.length > 79)).toEqual([])
    expect(lines.length).toBeLessThanOrEqual(20 + commands.length + 10)
    for (const { name, summary } of commands)
      expect(lines.some(line => line.startsWith(`  ${name} `) && line.includes(summary.slice(0, 20)))).toBe(true)
  })
})

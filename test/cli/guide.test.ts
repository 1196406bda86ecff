import { describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { flagNames, globalOptions } from '../../src/cli/options.ts'
import { eventKind } from '../../src/schema/contract-shapes.ts'
import { schemaNames } from '../../src/schema/schema.ts'
import { samples } from '../home.ts'
import { clewHere } from './run.ts'

const page = (await clewHere(['guide'])).stdout
const lines = [...page.matchAll(/`(clew [a-z]+[^`]*)`/g)].map(found => found[1] ?? '')

describe('clew guide', () => {
  it('names every command, and nothing that is none', () => {
    for (const { name } of commands) expect(page).toContain(`clew ${name}`)
    const named = new Set(lines.map(line => line.split(/[ [<]/)[1]))
    expect([...named].filter(name => !commands.some(command => command.name === name))).toEqual([])
  })

  it('uses only flags that the commands take', () => {
    for (const line of lines) {
      const command = commands.find(({ name }) => name === line.split(' ')[1])
      const known = new Set([...(command?.options ?? []), ...globalOptions].flatMap(flagNames))
      for (const [flag] of (line.split('|')[0] ?? '').matchAll(/--[a-z-]+/g))
        expect([line, known.has(flag)]).toEqual([line, true])
    }
  })

  it('gives command lines that work on the sample history', async () => {
    const asked = lines.filter(line => /^clew (show|events|tree|context|stats) SESSION/.test(line))
    expect(asked.length).toBeGreaterThan(4)
    for (const line of asked) {
      const args = line
        .split(' ')
        .slice(1)
        .map(word => (word === 'SESSION' ? '57bae280' : word))
      const { stdout, stderr, code } = await clewHere([...args, '--root', samples])
      expect([line, code, stderr]).toEqual([line, 0, ''])
      expect(stdout).not.toBe('')
    }
  })

  it('reports the keys that the JSON has', async () => {
    for (const name of ['show', 'context', 'stats', 'tree']) {
      const shape = new RegExp(`\`clew ${name} --json\`: \`([^\`]*)\``).exec(page)?.[1] ?? ''
      const printed = (await clewHere([name, '57bae280', '--root', samples, '--json'])).stdout
      const keys = Object.keys(JSON.parse(printed))
      const outer = shape.replace(/^\{|\}$/g, '').replace(/\[?\{[^{}]*\}\]?/g, '')
      const named = [...outer.matchAll(/([a-zA-Z]+)(\??)/g)]
        .filter(found => found[2] === '')
        .map(found => found[1] ?? '')
      expect(named.length).toBeGreaterThan(3)
      expect(named.filter(key => !keys.includes(key))).toEqual([])
    }
  })

  it('names schemas and kinds of events that exist', () => {
    const names = [...page.matchAll(/clew schema ([a-z-]+)/g)].map(found => found[1] ?? '')
    expect(names.length).toBeGreaterThan(3)
    expect(names.filter(name => !schemaNames().includes(name))).toEqual([])
    for (const kind of eventKind().options) expect(page).toContain(kind)
  })
})

// Plain words: what users read avoids the project's old habits of speech. CONTRIBUTING.md lists what to write instead.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { builtinRules } from '../../src/check/builtin.ts'
import { ruleRows } from '../../src/check/table.ts'
import { commands } from '../../src/cli/commands.ts'
import { globalOptions } from '../../src/cli/options.ts'

/** Names of keys, rules and programs are in backquotes; output of the sample history is in blocks. */
const named = /```[\s\S]*?```|`[^`\n]*`/g
const habits =
  /\b(is|are) no (?!longer|more)(?<!there (is|are) no )|\b(holds?|stands?|beside|kept|anew|tells?|told|nobody|whoever|the client)\b/gi

function habitsIn(text: string): string[] {
  const said = text.replace(named, '').replace(/\s+/g, ' ')
  return [...said.matchAll(habits)].map(({ index }) => said.slice(Math.max(0, index - 40), index + 40))
}

const pages = ['docs', 'docs/format'].flatMap(folder =>
  readdirSync(folder)
    .filter(name => name.endsWith('.md'))
    .map(name => join(folder, name)),
)

describe('plain words', () => {
  it.each([...pages, 'README.md'])('are what %s uses', page => {
    expect(habitsIn(readFileSync(page, 'utf8'))).toEqual([])
  })

  it('are what the help of every command uses', () => {
    const texts = commands.flatMap(({ summary, description, argument, options, examples }) => [
      summary,
      description,
      argument?.description ?? '',
      ...options.map(option => option.description),
      ...examples.map(([, meaning]) => meaning),
    ])
    expect([...texts, ...globalOptions.map(({ description }) => description)].flatMap(habitsIn)).toEqual([])
  })

  it('are what findings and rules say', () => {
    expect([...builtinRules, ...ruleRows].flatMap(({ says }) => habitsIn(says))).toEqual([])
  })

  it('are told from the others', () => {
    expect(
      habitsIn('A line that is no JSON stands beside it. There is no index; it is no longer there, `kept`.'),
    ).toHaveLength(3)
  })
})

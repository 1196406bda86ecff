// Random lives of homes with many projects whose sessions share names, plans and side files: after every refresh the index is
// what a new one would be.

import { existsSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, it } from 'vitest'
import { isDeep, seedOr } from '../needs.ts'
import fc from '../property.ts'
import { type IndexFixture, proveIndex, withIndexFixture } from './index-fixture.ts'
import { talkBytes } from './talk.ts'

const projects = ['-a', '-b', '-c', '-d'] as const
const sessions = [1, 2, 3, 4, 5].map(n => `${n}0000000-0000-4000-8000-00000000000${n}`)
const other = '60000000-0000-4000-8000-000000000006'
const plans = ['quiet-fog', 'loud-sun'] as const

/** What may lie in a project for a session, and what may say that it is of another one. */
const places = {
  main: (project: string, name: string) => `projects/${project}/${name}.jsonl`,
  flatAgent: (project: string, name: string) => `projects/${project}/agent-${name.slice(0, 4)}.jsonl`,
  agent: (project: string, name: string) => `projects/${project}/${name}/subagents/agent-x1.jsonl`,
  loose: (_project: string, name: string) => `projects/${name}.jsonl`,
  history: (_project: string, _name: string) => 'history.jsonl',
} as const

const sides = {
  meta: (project: string, name: string) => `projects/${project}/${name}/subagents/agent-x1.meta.json`,
  spill: (project: string, name: string) => `projects/${project}/${name}/tool-results/toolu_1.txt`,
  spiltLog: (project: string, name: string) => `projects/${project}/${name}/tool-results/out.jsonl`,
  title: (project: string, name: string) => `projects/${project}/${name}/custom-title.json`,
  cast: (project: string, name: string) => `projects/${project}/${name}.cast`,
  todo: (_project: string, name: string) => `todos/${name}.json`,
  agentTodo: (_project: string, name: string) => `todos/${name}-agent-x1.json`,
  task: (_project: string, name: string) => `tasks/${name}/1.json`,
  history: (_project: string, name: string) => `file-history/${name}/0a@v1`,
  paste: (_project: string, name: string) => `paste-cache/${name}.txt`,
} as const

interface Step {
  kind: 'talk' | 'talk' | 'side' | 'plan' | 'prompt' | 'delete' | 'move' | 'rename' | 'hard' | 'soft'
  home: 0 | 1
  project: (typeof projects)[number]
  to: (typeof projects)[number]
  /** By which a file is called; `said` is the session that it names. */
  name: string
  said: string
  place: keyof typeof places
  side: keyof typeof sides
  plan: (typeof plans)[number] | null
  seed: number
}

const mostly = (own: string) => fc.oneof({ weight: 5, arbitrary: fc.constant(own) }, fc.constantFrom(...sessions))

const step: fc.Arbitrary<Step> = fc.constantFrom(...sessions).chain(name => {
  const home = projects[Number(name[0]) % projects.length] ?? '-a'
  const project = fc.oneof({ weight: 5, arbitrary: fc.constant(home) }, fc.constantFrom(...projects))
  return fc.record({
    kind: fc.oneof(
      { weight: 9, arbitrary: fc.constant('talk' as const) },
      { weight: 6, arbitrary: fc.constant('side' as const) },
      fc.constantFrom('plan', 'prompt', 'delete', 'delete', 'move', 'rename'),
    ),
    home: fc.constantFrom(0, 0, 0, 1),
    project,
    to: project,
    name: fc.constant(name),
    said: mostly(name),
    place: fc.constantFrom('main', 'main', 'main', 'flatAgent', 'agent', 'agent'),
    side: fc.constantFrom(...(Object.keys(sides) as (keyof typeof sides)[])),
    plan: fc.constantFrom(null, null, ...plans),
    seed: fc.nat(400),
  })
})

/** What is rarely in a home. */
const odd = step.chain(one =>
  fc
    .constantFrom(['hard', 'loose'], ['soft', 'loose'], ['talk', 'loose'], ['talk', 'history'])
    .map(([kind, place]) => ({ ...one, kind, place }) as Step),
)

function happen(fixture: IndexFixture, one: Step): void {
  const { kind, project, to, name, said, seed } = one
  const home = one.home === 0 ? fixture.one : fixture.two
  const path = places[one.place](project, name)
  const put = (at: string, bytes: string | Buffer) =>
    existsSync(home.at(at)) ? home.append(at, bytes) : home.write(at, bytes)
  if (kind === 'talk') {
    const agent = /agent-(\w+)\.jsonl$/.exec(path)?.[1]
    put(path, talkBytes({ session: said, seed, turns: 1 + (seed % 2), ...(agent !== undefined && { agent }) }))
    if (one.plan !== null) put(path, `${JSON.stringify({ type: 'mode', slug: one.plan, sessionId: said })}\n`)
  } else if (kind === 'side') put(sides[one.side](project, name), `{"agentType":"x${seed}"}`)
  else if (kind === 'plan') put(`plans/${one.plan ?? 'quiet-fog'}.md`, `plan ${seed}`)
  else if (kind === 'prompt')
    put('history.jsonl', `${JSON.stringify({ display: 'x', sessionId: said, timestamp: seed })}\n`)
  else if (kind === 'delete') rmSync(home.at(seed % 2 === 0 ? path : sides[one.side](project, name)), { force: true })
  else if (kind === 'rename') moveAway(home.at(`projects/${project}`), home.at(`projects/${to}`), renameSync)
  else {
    const target = home.at(places.main(to, said))
    const way = kind === 'move' ? renameSync : kind === 'hard' ? linkSync : symlinkSync
    moveAway(home.at(places.main(project, name)), target, way)
  }
}

function moveAway(from: string, to: string, way: (from: string, to: string) => void): void {
  if (!existsSync(from) || existsSync(to)) return
  mkdirSync(dirname(to), { recursive: true })
  way(from, to)
}

async function live(steps: readonly Step[]): Promise<void> {
  await withIndexFixture(async fixture => {
    for (const home of [fixture.one, fixture.two]) home.write('settings.json', '{}')
    for (const [n, session] of sessions.entries()) {
      fixture.one.write(
        places.main(projects[(n + 1) % projects.length] ?? '', session),
        talkBytes({ session, seed: n, turns: 1 }),
      )
    }
    fixture.two.write(places.main('-e', other), talkBytes({ session: other, seed: 9, turns: 1 }))
    const options = fixture.options()
    await fixture.refresh(options)
    for (const one of steps) {
      happen(fixture, one)
      await fixture.refresh(options)
      await proveIndex(options).catch(error => {
        throw new Error(`after ${JSON.stringify(one)}: ${error.message}`)
      })
    }
  })
}

describe('a refresh of many projects', () => {
  const seed = seedOr(7)
  const numRuns = isDeep ? 60 : 5

  it('gives the index that a new one would be', { timeout: 3_600_000 }, async () => {
    const life = fc.array(fc.oneof({ weight: 30, arbitrary: step }, odd), { minLength: 5, maxLength: 14, size: 'max' })
    await fc.assert(fc.asyncProperty(life, live), { seed, numRuns })
  })
})

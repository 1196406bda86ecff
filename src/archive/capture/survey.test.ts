import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sessionA, sessionB, type World, withWorld } from '../../../test/archive/world.ts'
import { type Survey, scopeOf, survey } from './survey.ts'

function surveyOf(...roots: string[]): Survey {
  return survey(roots.map(scopeOf).filter(scope => scope !== null))
}

const pathsOf = ({ files }: Survey) => files.map(file => file.path).sort()

const log = `projects/-p/${sessionA}.jsonl`

/** Acts as a user who may not read everything. */
function asNobody(work: () => void): void {
  const isRoot = process.getuid?.() === 0
  if (isRoot) process.seteuid?.(65_534)
  try {
    work()
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
}

describe('the survey of a home', () => {
  it('finds everything that sessions own and nothing else', async () => {
    await withWorld(world => {
      const owned = [
        ...[
          log,
          `projects/-p/${sessionA}/subagents/agent-1.jsonl`,
          `projects/-p/${sessionA}/subagents/agent-1.meta.json`,
        ],
        ...[`projects/-p/${sessionA}/tool-results/deep/er/out.txt`, `projects/-p/${sessionA}.cast`],
        ...[`projects/-p/${sessionA}.jsonl.backup`, 'projects/-p/agent-2.jsonl', 'projects/-p/agent-2.meta.json'],
        ...[
          `projects/-p/${sessionB}/subagents/agent-3.jsonl`,
          'projects/-p/sessions-index.json',
          'projects/loose.jsonl',
        ],
        ...[`todos/${sessionA}.json`, `tasks/${sessionA}/1.json`, `file-history/${sessionA}/a@v1`, 'plans/fog.md'],
        ...['history.jsonl', 'conversations/_p/2026-04-06T18-30-00.jsonl', 'projects/-p/UPPER.JSONL'],
      ].sort()
      const others = [
        ...['settings.json', '.credentials.json', 'debug/log.txt', 'statsig/x', 'shell-snapshots/a.sh', 'CLAUDE.md'],
        ...['projects/-p/memory/notes.md', 'projects/-p/other.txt', 'projects/readme.md', 'plugins/x/y.js'],
      ]
      for (const path of [...owned, ...others]) world.write(path, path)
      const found = surveyOf(world.home)
      expect(pathsOf(found)).toEqual(owned)
      expect(found.findings).toEqual([])
      // Given twice and by its parts, each file is there once.
      const again = surveyOf(world.home, world.home, world.at('projects'), world.at('projects/-p'), world.at(log))
      expect(pathsOf(again)).toEqual(owned)
      expect(new Set(again.files.map(file => file.home))).toEqual(new Set([world.home]))
    })
  })

  it('tells how each file looks without opening it', async () => {
    await withWorld(world => {
      chmodSync(world.write(log, 'twelve bytes'), 0o640)
      const [file] = surveyOf(world.home).files
      expect(file).toMatchObject({
        place: world.at(log),
        mode: 0o640,
        state: { size: 12, identity: world.identity(log) },
      })
    })
  })

  it('follows no link out of the home and tells of it', async () => {
    await withWorld(world => {
      const outside = join(world.root, 'outside')
      mkdirSync(join(outside, sessionB), { recursive: true })
      writeFileSync(join(outside, 'secret.jsonl'), 'secret')
      writeFileSync(join(outside, sessionB, 'secret.txt'), 'secret')
      world.write(log, 'x')
      const links = [
        'projects/-q',
        `projects/-p/${sessionB}.jsonl`,
        `projects/-p/${sessionB}`,
        'todos',
        'history.jsonl',
      ]
      links.push('projects/loose.jsonl', `projects/-p/${sessionA}/tool-results`)
      for (const path of links) {
        mkdirSync(join(world.at(path), '..'), { recursive: true })
        symlinkSync(/jsonl$/.test(path) ? join(outside, 'secret.jsonl') : outside, world.at(path))
      }
      const { files, findings } = surveyOf(world.home)
      expect(files.map(file => file.path)).toEqual([log])
      expect(findings.map(({ code, file }) => [code, file]).sort()).toEqual(
        links.map(path => ['link-out-of-home', world.at(path)]).sort(),
      )
      expect(findings[0]?.message).toContain(outside)
    })
  })

  it('follows no link out where the whole folder of projects is one', async () => {
    await withWorld(world => {
      const outside = join(world.root, 'outside')
      mkdirSync(join(outside, '-p'), { recursive: true })
      writeFileSync(join(outside, '-p', `${sessionA}.jsonl`), 'x')
      symlinkSync(outside, world.at('projects'))
      const { files, findings } = surveyOf(world.home)
      expect(files).toEqual([])
      expect(findings.map(({ code }) => code)).toEqual(['link-out-of-home'])
      // What it leads to can be archived by its own name.
      expect(pathsOf(surveyOf(outside))).toEqual([`-p/${sessionA}.jsonl`])
    })
  })

  it('ignores links inside the home, to nowhere and in circles', async () => {
    await withWorld(world => {
      world.write(log, 'x')
      symlinkSync(world.at(log), world.at(`projects/-p/${sessionB}.jsonl`))
      symlinkSync(world.at('projects/-p'), world.at('projects/-q'))
      symlinkSync('nowhere', world.at('projects/-p/gone.jsonl'))
      symlinkSync('round.jsonl', world.at('projects/-p/round.jsonl'))
      const { files, findings } = surveyOf(world.home)
      expect(files.map(file => file.path)).toEqual([log])
      expect(findings).toEqual([])
    })
  })

  it('may itself be given by a link', async () => {
    await withWorld(world => {
      world.write(log, 'x')
      const link = join(world.root, 'link')
      symlinkSync(world.home, link)
      expect(surveyOf(link).files).toMatchObject([{ home: world.home, path: log }])
    })
  })

  it('opens no FIFO and takes no socket, device or folder for a file', async () => {
    await withWorld(world => {
      world.write(log, 'x')
      for (const path of [`projects/-p/${sessionB}.jsonl`, 'history.jsonl', 'projects/pipe.jsonl']) {
        execFileSync('mkfifo', [world.at(path)])
      }
      mkdirSync(world.at('projects/-p/folder.jsonl'))
      const { files, findings } = surveyOf(world.home)
      expect(files.map(file => file.path)).toEqual([log])
      expect(findings).toEqual([])
      expect(surveyOf(world.at('projects/pipe.jsonl')).files).toEqual([])
    })
  })

  it('reports what it may not look at, and finds the rest', { tags: 'posix' }, async () => {
    await withWorld(world => {
      world.write(log, 'x')
      world.write(`projects/-closed/${sessionB}.jsonl`, 'x')
      world.write(`todos/${sessionA}.json`, 'x')
      world.write('plans/fog.md', 'x')
      chmodSync(world.root, 0o755)
      chmodSync(world.home, 0o755)
      chmodSync(world.at('projects/-closed'), 0)
      chmodSync(world.at('todos'), 0o444)
      asNobody(() => {
        const found = surveyOf(world.home)
        expect(pathsOf(found)).toEqual(['plans/fog.md', log].sort())
        expect(found.findings.map(({ code, file }) => [code, file]).sort()).toEqual([
          ['unreadable-file', world.at('projects/-closed')],
          ['unreadable-file', world.at(`todos/${sessionA}.json`)],
        ])
      })
    })
  })

  it('reports, and does not throw, where the names in a home can be seen but not looked at', {
    tags: 'posix',
  }, async () => {
    await withWorld(world => {
      world.write(log, 'x')
      world.write('history.jsonl', 'x')
      chmodSync(world.root, 0o755)
      chmodSync(world.home, 0o444)
      asNobody(() => {
        const { files, findings } = surveyOf(world.home)
        expect(files).toEqual([])
        expect(findings.length).toBeGreaterThan(0)
      })
      chmodSync(world.home, 0o755)
    })
  })

  it('tells of a folder that was deleted after it was chosen', async () => {
    await withWorld(world => {
      world.write(log, 'x')
      const scope = scopeOf(world.home)
      rmSync(world.at('projects'), { recursive: true })
      const { files, findings } = survey(scope === null ? [] : [scope])
      expect(files).toEqual([])
      expect(findings).toMatchObject([{ code: 'vanished-file', file: world.at('projects') }])
    })
  })
})

describe('a folder of other things', () => {
  /** Someone's home folder: its projects are programs. */
  function codeIn(world: World): void {
    for (const path of [
      ...['projects/app/src/main.ts', 'projects/app/package.json', 'projects/app/.github/workflows/ci.yml'],
      ...['projects/app/lib/workflows/run.ts', 'projects/app/README.md', 'projects/app/.env'],
      ...['projects/ml/train.py', 'projects/ml/train/model.py', 'projects/ml/train.jsonl', 'projects/notes.txt'],
      ...['todos/private.txt', 'plans/private.md', 'tasks/private.txt', 'history.txt', 'settings.json'],
    ]) {
      world.write(path, path)
    }
  }

  it.each(['mira', 'claude'])('called %s whose projects are programs gives no source code', async name => {
    await withWorld(world => {
      codeIn(world)
      for (const root of [world.home, world.at('projects')]) {
        expect(pathsOf(surveyOf(root))).toEqual(['projects/ml/train.jsonl'])
      }
      expect(pathsOf(surveyOf(world.at('projects/app')))).toEqual([])
      expect(pathsOf(surveyOf(world.at('projects/ml')))).toEqual(['projects/ml/train.jsonl'])
      expect(pathsOf(surveyOf(world.at('projects/ml/train.jsonl')))).toContain('projects/ml/train.jsonl')
    }, name)
  })

  it('still gives the sessions that lie among them', async () => {
    await withWorld(world => {
      codeIn(world)
      world.write(`projects/app/${sessionA}.jsonl`, 'x')
      world.write(`projects/app/${sessionA}/tool-results/o.txt`, 'x')
      world.write('projects/app/named/subagents/agent-1.jsonl', 'x')
      expect(pathsOf(surveyOf(world.home))).toEqual([
        `projects/app/${sessionA}.jsonl`,
        `projects/app/${sessionA}/tool-results/o.txt`,
        'projects/app/named/subagents/agent-1.jsonl',
        'projects/ml/train.jsonl',
      ])
    }, 'mira')
  })
})

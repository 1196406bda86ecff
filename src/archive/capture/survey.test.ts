import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Fixture, sessionA, sessionB, withFixture } from '../../../test/archive/fixture.ts'
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
    await withFixture(fixture => {
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
      for (const path of [...owned, ...others]) fixture.write(path, path)
      const found = surveyOf(fixture.home)
      expect(pathsOf(found)).toEqual(owned)
      expect(found.findings).toEqual([])
      // Given twice and by its parts, each file is there once.
      const again = surveyOf(
        fixture.home,
        fixture.home,
        fixture.at('projects'),
        fixture.at('projects/-p'),
        fixture.at(log),
      )
      expect(pathsOf(again)).toEqual(owned)
      expect(new Set(again.files.map(file => file.home))).toEqual(new Set([fixture.home]))
    })
  })

  it('reports how each file looks without opening it', async () => {
    await withFixture(fixture => {
      chmodSync(fixture.write(log, 'twelve bytes'), 0o640)
      const [file] = surveyOf(fixture.home).files
      expect(file).toMatchObject({
        place: fixture.at(log),
        mode: 0o640,
        state: { size: 12, identity: fixture.identity(log) },
      })
    })
  })

  it('follows no link out of the home and reports it', async () => {
    await withFixture(fixture => {
      const outside = join(fixture.folder, 'outside')
      mkdirSync(join(outside, sessionB), { recursive: true })
      writeFileSync(join(outside, 'secret.jsonl'), 'secret')
      writeFileSync(join(outside, sessionB, 'secret.txt'), 'secret')
      fixture.write(log, 'x')
      const links = [
        'projects/-q',
        `projects/-p/${sessionB}.jsonl`,
        `projects/-p/${sessionB}`,
        'todos',
        'history.jsonl',
      ]
      links.push('projects/loose.jsonl', `projects/-p/${sessionA}/tool-results`)
      for (const path of links) {
        mkdirSync(join(fixture.at(path), '..'), { recursive: true })
        symlinkSync(/jsonl$/.test(path) ? join(outside, 'secret.jsonl') : outside, fixture.at(path))
      }
      const { files, findings } = surveyOf(fixture.home)
      expect(files.map(file => file.path)).toEqual([log])
      expect(findings.map(({ code, file }) => [code, file]).sort()).toEqual(
        links.map(path => ['link-out-of-home', fixture.at(path)]).sort(),
      )
      expect(findings[0]?.message).toContain(outside)
    })
  })

  it('follows no link out where the whole folder of projects is one', async () => {
    await withFixture(fixture => {
      const outside = join(fixture.folder, 'outside')
      mkdirSync(join(outside, '-p'), { recursive: true })
      writeFileSync(join(outside, '-p', `${sessionA}.jsonl`), 'x')
      symlinkSync(outside, fixture.at('projects'))
      const { files, findings } = surveyOf(fixture.home)
      expect(files).toEqual([])
      expect(findings.map(({ code }) => code)).toEqual(['link-out-of-home'])
      // What it leads to can be archived by its own name.
      expect(pathsOf(surveyOf(outside))).toEqual([`-p/${sessionA}.jsonl`])
    })
  })

  it('ignores links inside the home, to nowhere and in circles', async () => {
    await withFixture(fixture => {
      fixture.write(log, 'x')
      symlinkSync(fixture.at(log), fixture.at(`projects/-p/${sessionB}.jsonl`))
      symlinkSync(fixture.at('projects/-p'), fixture.at('projects/-q'))
      symlinkSync('nowhere', fixture.at('projects/-p/gone.jsonl'))
      symlinkSync('round.jsonl', fixture.at('projects/-p/round.jsonl'))
      const { files, findings } = surveyOf(fixture.home)
      expect(files.map(file => file.path)).toEqual([log])
      expect(findings).toEqual([])
    })
  })

  it('may itself be given by a link', async () => {
    await withFixture(fixture => {
      fixture.write(log, 'x')
      const link = join(fixture.folder, 'link')
      symlinkSync(fixture.home, link)
      expect(surveyOf(link).files).toMatchObject([{ home: fixture.home, path: log }])
    })
  })

  it('opens no FIFO and takes no socket, device or folder for a file', async () => {
    await withFixture(fixture => {
      fixture.write(log, 'x')
      for (const path of [`projects/-p/${sessionB}.jsonl`, 'history.jsonl', 'projects/pipe.jsonl']) {
        execFileSync('mkfifo', [fixture.at(path)])
      }
      mkdirSync(fixture.at('projects/-p/folder.jsonl'))
      const { files, findings } = surveyOf(fixture.home)
      expect(files.map(file => file.path)).toEqual([log])
      expect(findings).toEqual([])
      expect(surveyOf(fixture.at('projects/pipe.jsonl')).files).toEqual([])
    })
  })

  it('reports what it may not look at, and finds the rest', { tags: 'posix' }, async () => {
    await withFixture(fixture => {
      fixture.write(log, 'x')
      fixture.write(`projects/-closed/${sessionB}.jsonl`, 'x')
      fixture.write(`todos/${sessionA}.json`, 'x')
      fixture.write('plans/fog.md', 'x')
      chmodSync(fixture.folder, 0o755)
      chmodSync(fixture.home, 0o755)
      chmodSync(fixture.at('projects/-closed'), 0)
      chmodSync(fixture.at('todos'), 0o444)
      asNobody(() => {
        const found = surveyOf(fixture.home)
        expect(pathsOf(found)).toEqual(['plans/fog.md', log].sort())
        expect(found.findings.map(({ code, file }) => [code, file]).sort()).toEqual([
          ['unreadable-file', fixture.at('projects/-closed')],
          ['unreadable-file', fixture.at(`todos/${sessionA}.json`)],
        ])
      })
    })
  })

  it('reports, and does not throw, where the names in a home can be seen but not looked at', {
    tags: 'posix',
  }, async () => {
    await withFixture(fixture => {
      fixture.write(log, 'x')
      fixture.write('history.jsonl', 'x')
      chmodSync(fixture.folder, 0o755)
      chmodSync(fixture.home, 0o444)
      asNobody(() => {
        const { files, findings } = surveyOf(fixture.home)
        expect(files).toEqual([])
        expect(findings.length).toBeGreaterThan(0)
      })
      chmodSync(fixture.home, 0o755)
    })
  })

  it('reports a folder that was deleted after it was chosen', async () => {
    await withFixture(fixture => {
      fixture.write(log, 'x')
      const scope = scopeOf(fixture.home)
      rmSync(fixture.at('projects'), { recursive: true })
      const { files, findings } = survey(scope === null ? [] : [scope])
      expect(files).toEqual([])
      expect(findings).toMatchObject([{ code: 'vanished-file', file: fixture.at('projects') }])
    })
  })
})

describe('a folder of other things', () => {
  /** Someone's home folder: its projects are programs. */
  function codeIn(fixture: Fixture): void {
    for (const path of [
      ...['projects/app/src/main.ts', 'projects/app/package.json', 'projects/app/.github/workflows/ci.yml'],
      ...['projects/app/lib/workflows/run.ts', 'projects/app/README.md', 'projects/app/.env'],
      ...['projects/ml/train.py', 'projects/ml/train/model.py', 'projects/ml/train.jsonl', 'projects/notes.txt'],
      ...['todos/private.txt', 'plans/private.md', 'tasks/private.txt', 'history.txt', 'settings.json'],
    ]) {
      fixture.write(path, path)
    }
  }

  it.each(['mira', 'claude'])('called %s whose projects are programs gives no source code', async name => {
    await withFixture(fixture => {
      codeIn(fixture)
      for (const root of [fixture.home, fixture.at('projects')]) {
        expect(pathsOf(surveyOf(root))).toEqual(['projects/ml/train.jsonl'])
      }
      expect(pathsOf(surveyOf(fixture.at('projects/app')))).toEqual([])
      expect(pathsOf(surveyOf(fixture.at('projects/ml')))).toEqual(['projects/ml/train.jsonl'])
      expect(pathsOf(surveyOf(fixture.at('projects/ml/train.jsonl')))).toContain('projects/ml/train.jsonl')
    }, name)
  })

  it('still gives the sessions that are among them', async () => {
    await withFixture(fixture => {
      codeIn(fixture)
      fixture.write(`projects/app/${sessionA}.jsonl`, 'x')
      fixture.write(`projects/app/${sessionA}/tool-results/o.txt`, 'x')
      fixture.write('projects/app/named/subagents/agent-1.jsonl', 'x')
      expect(pathsOf(surveyOf(fixture.home))).toEqual([
        `projects/app/${sessionA}.jsonl`,
        `projects/app/${sessionA}/tool-results/o.txt`,
        'projects/app/named/subagents/agent-1.jsonl',
        'projects/ml/train.jsonl',
      ])
    }, 'mira')
  })
})

import { statSync, utimesSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Fixture, run, withFixture } from '../../../test/archive/fixture.ts'
import { diskTree } from '../../disk/discover/tree.ts'
import { ArchivedFiles, type Contents } from './contents.ts'

const path = 'projects/-p/a.jsonl'

function contentsOf(fixture: Fixture, source = diskTree.source): Contents {
  const archive = fixture.archive()
  const file = diskTree.stat(fixture.at(path))
  if (file.kind !== 'file') throw new Error('no file')
  return new ArchivedFiles(archive, source).contentsOf(file, archive.manifest.catalog.of(fixture.home, path))
}

/** Another content of the same length, with the time of the former. */
function rewrite(fixture: Fixture, content: string): void {
  const { atime, mtime } = statSync(fixture.at(path))
  fixture.write(path, content)
  utimesSync(fixture.at(path), atime, mtime)
}

test('a log that was rewritten with its length and time has a new content, and one before', async () => {
  await withFixture(async fixture => {
    fixture.write(path, `{"n":1}\n${'x'.repeat(9000)}\n`)
    await run(fixture)
    rewrite(fixture, `{"n":2}\n${'x'.repeat(9000)}\n`)
    expect(contentsOf(fixture)).toMatchObject({ number: 2, earlier: [{ number: 1 }] })
  })
})

test('a log that only grew has the content that was archived', async () => {
  await withFixture(async fixture => {
    fixture.write(path, '{"n":1}\n')
    await run(fixture)
    fixture.append(path, '{"n":2}\n')
    expect(contentsOf(fixture)).toEqual({ number: 1, earlier: [] })
  })
})

test('a log that looks as it did when it was archived is not read', async () => {
  await withFixture(async fixture => {
    fixture.aheadMs = 5000
    fixture.write(path, '{"n":1}\n')
    await run(fixture)
    const readSync = () => {
      throw new Error('it was read')
    }
    expect(contentsOf(fixture, { ...diskTree.source, readSync })).toEqual({ number: 1, earlier: [] })
  })
})

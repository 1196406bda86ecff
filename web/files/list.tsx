// The files that a session touched: those that it changed first, with lines added and removed, then those that it only read.

import { useState } from 'react'
import { visibleLine } from '../../src/render/safe-text.ts'
import { countOf, countText } from '../../src/view/words.ts'
import { Link } from '../route.ts'
import { filesWith, type NamedFile } from './touched.ts'

/** Fewer files need no field to find one in. */
const manyFiles = 12

export interface FileListProps {
  files: readonly NamedFile[]
  session: string
  chosen: number | undefined
}

export function FileList({ files, session, chosen }: FileListProps) {
  const [text, setText] = useState('')
  const found = filesWith(files, text)
  const changed = found.filter(({ file }) => isChanged(file))
  const read = found.filter(({ file }) => !isChanged(file))
  return (
    <nav className="file-list" aria-label="Files">
      {files.length > manyFiles ? (
        <input
          type="search"
          className="file-find"
          placeholder="Find a file"
          aria-label="Find a file"
          value={text}
          onChange={event => setText(event.target.value)}
        />
      ) : null}
      <Group title={`${countOf(changed.length, 'file')} changed`} files={changed} session={session} chosen={chosen} />
      <Group title={`${countOf(read.length, 'file')} only read`} files={read} session={session} chosen={chosen} />
      {found.length === 0 ? <p className="file-none">No file matches.</p> : null}
    </nav>
  )
}

function isChanged({ steps }: NamedFile['file']): boolean {
  return steps.some(({ kind }) => kind !== 'read')
}

function Group({ title, files, session, chosen }: FileListProps & { title: string }) {
  if (files.length === 0) return null
  return (
    <section>
      <h2 className="row-heading">{title}</h2>
      <ul>
        {files.map(({ at, file, folder, name }) => (
          <li key={at}>
            <Link
              className="file-row"
              route={{ screen: 'files', session, query: { file: String(at) } }}
              title={file.path}
              {...(chosen === at && { 'aria-current': true as const })}
            >
              <span className="file-name">{visibleLine(name)}</span>
              <span className="file-counts">
                <Changes added={file.added} removed={file.removed} />
                {isChanged(file) && file.added + file.removed > 0 ? null : <FileNote file={file} />}
              </span>
              <span className="file-folder">
                <bdi>{visibleLine(folder)}</bdi>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

function FileNote({ file }: Pick<NamedFile, 'file'>) {
  if (file.steps.some(({ kind, status }) => kind !== 'read' && status === 'failed')) return <span>failed</span>
  return <span>{file.reads === 1 ? 'read' : `read ${countText(file.reads)}×`}</span>
}

/** `+3 −1`; nothing where no line changed. */
export function Changes({ added, removed }: { added: number; removed: number }) {
  if (added + removed === 0) return null
  return (
    <span className="file-changes">
      <span className="file-added">
        <span className="unseen">lines added: </span>+{countText(added)}
      </span>{' '}
      <span className="file-removed">
        <span className="unseen">removed: </span>−{countText(removed)}
      </span>
    </span>
  )
}

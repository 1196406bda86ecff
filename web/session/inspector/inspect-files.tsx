// The files that the session touched, those that it changed first.

import { visibleLine } from '../../../src/render/safe-text.ts'
import type { FileTouched } from '../../../src/view/reading.ts'
import { useAsync, useReader } from '../../reader.ts'
import { Link } from '../../route.ts'

const mostFiles = 9

export interface FilesTouchedProps {
  session: string
  cwd: string | null
  /** Changes when there may be more. */
  version: number
}

export function FilesTouched({ session, cwd, version }: FilesTouchedProps) {
  const reader = useReader()
  const { value: files } = useAsync(() => reader.files(), [reader, version])
  if (!files || files.length === 0) return null
  const sorted = files
    .map((file, at) => ({ file, at }))
    .sort((a, b) => weightOf(b.file) - weightOf(a.file))
    .slice(0, mostFiles)
  return (
    <section>
      <h2>
        <Link route={{ screen: 'files', session, query: {} }}>Files</Link>{' '}
        <span className="inspect-count">{files.length.toLocaleString('en-US')}</span>
      </h2>
      <ul className="inspect-files">
        {sorted.map(({ file, at }) => (
          <li key={file.path}>
            <Link route={{ screen: 'files', session, query: { file: String(at) } }} title={file.path}>
              <bdi>{visibleLine(shortPath(file.path, cwd))}</bdi>
            </Link>
            <Changes file={file} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Changes({ file }: { file: FileTouched }) {
  if (file.added + file.removed === 0) return <span className="faint">read</span>
  return (
    <span className="mono">
      <span className="mark-good">+{file.added}</span> <span className="mark-bad">−{file.removed}</span>
    </span>
  )
}

function weightOf(file: FileTouched): number {
  return (file.added + file.removed) * 1000 + file.steps.length
}

function shortPath(path: string, cwd: string | null): string {
  return cwd !== null && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path
}

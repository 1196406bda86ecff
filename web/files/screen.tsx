// Files: what a session did with the files that it touched. On a narrow screen list and file are pages of their own.

import { useEffect, useMemo, useRef } from 'react'
import { visibleLine } from '../../src/render/safe-text.ts'
import type { FileTouched } from '../../src/view/reading.ts'
import { countOf } from '../../src/view/words.ts'
import { useKeys } from '../keys.ts'
import { CopyButton } from '../parts/copy.tsx'
import { type Async, useAsync, useHead, useOutline, useReader } from '../reader.ts'
import { Link, navigate, useRoute } from '../route.ts'
import { Empty, Failure, Skeleton } from '../shell/states.tsx'
import { Changes, FileList } from './list.tsx'
import { Steps } from './steps.tsx'
import { type NamedFile, namedFiles } from './touched.ts'
import '../parts/parts.css'
import '../parts/code.css'
import './files.css'

export default function FilesScreen() {
  const reader = useReader()
  const { value: head } = useHead()
  const files = useFiles()
  const { query } = useRoute()
  const named = useMemo(() => namedFiles(files.value ?? [], head?.project.cwd ?? null), [files.value, head])
  const asked = query['file']
  const chosen = asked === undefined ? undefined : named.find(({ at }) => String(at) === asked)
  useFileKeys(named, chosen?.at, reader.id)
  if (files.error) return <Failure error={files.error} title="The files could not be listed" retry={files.reload} />
  if (!files.value) return <Skeleton rows={10} isWaiting className="files" />
  if (named.length === 0) {
    return (
      <Empty title="No file was touched">
        <p>No tool of this session read or changed a file. What commands in a shell did to files is not in its log.</p>
      </Empty>
    )
  }
  const shown = chosen ?? named[0]
  return (
    <div className="files" data-chosen={chosen !== undefined}>
      <FileList files={named} session={reader.id} chosen={shown?.at} />
      {shown ? <OneFile key={shown.at} named={shown} /> : null}
    </div>
  )
}

/** Asked for again when the session grew; what was there stays meanwhile. */
function useFiles(): Async<FileTouched[]> {
  const reader = useReader()
  const outline = useOutline()
  const files = useAsync(() => reader.files(), [reader, outline.value?.ids.length])
  const last = useRef<FileTouched[]>(undefined)
  useEffect(() => {
    if (files.value) last.current = files.value
  }, [files.value])
  const value = files.value ?? last.current
  return value === undefined ? files : { ...files, value }
}

function useFileKeys(named: readonly NamedFile[], chosen: number | undefined, session: string): void {
  const go = (step: number) => {
    const at = Math.min(named.length - 1, Math.max(0, (chosen ?? 0) + step))
    if (named.length > 0) navigate({ screen: 'files', session, query: { file: String(at) } }, { replace: true })
  }
  useKeys(
    {
      j: ['next file', () => go(1)],
      k: ['previous file', () => go(-1)],
    },
    'Files',
  )
}

function OneFile({ named }: { named: NamedFile }) {
  const reader = useReader()
  const { value: head } = useHead()
  const { file } = named
  const changes = file.steps.filter(({ kind }) => kind !== 'read').length
  return (
    <section className="file-page" aria-label={`Steps of ${visibleLine(named.name)}`}>
      <header className="file-head">
        <Link className="file-back" route={{ screen: 'files', session: reader.id, query: {} }}>
          ← All files
        </Link>
        <h2>
          <span className="file-path">
            <span className="soft">{visibleLine(named.folder)}</span>
            {visibleLine(named.name)}
          </span>
          <CopyButton text={() => file.path} what="path" />
        </h2>
        <p className="file-sum">
          <Changes added={file.added} removed={file.removed} />
          {changes > 0 ? <span>{countOf(changes, 'change')}</span> : null}
          {file.reads > 0 ? <span>{countOf(file.reads, 'read')}</span> : null}
        </p>
      </header>
      <Steps named={named} session={reader.id} head={head} />
    </section>
  )
}

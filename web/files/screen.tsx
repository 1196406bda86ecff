// The Files screen: every file that the session read or changed, and the steps of the chosen one.

import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { countOf, countText } from '../../src/base/format.ts'
import { visibleLine } from '../../src/render/safe-text.ts'
import type { FileStep, FileTouched, SessionHead } from '../../src/view/reading.ts'
import type { DiffPart, ViewItem, ViewPart } from '../../src/view/view.ts'
import { useKeys } from '../keys.ts'
import { Code } from '../parts/code.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { Diff, HomeContext } from '../parts/diff.tsx'
import { EditorLink } from '../parts/editor.tsx'
import { keyed, Media, TimeMark } from '../parts/facts.tsx'
import { Icon } from '../parts/icon.tsx'
import { Text } from '../parts/text.tsx'
import { agentHue } from '../parts/tool-kind.ts'
import { type Async, useAsync, useHead, useItems, useOutline, useReader } from '../reader.ts'
import { Link, navigate, useRoute } from '../route.ts'
import { Empty, Failure, Skeleton } from '../shell/states.tsx'
import { type NamedFile, namedFiles, treeRows } from './tree.ts'
import '../parts/parts.css'
import '../parts/code.css'
import './files.css'

export default function FilesScreen() {
  const reader = useReader()
  const { value: head } = useHead()
  const files = useFiles()
  const { query } = useRoute()
  const named = useMemo(() => namedFiles(files.value ?? [], head?.project.key ?? null), [files.value, head])
  const asked = query['file']
  const chosen = asked === undefined ? undefined : named.find(({ at }) => String(at) === asked)
  const shown = chosen ?? inOrder(named)[0]
  useFileKeys(named, shown?.at, reader.id)
  if (files.error) return <Failure error={files.error} title="The files could not be listed" retry={files.reload} />
  if (!files.value) return <Skeleton rows={10} isWaiting className="files" />
  if (named.length === 0) {
    return (
      <Empty title="No file was touched">
        <p>No tool of this session read or changed a file. What commands in a shell did to files is not in its log.</p>
        <InheritedFiles head={head} />
      </Empty>
    )
  }
  return (
    <HomeContext value={head?.project.key ?? ''}>
      <div className="files" data-chosen={chosen !== undefined}>
        <FileList files={named} session={reader.id} chosen={shown?.at}>
          <InheritedFiles head={head} />
        </FileList>
        {shown ? <OneFile key={shown.at} named={shown} /> : null}
      </div>
    </HomeContext>
  )
}

/** Where the files of calls are that are shown in the transcript, and not counted here. */
export function InheritedFiles({ head }: { head: SessionHead | undefined }) {
  const calls = head?.inherited?.calls ?? 0
  if (calls === 0) return null
  const origin = head?.lineage.find(({ relation }) => relation !== 'continued-in')?.session
  const files = calls === 1 ? 'its files are' : 'their files are'
  return (
    <p className="file-none">
      {countOf(calls, 'inherited call')}: {files} listed in{' '}
      {origin === undefined ? (
        'the session that made them'
      ) : (
        <Link route={{ screen: 'files', session: origin, query: {} }}>{origin.slice(0, 8)}</Link>
      )}
      .
    </p>
  )
}

/** As the list shows them. */
function inOrder(files: readonly NamedFile[]): NamedFile[] {
  const groups = [files.filter(({ file }) => isChanged(file)), files.filter(({ file }) => !isChanged(file))]
  const rows = groups.flatMap(group => treeRows(group, new Set()))
  return rows.flatMap(row => (row.type === 'file' ? [row.file] : []))
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
    const files = inOrder(named)
    const place = files.findIndex(({ at }) => at === chosen) + step
    const next = files[Math.min(files.length - 1, Math.max(0, place))]
    if (next) navigate({ screen: 'files', session, query: { file: String(next.at) } }, { replace: true })
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
  const { query } = useRoute()
  const { file } = named
  const changes = file.steps.filter(({ kind, status }) => kind !== 'read' && status === 'done').length
  const net = useAsync(async () => (changes > 1 ? reader.netDiff(file.path) : null), [reader, file.path, changes])
  const isNet = net.value != null && query['view'] !== 'steps'
  const line = file.steps.length > 0 && net.value ? net.value.hunks[0]?.newStart : undefined
  return (
    <section className="file-page" aria-label={`Changes of ${visibleLine(named.name)}`}>
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
          {net.value ? <ViewChoice isNet={isNet} session={reader.id} at={named.at} /> : null}
          <EditorLink path={file.path} {...(line === undefined ? {} : { line })} />
        </p>
      </header>
      {isNet && net.value ? <NetChange diff={net.value} /> : <Steps named={named} session={reader.id} head={head} />}
    </section>
  )
}

function ViewChoice({ isNet, session, at }: { isNet: boolean; session: string; at: number }) {
  const route = (view: string) => ({ screen: 'files' as const, session, query: { file: String(at), view } })
  return (
    <span className="file-views">
      <Link className="chip" route={route('')} replace {...(isNet ? { 'aria-current': 'true' as const } : {})}>
        All together
      </Link>
      <Link className="chip" route={route('steps')} replace {...(isNet ? {} : { 'aria-current': 'true' as const })}>
        One by one
      </Link>
    </span>
  )
}

/** The file as it was first, and as it was last. */
function NetChange({ diff }: { diff: DiffPart }) {
  if (diff.hunks.length === 0) return <p className="file-none">In the end the file is as it was.</p>
  return (
    <div className="file-net">
      <p className="file-sum">
        <Changes added={diff.added} removed={diff.removed} /> <span>from the first change to the last</span>
      </p>
      <Diff part={diff} />
    </div>
  )
}

/** Fewer files need no field to find one in. */
const manyFiles = 12

export interface FileListProps {
  files: readonly NamedFile[]
  session: string
  chosen: number | undefined
  /** What is said below them. */
  children?: ReactNode
}

export function FileList({ files, session, chosen, children }: FileListProps) {
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
      {children}
    </nav>
  )
}

function isChanged({ steps }: NamedFile['file']): boolean {
  return steps.some(({ kind, status }) => kind !== 'read' && status === 'done')
}

function Group({ title, files, session, chosen }: FileListProps & { title: string }) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  if (files.length === 0) return null
  const toggle = (path: string) => {
    const next = new Set(closed)
    if (!next.delete(path)) next.add(path)
    setClosed(next)
  }
  return (
    <section>
      <h2 className="row-heading">{title}</h2>
      <ul>
        {treeRows(files, closed).map(row => (
          <li key={row.type === 'file' ? row.file.at : row.path} style={{ paddingLeft: row.depth * 12 }}>
            {row.type === 'folder' ? (
              <button
                type="button"
                className="file-folder"
                aria-expanded={!closed.has(row.path)}
                onClick={() => toggle(row.path)}
              >
                <Icon name="open" className="turn" />
                <bdi>{visibleLine(row.name)}</bdi>
              </button>
            ) : (
              <FileRow named={row.file} session={session} isChosen={chosen === row.file.at} />
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function FileRow({ named, session, isChosen }: { named: NamedFile; session: string; isChosen: boolean }) {
  const { at, file, name } = named
  return (
    <Link
      className="file-row"
      route={{ screen: 'files', session, query: { file: String(at) } }}
      title={file.path}
      {...(isChosen && { 'aria-current': true as const })}
    >
      <span className="file-name">{visibleLine(name)}</span>
      <span className="file-counts">
        <Changes added={file.added} removed={file.removed} />
        {isChanged(file) && file.added + file.removed > 0 ? null : <FileNote file={file} />}
      </span>
    </Link>
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

export interface StepsProps {
  named: NamedFile
  session: string
  head: SessionHead | undefined
}

export function Steps({ named: { file }, session, head }: StepsProps) {
  return (
    <ol className="file-steps">
      {stepRuns(file.steps).map((run, at) => {
        const first = run.type === 'reads' ? (run.steps[0] as FileStep) : run.step
        const key = `${at} ${first.event}`
        return (
          <li key={key}>
            {run.type === 'reads' ? (
              <Reads
                steps={run.steps}
                path={file.path}
                session={session}
                head={head}
                isAlone={file.steps.length === 1}
              />
            ) : (
              <Change step={run.step} number={run.number} path={file.path} session={session} head={head} />
            )}
          </li>
        )
      })}
    </ol>
  )
}

interface StepProps {
  step: FileStep
  path: string
  session: string
  head: SessionHead | undefined
}

function Change({ step, number, path, session, head }: StepProps & { number: number }) {
  const place = useRef<HTMLElement>(null)
  const isNear = useNear(place)
  return (
    <article ref={place} className="file-step" aria-label={`Change ${number}`}>
      <StepHead step={step} session={session} head={head}>
        <span className="file-number" aria-hidden="true">
          {number}
        </span>
      </StepHead>
      {isNear ? <StepBody step={step} path={path} /> : <div className="file-wait" />}
    </article>
  )
}

interface ReadsProps extends Omit<StepProps, 'step'> {
  steps: readonly FileStep[]
  /** Nothing else was done with the file. */
  isAlone: boolean
}

function Reads({ steps, path, session, head, isAlone }: ReadsProps) {
  const [isOpen, setOpen] = useState(isAlone)
  return (
    <div className="file-reads">
      <button type="button" className="file-fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="open" /> {steps.length === 1 ? 'Read' : `Read ${countOf(steps.length, 'time')}`}
      </button>
      {isOpen
        ? keyed(steps).map(({ key, value }) => (
            <article key={key} className="file-step" aria-label="Read">
              <StepHead step={value} session={session} head={head} />
              <StepBody step={value} path={path} />
            </article>
          ))
        : null}
    </div>
  )
}

interface StepHeadProps extends Omit<StepProps, 'path'> {
  children?: React.ReactNode
}

function StepHead({ step, session, head, children }: StepHeadProps) {
  const { event, thread, tool, status, added = 0, removed = 0 } = step
  const agent = head?.threads.find(one => one.id === thread && one.kind === 'subagent')
  const hue = agentHue(head, thread)
  return (
    <header className="file-step-head">
      {children}
      <strong>{visibleLine(tool)}</strong>
      {status === 'done' ? null : (
        <span className="file-bad">
          <Icon name={status === 'failed' ? 'bad' : 'warn'} /> {status}
        </span>
      )}
      <Changes added={added} removed={removed} />
      {agent ? (
        <span className="file-agent" data-hue={hue}>
          {visibleLine(agent.agentType ?? 'subagent')}
        </span>
      ) : null}
      <span className="file-when">
        <TimeMark at={step.at} />
        <Link route={{ screen: 'transcript', session, query: { event } }}>In the transcript</Link>
      </span>
    </header>
  )
}

function StepBody({ step, path }: { step: FileStep; path: string }) {
  const items = useItems(step.thread)
  const { want } = items
  useEffect(() => want(step.slot, step.slot + 1), [want, step.slot])
  const shown = items.get(step.slot)
  if (!shown && items.error)
    return <Failure error={items.error} title="This step could not be read" retry={items.retry} />
  if (!shown) return <div className="file-wait" aria-busy="true" />
  const item = itemOf(shown, step, path)
  if (!item || item.body.length === 0) return <p className="file-none">The log does not contain what this step did.</p>
  return <ItemBody item={item} mediaFrom={mediaBefore(shown, item)} />
}

/** The address of an image counts all of its event's. */
function mediaBefore(items: readonly ViewItem[], item: ViewItem): number {
  const before = items.slice(0, items.indexOf(item)).filter(({ id }) => id === item.id)
  return before.flatMap(({ body }) => body).filter(({ type }) => type === 'media').length
}

function ItemBody({ item, mediaFrom }: { item: ViewItem; mediaFrom: number }) {
  const { id: session } = useReader()
  const hasDiff = item.body.some(part => part.type === 'diff')
  const parts = hasDiff ? item.body.filter(part => part.type === 'diff' || isBad(part)) : item.body
  const media = parts.filter(({ type }) => type === 'media')
  return keyed(parts).map(({ key, value }) =>
    value.type === 'media' ? (
      <Media key={key} part={value} session={session} event={item.id} n={mediaFrom + media.indexOf(value)} />
    ) : (
      <Part key={key} part={value} />
    ),
  )
}

function isBad(part: ViewPart): boolean {
  return part.type === 'text' && part.tone === 'bad'
}

function Part({ part }: { part: ViewPart }) {
  if (part.type === 'diff') return <Diff part={part} />
  if (part.type === 'text') return <Text part={part} />
  if (part.type !== 'code') return null
  const { text, language, startLine } = part
  return (
    <Code
      text={text}
      {...(language === undefined ? {} : { language })}
      {...(startLine === undefined ? {} : { startLine })}
    />
  )
}

/** True once a part was within a screen of what is seen. */
function useNear(place: RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false)
  useEffect(() => {
    const element = place.current
    if (!element || isNear) return
    const observer = new IntersectionObserver(
      entries => {
        if (entries.some(entry => entry.isIntersecting)) setNear(true)
      },
      { rootMargin: '600px' },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [place, isNear])
  return isNear
}

/** Files whose path contains all words, in any case. */
export function filesWith(files: readonly NamedFile[], text: string): NamedFile[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return files.filter(({ file }) => words.every(word => file.path.toLowerCase().includes(word)))
}

export type StepRun = { type: 'change'; step: FileStep; number: number } | { type: 'reads'; steps: FileStep[] }

/** Changes one by one, numbered; reads between them together. */
export function stepRuns(steps: readonly FileStep[]): StepRun[] {
  const runs: StepRun[] = []
  let number = 0
  for (const step of steps) {
    const last = runs.at(-1)
    if (step.kind !== 'read') runs.push({ type: 'change', step, number: ++number })
    else if (last?.type === 'reads') last.steps.push(step)
    else runs.push({ type: 'reads', steps: [step] })
  }
  return runs
}

/** Of a slot's items, the call that is the step: one event may call several tools. */
export function itemOf(items: readonly ViewItem[], step: FileStep, path: string): ViewItem | undefined {
  const calls = items.filter(item => item.kind === 'call' && (item.id as string) === step.event)
  if (calls.length < 2) return calls[0]
  const name = path.split(/[/\\]/).at(-1) ?? path
  const isOf = (item: ViewItem) =>
    item.body.some(part => part.type === 'diff' && (part.path === path || path.endsWith(part.path))) ||
    item.headline.includes(name)
  return calls.find(item => isOf(item) && item.headline.startsWith(step.tool)) ?? calls.find(isOf) ?? calls[0]
}

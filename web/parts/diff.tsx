// A diff in one column or two, with changed words marked, and the same as a patch to copy.

import { createContext, type RefObject, useContext, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { countOf, countText } from '../../src/base/format.ts'
import { relativePath } from '../../src/base/relative-path.ts'
import { visibleText } from '../../src/render/safe-text.ts'
import { changesIn, type DiffLine, type Piece, runLength } from '../../src/view/intraline.ts'
import { languageOf } from '../../src/view/language.ts'
import type { DiffHunk, DiffPart } from '../../src/view/view.ts'
import { group, scrollable, useTokens } from './code.tsx'
import { CopyButton } from './copy.tsx'
import { keyed } from './facts.tsx'
import type { Token } from './highlight.ts'
import { foundIn, WordsContext } from './text.tsx'

const firstLines = 60
const step = 600

/** The project's folder with a slash behind it: patches name files from there. */
export const HomeContext = createContext('')

export interface DiffProps {
  part: DiffPart
  /** Shown without its own head and folding: a page about one file has them. */
  isWhole?: boolean
}

export function Diff({ part, isWhole = false }: DiffProps) {
  const words = useContext(WordsContext)
  const home = useContext(HomeContext)
  const [limit, setLimit] = useState(firstLines)
  const isSplit = useSyncExternalStore(subscribe, () => split)
  const language = languageOf(part.path)
  const total = useMemo(() => part.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0), [part])
  const found = useMemo(() => lineWith(part.hunks, words), [part, words])
  const least = Math.max(limit, found + 6)
  const count = isWhole || total <= least * 1.25 ? Math.max(total, least) : least
  const hunks = useMemo(() => cutHunks(part.hunks, Math.min(count, 5000)), [part, count])
  const left = total - hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0)
  return (
    <div className="diff" {...group(`Changes in ${visibleText(part.path)}`)}>
      <div className="code-tools">
        <button type="button" className="tool-button diff-look" onClick={() => setSplit(!isSplit)}>
          {isSplit ? 'Unified' : 'Side by side'}
        </button>
        <CopyButton text={() => patchText(part, home)} what="patch" />
      </div>
      <div className="diff-scroll" {...scrollable('Lines')}>
        {keyed(hunks).map(({ key, value }, at) => (
          <Hunk key={key} hunk={value} language={language} isSplit={isSplit} isFirst={at === 0} />
        ))}
      </div>
      {left > 0 ? (
        <button type="button" className="more" onClick={() => setLimit(count + step)}>
          Show {countOf(Math.min(step, left), 'more line')} of {countText(total)}
        </button>
      ) : null}
      {part.isComputed ? (
        <p className="text-note">Computed from the old and new text; line numbers may differ.</p>
      ) : null}
    </div>
  )
}

/** The first line that has one of these words, counted through all hunks; -1 where none has. */
function lineWith(hunks: readonly DiffHunk[], words: readonly string[]): number {
  return hunks.flatMap(hunk => hunk.lines).findIndex(line => foundIn(line.text, words) >= 0)
}

function cutHunks(hunks: readonly DiffHunk[], most: number): DiffHunk[] {
  const shown: DiffHunk[] = []
  let left = most
  for (const hunk of hunks) {
    if (left <= 0) break
    shown.push(hunk.lines.length <= left ? hunk : { ...hunk, lines: hunk.lines.slice(0, left) })
    left -= hunk.lines.length
  }
  return shown
}

/** A line with its numbers; a side without a line is empty. */
interface Row {
  key: string
  old: Side | undefined
  fresh: Side | undefined
}

interface Side {
  number: number
  line: DiffLine
  pieces: Piece[] | undefined
  tokens: readonly Token[] | undefined
}

interface HunkProps {
  hunk: DiffHunk
  language: string | undefined
  isSplit: boolean
  isFirst: boolean
}

function Hunk({ hunk, language, isSplit, isFirst }: HunkProps) {
  const place = useRef<HTMLTableElement>(null)
  const colours = useLineTokens(place, hunk, language)
  const sides = useMemo(() => numbered(hunk, colours), [hunk, colours])
  return (
    <table ref={place} className={isSplit ? 'diff-table split' : 'diff-table'}>
      {isFirst ? null : (
        <caption>
          <span className="unseen">from line </span>
          {hunk.newStart}
        </caption>
      )}
      <tbody>{isSplit ? <SplitRows sides={sides} /> : <UnifiedRows sides={sides} />}</tbody>
    </table>
  )
}

type LineTokens = ReadonlyMap<DiffLine, readonly Token[]>

/** Both states of the file are read as code, each for itself. */
function useLineTokens(
  place: RefObject<HTMLElement | null>,
  { lines }: DiffHunk,
  language: string | undefined,
): LineTokens {
  const [old, fresh] = useMemo(
    () => [lines.filter(one => one.sign !== '+'), lines.filter(one => one.sign !== '-')],
    [lines],
  )
  const oldTokens = useTokens(
    place,
    useMemo(() => codeOf(old), [old]),
    language,
  )
  const freshTokens = useTokens(
    place,
    useMemo(() => codeOf(fresh), [fresh]),
    language,
  )
  return useMemo(() => {
    const tokens = new Map<DiffLine, readonly Token[]>()
    old.forEach((line, at) => void (oldTokens?.[at] && tokens.set(line, oldTokens[at])))
    fresh.forEach((line, at) => void (freshTokens?.[at] && tokens.set(line, freshTokens[at])))
    return tokens
  }, [old, fresh, oldTokens, freshTokens])
}

function codeOf(lines: readonly DiffLine[]): string {
  return lines.map(line => visibleText(line.text)).join('\n')
}

function numbered(hunk: DiffHunk, colours: LineTokens): (Side & { oldNumber: number })[] {
  const changes = changesIn(hunk.lines)
  let oldNumber = hunk.oldStart
  let newNumber = hunk.newStart
  return hunk.lines.map((line, at) => {
    const side = {
      line,
      pieces: changes.get(at),
      tokens: colours.get(line),
      number: line.sign === '-' ? oldNumber : newNumber,
      oldNumber,
    }
    if (line.sign !== '+') oldNumber++
    if (line.sign !== '-') newNumber++
    return side
  })
}

function UnifiedRows({ sides }: { sides: ReturnType<typeof numbered> }) {
  return keyed(sides).map(({ key, value }) => (
    <tr key={key} data-sign={value.line.sign}>
      <td className="diff-number">{value.number}</td>
      <SideCell side={value} />
    </tr>
  ))
}

function SplitRows({ sides }: { sides: ReturnType<typeof numbered> }) {
  return rowsOf(sides).map(({ key, old, fresh }) => (
    <tr key={key}>
      <td className="diff-number">{old?.number ?? ''}</td>
      <SideCell side={old} />
      <td className="diff-number">{fresh?.number ?? ''}</td>
      <SideCell side={fresh} />
    </tr>
  ))
}

function rowsOf(sides: ReturnType<typeof numbered>): Row[] {
  const lines = sides.map(side => side.line)
  const rows: Row[] = []
  for (let at = 0; at < sides.length; ) {
    const side = sides[at]
    const removed = runLength(lines, at, '-')
    const added = runLength(lines, at + removed, '+')
    if (removed + added === 0 && side) {
      rows.push({ key: String(at), old: { ...side, number: side.oldNumber }, fresh: side })
    }
    for (let i = 0; i < Math.max(removed, added); i++) {
      const old = i < removed ? sides[at + i] : undefined
      const fresh = i < added ? sides[at + removed + i] : undefined
      rows.push({ key: `${at} ${i}`, old, fresh })
    }
    at += Math.max(1, removed + added)
  }
  return rows
}

const words = { '+': 'added', '-': 'removed', ' ': '' } as const

function SideCell({ side }: { side: Side | undefined }) {
  if (!side) return <td className="diff-none" />
  const { line, pieces, tokens } = side
  return (
    <td className="diff-line" data-sign={line.sign}>
      <span className="diff-sign" aria-hidden="true">
        {line.sign === '-' ? '−' : line.sign}
      </span>
      {line.sign === ' ' ? null : <span className="unseen">{words[line.sign]}: </span>}
      {keyed(runsOf(line.text, pieces, tokens)).map(({ key, value }) => (
        <LineRun key={key} run={value} />
      ))}
    </td>
  )
}

function LineRun({ run: { text, look, isChanged } }: { run: Run }) {
  const content = look === '' ? text : <span className={look}>{text}</span>
  return isChanged ? <mark>{content}</mark> : content
}

interface Run {
  text: string
  look: string
  isChanged: boolean
}

/** A line cut wherever its colour or its mark changes. */
export function runsOf(
  line: string,
  pieces: readonly Piece[] | undefined,
  tokens: readonly Token[] | undefined,
): Run[] {
  const text = visibleText(line)
  const marks = (pieces ?? [{ text: line, isChanged: false }]).map(({ text: part, isChanged }) => ({
    text: visibleText(part),
    isChanged,
  }))
  const isWhole = tokens !== undefined && tokens.map(token => token.text).join('') === text
  const looks = isWhole ? tokens : [{ text, look: '' }]
  const runs: Run[] = []
  let look = 0
  let used = 0
  for (const mark of marks) {
    let left = mark.text
    while (left !== '') {
      const token = looks[look]
      const rest = token === undefined ? left : token.text.slice(used)
      const part = left.slice(0, rest.length)
      if (part === '') {
        look++
        used = 0
        continue
      }
      runs.push({ text: part, look: token?.look ?? '', isChanged: mark.isChanged })
      left = left.slice(part.length)
      used += part.length
    }
  }
  return runs
}

const storageKey = 'clew diff side by side'
let split = readSplit()
const listeners = new Set<() => void>()

function readSplit(): boolean {
  try {
    return localStorage.getItem(storageKey) === 'yes'
  } catch {
    return false
  }
}

function setSplit(isSplit: boolean): void {
  split = isSplit
  try {
    localStorage.setItem(storageKey, isSplit ? 'yes' : 'no')
  } catch {
    // A browser without storage forgets the choice with the page.
  }
  for (const listener of [...listeners]) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** `home`: the project's folder, where `git apply` is run. */
export function patchText({ path, hunks }: DiffPart, home = ''): string {
  // Git writes slashes on Windows too.
  const name = relativePath(path, home).replaceAll('\\', '/').replace(/^\/+/, '')
  const isNew = hunks.every(hunk => hunk.lines.every(line => line.sign === '+'))
  const lines = [isNew ? '--- /dev/null' : `--- a/${name}`, `+++ b/${name}`]
  for (const hunk of hunks) {
    const olds = hunk.lines.filter(line => line.sign !== '+').length
    const news = hunk.lines.filter(line => line.sign !== '-').length
    lines.push(`@@ -${hunk.oldStart},${olds} +${hunk.newStart},${news} @@`)
    for (const line of hunk.lines) lines.push(line.sign + line.text)
  }
  return `${lines.join('\n')}\n`
}

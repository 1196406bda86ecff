// Where the conversation split: which slots are on which path, and the switch between the paths.

import { useMemo } from 'react'
import { countOf } from '../../src/base/format.ts'
import { visibleLine } from '../../src/render/safe-text.ts'
import type { Outline, SessionHead } from '../../src/view/reading.ts'
import { Icon } from '../parts/icon.tsx'
import { useAsync, useReader } from '../reader.ts'
import { Link, useRoute } from '../route.ts'

export interface Fork {
  leaf: string
  isActive: boolean
  title?: string
  eventCount: number
  /** The slot behind which this path begins; -1 where it is not known. */
  slot: number
}

/** Whether any slot is on an abandoned path. */
export function hasPaths(outline: Outline): boolean {
  for (const _ in outline.branches) return true
  return false
}

/** Undefined where there is only one path. */
export function pathTest(
  outline: Outline,
  forks: readonly Fork[],
  leaf: string | undefined,
): ((slot: number) => boolean) | undefined {
  if (!hasPaths(outline)) return undefined
  const chosen = forks.find(fork => fork.leaf === leaf && !fork.isActive)
  if (!chosen) return slot => outline.branches[slot] === undefined
  const ends = endsOf(outline, forks, chosen)
  return slot => slot <= (ends.get(outline.branches[slot] ?? '') ?? -1)
}

/** For each path that the chosen one goes along, the last slot that both have; the empty name is the main path. */
function endsOf(outline: Outline, forks: readonly Fork[], chosen: Fork): Map<string, number> {
  const ends = new Map<string, number>([[chosen.leaf, Number.POSITIVE_INFINITY]])
  let at = chosen.slot
  while (at >= 0) {
    const on = outline.branches[at] ?? ''
    if (ends.has(on)) break
    ends.set(on, at)
    at = on === '' ? -1 : (forks.find(fork => fork.leaf === on)?.slot ?? -1)
  }
  return ends
}

/** Forks by the slot behind which they begin: where a switch is shown. The path gone on with has the place of the others. */
export function splitsOf(forks: readonly Fork[]): Map<number, Fork[]> {
  const splits = new Map<number, Fork[]>()
  for (const fork of forks) {
    if (fork.isActive || fork.slot < 0) continue
    const known = splits.get(fork.slot)
    if (known) known.push(fork)
    else splits.set(fork.slot, [fork])
  }
  return splits
}

export interface Forks {
  forks: Fork[]
  /** False until their places are known: then nothing is hidden that should not be. */
  isReady: boolean
}

const noBranches: SessionHead['branches'] = []
const none: Forks = { forks: [], isReady: true }

export function useForks(head: SessionHead | undefined, outline: Outline | undefined): Forks {
  const reader = useReader()
  const isSplit = useMemo(() => outline !== undefined && hasPaths(outline), [outline])
  const branches = isSplit && head ? head.branches : noBranches
  const key = branches.map(branch => branch.leaf).join(' ')
  const { value: slots } = useAsync(
    () => Promise.all(branches.map(branch => slotAfter(reader.placeOf, branch.forkedAt, outline?.thread))),
    [reader, key, outline?.thread],
  )
  return useMemo(() => {
    if (branches.length === 0) return none
    const forks = branches.map((branch, at) => ({
      leaf: branch.leaf,
      isActive: branch.isActive,
      ...(branch.title === undefined ? {} : { title: branch.title }),
      eventCount: branch.eventCount,
      slot: slots?.[at] ?? -1,
    }))
    return { forks, isReady: slots !== undefined }
  }, [branches, slots])
}

type PlaceOf = (event: string) => Promise<{ thread: string; slot: number } | null>

async function slotAfter(placeOf: PlaceOf, event: string | undefined, thread: string | undefined): Promise<number> {
  if (event === undefined) return -1
  const place = await placeOf(event).catch(() => null)
  return place && place.thread === thread ? place.slot : -1
}

export interface SplitProps {
  /** Those that begin here; the path gone on with is the one without a leaf in the address. */
  forks: readonly Fork[]
  chosen: string | undefined
  /** The first words of a path. */
  wordsOf(fork: Fork | undefined): string
}

export function Split({ forks, chosen, wordsOf }: SplitProps) {
  const isForkChosen = forks.some(fork => fork.leaf === chosen)
  return (
    <nav className="split" aria-label="Paths of the conversation">
      <p>
        <Icon name="branch" /> The conversation split here
      </p>
      <ul>
        <li>
          <PathLink isChosen={!isForkChosen} leaf="" words={wordsOf(undefined)} note="continued" />
        </li>
        {forks.map(fork => (
          <li key={fork.leaf}>
            <PathLink
              isChosen={fork.leaf === chosen}
              leaf={fork.leaf}
              words={fork.title ?? wordsOf(fork)}
              note={`abandoned, ${countOf(fork.eventCount, 'event')}`}
            />
          </li>
        ))}
      </ul>
    </nav>
  )
}

interface PathLinkProps {
  isChosen: boolean
  leaf: string
  words: string
  note: string
}

function PathLink({ isChosen, leaf, words, note }: PathLinkProps) {
  const route = useRoute()
  const { event: _, ...query } = route.query
  return (
    <Link route={{ ...route, query: { ...query, branch: leaf } }} {...(isChosen ? { 'aria-current': 'true' } : {})}>
      <span className="split-dot" aria-hidden="true" />
      <span className="split-words">{words === '' ? 'This path' : visibleLine(words)}</span>
      <span className="faint">{note}</span>
    </Link>
  )
}

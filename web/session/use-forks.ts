// Where the paths of a conversation begin, as slots of the thread on screen.

import { useMemo } from 'react'
import type { Outline, SessionHead } from '../../src/view/reading.ts'
import { useAsync, useReader } from '../reader.ts'
import { type Fork, hasPaths } from './paths.ts'

export interface Forks {
  forks: Fork[]
  /** False until their places are known: then nothing is hidden that should not be. */
  isReady: boolean
}

const nobody: SessionHead['branches'] = []
const none: Forks = { forks: [], isReady: true }

export function useForks(head: SessionHead | undefined, outline: Outline | undefined): Forks {
  const reader = useReader()
  const isSplit = useMemo(() => outline !== undefined && hasPaths(outline), [outline])
  const branches = isSplit && head ? head.branches : nobody
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

// A session that grows: its end stays on screen while the reader is there; one who scrolled up is told what came.

import { type RefObject, useEffect, useRef, useState } from 'react'
import type { ListHandle } from './transcript.tsx'

export interface Following {
  /** Slots that came below since the reader left the end. */
  newBelow: number
  /** Told by the list whenever something scrolled. */
  seen(isAtEnd: boolean): void
}

export function useFollow(
  list: RefObject<ListHandle | null>,
  count: number,
  isLive: boolean,
  starts: boolean,
): Following {
  const isAtEnd = useRef(false)
  const [known, setKnown] = useState(count)
  const [hasStarted, setStarted] = useState(false)
  useEffect(() => {
    if (hasStarted || count === 0) return
    setStarted(true)
    setKnown(count)
    if (isLive && starts) {
      isAtEnd.current = true
      list.current?.land('end')
    }
  }, [hasStarted, count, isLive, starts, list])
  useEffect(() => {
    if (!hasStarted || count <= known || !isAtEnd.current) return
    setKnown(count)
    list.current?.land('end')
  }, [count, known, hasStarted, list])
  return {
    newBelow: hasStarted ? Math.max(0, count - known) : 0,
    seen: atEnd => {
      isAtEnd.current = atEnd
      if (atEnd && known !== count) setKnown(count)
      if (atEnd && isLive && hasStarted) list.current?.land('end')
    },
  }
}

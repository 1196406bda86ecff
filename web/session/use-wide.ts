// Whether there is room for the pane at the right.

import { useSyncExternalStore } from 'react'

const query = '(min-width: 1100px)'

export function useWide(): boolean {
  return useSyncExternalStore(
    listener => {
      const media = window.matchMedia(query)
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    () => window.matchMedia(query).matches,
  )
}

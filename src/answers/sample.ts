// Says that an answer is about the bundled sample history. When it stands in is decided by `usesSample` of the handle.

import type { Clew, Listener } from './clew.ts'

const noted = new WeakSet<Listener>()

/** Once for every listener, whoever asks first. */
export function noteSample({ listener }: Pick<Clew, 'listener'>): void {
  if (noted.has(listener)) return
  noted.add(listener)
  listener.note('no sessions of yours yet; showing the bundled sample history')
}

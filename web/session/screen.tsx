// The transcript of a session: everything that was said and done, as it can be read. Here the parts are put together; the
// list, the items and the panes are in their own files.

import { useMemo } from 'react'
import { useHead, useItems, useOutline, useStore } from '../reader.ts'
import { useRoute } from '../route.ts'
import { Failure } from '../shell/errors.tsx'
import { Skeleton } from '../shell/states.tsx'
import { firstOutline } from './first-outline.ts'
import { SessionView } from './view.tsx'
import './session.css'
import './bars.css'
import './items/items.css'
import './inspector/inspector.css'
import '../parts/parts.css'
import '../parts/code.css'

export default function TranscriptScreen() {
  const route = useRoute()
  const store = useStore()
  const thread = route.query['thread'] || undefined
  const { value: head, error: headError } = useHead()
  const { value: whole, error: outlineError } = useOutline(thread)
  const items = useItems(thread)
  const main = head?.threads.find(one => one.kind === 'main')?.id
  const name = thread ?? main
  const first = useMemo(() => {
    // The version says that slots came.
    if (whole || name === undefined || items.version < 0) return
    return firstOutline(name, slot => store.itemsOf(thread, slot))
  }, [whole, name, items.version, store, thread])
  const error = headError ?? outlineError
  if (error && (!head || !whole)) {
    return <Failure error={error} title="The session could not be read" retry={() => store.retry()} />
  }
  const outline = whole ?? first
  if (!head || !outline) return <Skeleton rows={9} isWaiting className="session-skeleton" />
  return (
    <SessionView
      key={outline.thread}
      head={head}
      outline={outline}
      isWhole={whole !== undefined}
      items={items}
      isMain={outline.thread === main}
    />
  )
}

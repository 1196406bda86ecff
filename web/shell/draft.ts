// Text that goes into the address while it is typed, a moment after the last key; and back, when the address changes by
// other means. What the address does with it is up to the caller.

import { useEffect, useRef, useState } from 'react'

/** `written`: the text in the address. `send`: writes it there. */
export function useDraft(written: string, send: (text: string) => void, typingMs: number) {
  const [text, setText] = useState(written)
  const sent = useRef(written)
  const latest = useRef(send)
  latest.current = send
  const sendNow = (next: string) => {
    sent.current = next
    latest.current(next)
  }
  useEffect(() => {
    if (written !== sent.current) setText(written)
    sent.current = written
  }, [written])
  useEffect(() => {
    if (text === sent.current) return
    const timer = setTimeout(() => {
      sent.current = text
      latest.current(text)
    }, typingMs)
    return () => clearTimeout(timer)
  }, [text, typingMs])
  return { text, setText, sendNow }
}

// The box on Home: typing narrows the list by title at once, Enter searches inside all sessions.

import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useKeys } from '../keys.ts'
import { navigate, routeNow, useRoute } from '../route.ts'
import { SearchIcon } from '../shell/icons.tsx'

const typingMs = 120

export function HomeSearch() {
  const written = useRoute().query['text'] ?? ''
  const [text, setText] = useState(written)
  const box = useRef<HTMLInputElement>(null)
  const sent = useRef(written)
  useKeys({ '/': ['search', () => box.current?.focus()] }, 'Sessions')
  useEffect(() => {
    // The address changed by other means than this box: back, a chip.
    if (written !== sent.current) setText(written)
    sent.current = written
  }, [written])
  useEffect(() => {
    if (text === sent.current) return
    const timer = setTimeout(() => {
      const route = routeNow()
      if (route.screen !== 'home') return
      sent.current = text
      navigate({ ...route, query: { ...route.query, text } }, { replace: true })
    }, typingMs)
    return () => clearTimeout(timer)
  }, [text])
  const search = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') navigate({ screen: 'search', query: { q: text.trim() } })
  }
  return (
    <search>
      <form className="search-box" onSubmit={search}>
        <SearchIcon />
        <input
          ref={box}
          type="search"
          value={text}
          onChange={event => setText(event.target.value)}
          placeholder="Search everything"
          aria-label="Search everything; narrows the list while typing"
          autoComplete="off"
          spellCheck={false}
        />
        {text === '' ? (
          <kbd>/</kbd>
        ) : (
          <button type="submit" className="search-all">
            Search inside <kbd>Enter</kbd>
          </button>
        )}
      </form>
    </search>
  )
}

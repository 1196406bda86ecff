// Starts the app in the page.

import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ask } from './api.ts'
import { App } from './app.tsx'
import { setTimezone } from './shell/format.ts'
import { applyTheme } from './theme.ts'
import './tokens.css'
import './base.css'
import './shell/shell.css'

/** Theme and time zone are part of the first picture; it does not wait long for them. */
async function prepare(): Promise<void> {
  const about = ask('GET /api/about', {}).catch(() => undefined)
  const late = new Promise<undefined>(resolve => setTimeout(resolve, 400, undefined))
  const known = await Promise.race([about, late])
  if (!known) return
  setTimezone(known.timezone)
  applyTheme(known.theme)
}

const place = document.getElementById('app')
if (place) {
  await prepare()
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}

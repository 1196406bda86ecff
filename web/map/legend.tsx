// What the shapes and colours of the map mean, in one line that folds away on small screens.

import { memo } from 'react'
import { toneNames } from '../thread/palette.ts'

export const Legend = memo(function Legend() {
  return (
    <details className="map-legend" open={window.innerWidth > 900}>
      <summary>Legend</summary>
      <ul>
        <li>
          <svg width="22" height="14" aria-hidden="true">
            <path className="l-thread" d="M0 7H22" />
            <circle className="l-knot" cx="11" cy="7" r="4" />
          </svg>
          prompt
        </li>
        <li>
          <svg width="26" height="14" aria-hidden="true">
            <path className="l-agent" d="M1 2Q5 2 5 6V8Q5 11 9 11H17Q21 11 21 8V6Q21 2 25 2" />
          </svg>
          subagent
        </li>
        {toneNames().map(({ name, colour }) => (
          <li key={name}>
            <svg width="16" height="14" aria-hidden="true">
              <rect x="0" y="4" width="16" height="7" rx="2" style={{ fill: `var(--${colour})` }} />
            </svg>
            {name}
          </li>
        ))}
        <li>
          <svg width="12" height="14" aria-hidden="true">
            <path className="l-bad" d="M1 3H11L6 12Z" />
          </svg>
          failed
        </li>
        <li>
          <svg width="14" height="14" aria-hidden="true">
            <path className="l-seam" d="M4 1L10 13M10 1L4 13" />
          </svg>
          compaction
        </li>
        <li>
          <svg width="22" height="14" aria-hidden="true">
            <path className="l-left" d="M0 11C6 11 5 4 11 4H20M20 1V7" />
          </svg>
          branch left
        </li>
        <li>
          <svg width="14" height="14" aria-hidden="true">
            <path className="l-fold" d="M0 6L6 0M0 13L13 0M7 13L13 7" />
          </svg>
          idle, folded
        </li>
      </ul>
    </details>
  )
})

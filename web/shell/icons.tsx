// The few icons of the frame, next to words that name them.

export function SearchIcon() {
  return (
    <svg className="icon" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="7" cy="7" r="4.5" />
      <path d="m10.500 10.500 3.500 3.500" />
    </svg>
  )
}

export function CloseIcon() {
  return (
    <svg className="icon" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
      <path d="m3 3 6 6M9 3 3 9" />
    </svg>
  )
}

export function MenuIcon() {
  return (
    <svg className="icon" width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
      <path d="M3 5h12M3 9h12M3 13h12" />
    </svg>
  )
}

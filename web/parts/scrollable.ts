// Attributes that parts share: what belongs together is a group with a name; what is wider than the page can be scrolled
// with the keyboard too.

export function group(name: string) {
  return { role: 'group', 'aria-label': name } as const
}

export function scrollable(name: string) {
  return { ...group(name), tabIndex: 0 } as const
}

// Attributes that elements of several parts share: what is wider than the page can be scrolled with the keyboard too, and
// what belongs together is a group with a name.

export const group = { role: 'group' } as const
export const scrollable = { role: 'group', tabIndex: 0 } as const

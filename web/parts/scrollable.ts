// What is wider than the page can be scrolled with the keyboard too.

export const scrollable = { tabIndex: 0 } as const

// Where the focus goes when what had it is gone.

/** Focuses the link or button in the `at`th element that matches, or the element itself, once it is in the page. */
export function focusNth(place: HTMLElement | null, selector: string, at: number): void {
  requestAnimationFrame(() => {
    const found = place?.querySelectorAll<HTMLElement>(selector)[at]
    if (!found) return
    const inner = found.matches('a, button, select') ? found : found.querySelector<HTMLElement>('a, button, select')
    if (!inner) found.tabIndex = -1
    const target = inner ?? found
    target.focus()
  })
}

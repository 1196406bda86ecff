// For calls whose failure says no more than that something is not there or cannot be done now. It reports nothing.

/** What the call returns; undefined where it throws. */
export function attempt<Value>(act: () => Value): Value | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}

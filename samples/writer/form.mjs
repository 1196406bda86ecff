// What differs between client versions, as one table of facts. The writers ask it and compare no versions themselves.

/** Facts about what a version writes. */
export function clientForm(version) {
  const since = other => compareVersions(version, other) >= 0
  return {
    since,
    /** Up to 1.0.8 or so one line holds a whole API message; then one block per line. */
    wholeMessages: !since('1.0.17'),
    costPerAnswer: !since('1.0.17'),
    requestId: since('1.0.17'),
    gitBranch: since('1.0.55'),
    slug: since('2.0.51'),
    /** Session fields stand before the body, later after it. */
    sessionLast: since('2.1.91'),
    /** A result hangs on its own call; before, on whatever was written last. */
    resultOnCall: since('2.0.28'),
    agentFiles: since('2.1.2') ? 'subagents' : since('2.0.28') ? 'flat' : 'inline',
    agentMeta: since('2.1.98'),
    agentTool: since('2.1.63') ? 'Agent' : 'Task',
    longAgentIds: since('2.1.60'),
    snapshots: since('2.0.5'),
    deltas: since('2.1.210'),
    queue: since('2.0.37'),
    progress: since('2.1.2') && !since('2.1.82'),
    attachments: since('2.1.91'),
    turnDuration: since('2.1.1'),
    lastPrompt: since('2.1.69'),
    lastLeaf: since('2.1.121'),
    usage: usageForm(since),
    preserves: since('2.1.200'),
  }
}

function usageForm(since) {
  return {
    parts: since('1.0.98'),
    geo: since('2.1.17'),
    long: since('2.1.97'),
    iterations: since('2.1.200'),
    /** Which lines of a message carry the final count: all of them, the last one, or none. */
    final: since('2.1.97') || !since('1.0.17') ? 'all' : since('2.1.10') ? 'none' : 'last',
  }
}

export function compareVersions(a, b) {
  const left = a.split('.').map(Number)
  const right = b.split('.').map(Number)
  for (let at = 0; at < 3; at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** The project folder's name as Claude Code makes it: lossy on purpose. */
export function projectSlug(cwd) {
  return cwd.replace(/[^A-Za-z0-9]/g, '-')
}

/** `{ key: value }`, or nothing where there is no value. */
export function optional(key, value) {
  return value === undefined ? {} : { [key]: value }
}

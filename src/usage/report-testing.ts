// Makers of one statement and one cell of usage, for tests. Random ones are made elsewhere.

import type { UsageCell, UsageStatement } from '../model/usage.ts'

export function occurrence(given: Partial<UsageStatement> = {}): UsageStatement {
  return {
    key: 1,
    request: 0,
    echo: 0,
    at: Date.UTC(2026, 1, 17, 12),
    file: 0,
    offset: 0,
    thread: 'main',
    model: 'claude-opus-4-5',
    inputTokens: 0,
    outputTokens: 0,
    cacheCreationTokens: 0,
    cacheCreation1hTokens: 0,
    cacheReadTokens: 0,
    webSearches: 0,
    isFast: false,
    isUs: false,
    isFinal: true,
    isSynthetic: false,
    isError: false,
    statedNanos: null,
    visibleTokens: 0,
    ...given,
  }
}

export function cell(given: Partial<UsageCell> = {}): UsageCell {
  const at = given.firstAt === undefined ? Date.UTC(2026, 1, 17, 12) : given.firstAt
  return {
    quarter: at === null ? null : Math.floor(at / 900_000),
    firstAt: at,
    lastAt: at,
    session: 'one',
    thread: 'one',
    model: 'claude-opus-4-5',
    isFast: false,
    isUs: false,
    isSynthetic: false,
    isError: false,
    abovePrompt: 0,
    hasStated: false,
    tools: null,
    messages: 1,
    inputTokens: 0,
    outputTokens: 0,
    cacheCreationTokens: 0,
    cacheCreation1hTokens: 0,
    cacheReadTokens: 0,
    webSearches: 0,
    partial: 0,
    estimatedMore: 0,
    statedNanos: 0,
    ...given,
  }
}

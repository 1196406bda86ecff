// The parts of the Agent SDK that tests call, in types of our own: the SDK is no dependency of this package, not even of its tests.

import type { FoldSessionSummary, SessionStore, SessionStoreEntry } from '../../src/write/store/store.ts'
import { sdkModule } from '../needs.ts'

interface Place {
  dir?: string
  sessionStore?: SessionStore
}

export interface SdkSession {
  sessionId: string
  summary: string
  lastModified: number
  customTitle?: string
  firstPrompt?: string
  gitBranch?: string
  cwd?: string
  tag?: string
  createdAt?: number
}

export interface SdkMessage {
  type: 'user' | 'assistant' | 'system'
  uuid: string
  session_id: string
  message: { role?: string; content?: unknown }
  parent_tool_use_id: string | null
}

export interface Sdk {
  InMemorySessionStore: new () => SessionStore
  foldSessionSummary: FoldSessionSummary
  listSessions(options?: Place & { limit?: number }): Promise<SdkSession[]>
  getSessionInfo(session: string, options?: Place): Promise<SdkSession | undefined>
  getSessionMessages(session: string, options?: Place): Promise<SdkMessage[]>
  listSubagents(session: string, options?: Place): Promise<string[]>
  getSubagentMessages(session: string, agent: string, options?: Place): Promise<SdkMessage[]>
  forkSession(
    session: string,
    options?: Place & { upToMessageId?: string; title?: string },
  ): Promise<{ sessionId: string }>
  renameSession(session: string, title: string, options?: Place): Promise<void>
  tagSession(session: string, tag: string | null, options?: Place): Promise<void>
  deleteSession(session: string, options?: Place): Promise<void>
  importSessionToStore(
    session: string,
    store: SessionStore,
    options?: { dir?: string; includeSubagents?: boolean; batchSize?: number },
  ): Promise<void>
  query(given: {
    prompt: string
    options: Record<string, unknown>
  }): AsyncIterable<{ type: string; session_id: string; result?: string }>
}

export async function loadSdk(): Promise<Sdk> {
  return (await import(sdkModule)) as Sdk
}

/** What a message says, for comparing. */
export function saidBy({ message }: Pick<SdkMessage, 'message'> | SessionStoreEntry): string {
  const { content } = message as { content?: unknown }
  if (typeof content === 'string') return content
  return (content as { text?: string }[]).map(({ text = '' }) => text).join('')
}

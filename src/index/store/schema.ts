// The tables of the index and what their columns mean. An index of another version is built again: it is derived, so nothing
// is migrated. How rows come about is in `ingest/extract.ts` and `refresh/summarise.ts`.

import { largestLine } from '../../decode/lines.ts'
import type { Database } from './port.ts'

/** The file's `user_version`. Raise it when tables change, or what is put into rows: an older index is built again. */
export const schemaVersion = 20261213

/**
 * Events are known by their file and their place in it: `file.id * eventsPerFile + ordinal` is the row id, so that a file's
 * events lie together in order and need no index of their own.
 */
export const eventsPerFile = 2 ** 26

/** What FTS5 gets to tokenize is made by `searchable`. */
export const tokenizer = `tokenize = 'unicode61 remove_diacritics 2'`
const wordsOptions = `content='', contentless_delete=1, ${tokenizer}`

const tables = `
-- What was true of the whole when it was last refreshed.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- One generation of one log, or of a file with a text that an event names (roles 'spill', 'paste'). 'indexed': rows have all of the bytes before it; those behind are of a last line without end.
CREATE TABLE file (
  id INTEGER PRIMARY KEY,
  generation TEXT NOT NULL UNIQUE,  -- kept:<id> in the archive, else live:<path>
  path TEXT NOT NULL,
  number INTEGER NOT NULL,          -- 1 for the first content of this file in the archive
  standing INTEGER NOT NULL,        -- 0 on disk, 1 gone from the disk, 2 an earlier content
  role TEXT NOT NULL,
  session TEXT,                     -- to which its events belong; null in a prompt history
  name_session TEXT,
  agent TEXT,
  stored TEXT,                      -- by which name events know a text in a file of its own
  size INTEGER NOT NULL,            -- bytes that there are
  modified INTEGER NOT NULL,
  covered INTEGER NOT NULL DEFAULT 0, -- bytes that rows have, a last line without end included
  indexed INTEGER NOT NULL DEFAULT 0,
  lines INTEGER NOT NULL DEFAULT 0, -- before 'indexed'
  events INTEGER NOT NULL DEFAULT 0,
  tail INTEGER NOT NULL DEFAULT 0,  -- rows of the last line without end
  state TEXT,                       -- how a live file looked when it was read
  check_sum TEXT                    -- of the bytes before 'indexed' of a live file
);

-- Where a reader of the file can go on: derived from its bytes, may be missing.
CREATE TABLE checkpoint (file INTEGER PRIMARY KEY, at INTEGER NOT NULL, state BLOB NOT NULL);

-- Texts that very many rows refer to: models, tools, directories, paths.
CREATE TABLE name (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);

-- What the events of one thread mostly have in common. Numbers are ids of names.
CREATE TABLE origin (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL, thread INTEGER NOT NULL, cwd INTEGER, branch INTEGER, version INTEGER,
  dialect INTEGER NOT NULL, wire INTEGER NOT NULL,
  common INTEGER,                   -- fields about agents and other sessions, as JSON
  UNIQUE (session, thread, cwd, branch, version, dialect, wire, common)
);

CREATE TABLE event (
  id INTEGER PRIMARY KEY,
  at INTEGER,                       -- milliseconds since 1970
  offset INTEGER NOT NULL, bytes INTEGER NOT NULL, line INTEGER NOT NULL,
  kind INTEGER NOT NULL, actor INTEGER NOT NULL, flags INTEGER NOT NULL,
  uuid TEXT,                        -- the event's id; null where it is <session>@<offset>
  parent,                           -- null, 1 for the event before it in the file, or the id as it is written
  origin INTEGER NOT NULL,
  content INTEGER                   -- what a record with a uuid says: see contentDigest
);

-- Every occurrence of an API message, with the usage that this record states.
CREATE TABLE message (
  event INTEGER PRIMARY KEY,
  id TEXT NOT NULL, request TEXT, model INTEGER, stop INTEGER,
  input INTEGER, output INTEGER, cache_creation INTEGER, cache_read INTEGER, cache_5m INTEGER, cache_1h INTEGER,
  searches INTEGER, tier INTEGER, geo INTEGER, is_final INTEGER,
  cost REAL, duration INTEGER,
  -- What is counted of an occurrence: see UsageStatement. Null where the record states no usage.
  key INTEGER,                      -- by which the occurrences of one API message find each other
  echo INTEGER,                     -- how far it is from the original
  marks INTEGER,                    -- see usageFlags
  visible INTEGER                   -- tokens of its visible content, where its output is a placeholder
);

CREATE TABLE call (
  event INTEGER NOT NULL, n INTEGER NOT NULL,
  call TEXT NOT NULL, name INTEGER NOT NULL, path INTEGER, command TEXT,
  PRIMARY KEY (event, n)
) WITHOUT ROWID;

-- 'name', 'duration': of the call before it in the same file, where there is one.
CREATE TABLE result (
  event INTEGER NOT NULL, n INTEGER NOT NULL,
  call TEXT NOT NULL, name INTEGER, outcome INTEGER NOT NULL, duration INTEGER, has_image INTEGER NOT NULL,
  PRIMARY KEY (event, n)
) WITHOUT ROWID;

-- Events that name a file with a text of theirs: see storedNames.
CREATE TABLE stored (event INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (event, name)) WITHOUT ROWID;

-- The few facts of an event's kind that lists, titles and turns need, as JSON.
CREATE TABLE detail (event INTEGER PRIMARY KEY, json TEXT NOT NULL);

-- What few events have and linking needs, as JSON: see Rest.
CREATE TABLE rest (event INTEGER PRIMARY KEY, json TEXT NOT NULL);

-- Last-wins lines of a file: the last of each type. Those of a last line without end have rows of their own ('tail' 1).
CREATE TABLE state (file INTEGER NOT NULL, type TEXT NOT NULL, tail INTEGER NOT NULL, event INTEGER NOT NULL,
  json TEXT NOT NULL, PRIMARY KEY (file, type, tail)) WITHOUT ROWID;

-- Each text that is searched, once, whatever events have it. 'length' in characters, as FTS5 got it.
CREATE TABLE text (id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, length INTEGER NOT NULL);
CREATE TABLE text_event (text INTEGER NOT NULL, event INTEGER NOT NULL, n INTEGER NOT NULL, field INTEGER NOT NULL,
  PRIMARY KEY (event, n)) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5(text, ${wordsOptions});
INSERT INTO words (words, rank) VALUES ('pgsz', 8100);

-- Summaries of sessions, made of the rows above.
CREATE TABLE session (
  id TEXT PRIMARY KEY,
  slug TEXT NOT NULL,
  fingerprint TEXT NOT NULL,        -- which bytes of which files it was made from
  files TEXT NOT NULL,              -- its files, as JSON
  facts TEXT NOT NULL,              -- its row in lists, as JSON
  summaries TEXT NOT NULL,          -- titles in its files of other sessions' branches, as JSON
  title TEXT NOT NULL, started INTEGER, ended INTEGER,
  own TEXT NOT NULL,                -- the title that its own files give it, as JSON
  copied TEXT                       -- what it has from another session, as JSON: see CopiedPart
) WITHOUT ROWID;
-- Folders of its main files: sessions of one folder name each other.
CREATE TABLE folder (path TEXT NOT NULL, session TEXT NOT NULL, PRIMARY KEY (path, session)) WITHOUT ROWID;
CREATE INDEX folder_session ON folder (session);
-- Which indexed generation each of its logs is; 'n' is the log's place in 'files'.
CREATE TABLE session_log (session TEXT NOT NULL, n INTEGER NOT NULL, generation TEXT NOT NULL,
  PRIMARY KEY (session, n)) WITHOUT ROWID;
CREATE TABLE thread (session TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, events INTEGER NOT NULL,
  started INTEGER, ended INTEGER,
  agent TEXT,                       -- the type of a subagent, where the log has it
  PRIMARY KEY (session, id)) WITHOUT ROWID;
CREATE TABLE turn (session TEXT NOT NULL, n INTEGER NOT NULL, prompt TEXT NOT NULL, thread TEXT NOT NULL,
  started INTEGER, ended INTEGER, duration INTEGER, events INTEGER NOT NULL, calls INTEGER NOT NULL,
  PRIMARY KEY (session, n)) WITHOUT ROWID;
-- What links sessions to each other: see SessionDigest.
CREATE TABLE digest (session TEXT NOT NULL, what TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (session, what, value)) WITHOUT ROWID;
-- Sessions whose relatives changed since what they copied was found out.
CREATE TABLE lineage_due (session TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE INDEX digest_value ON digest (value);
-- Lines of one session's files that name a branch of another session of the folder, and by which of its records.
CREATE TABLE titled (event INTEGER PRIMARY KEY, session TEXT NOT NULL, leaf TEXT NOT NULL);

-- Messages whose occurrences changed since they were counted; without 'usage' in meta, all.
CREATE TABLE usage_due (key INTEGER PRIMARY KEY);

-- Each API message, counted once: see MessageUsage. 'event' is the first original.
CREATE TABLE message_usage (
  key INTEGER NOT NULL, request INTEGER NOT NULL, event INTEGER NOT NULL,
  quarter INTEGER NOT NULL,         -- quarters of an hour since 1970; see noQuarter
  at INTEGER, session INTEGER NOT NULL, thread INTEGER NOT NULL, model INTEGER NOT NULL,
  flags INTEGER NOT NULL,           -- see usageFlags
  input INTEGER NOT NULL, output INTEGER NOT NULL, cache_creation INTEGER NOT NULL, cache_1h INTEGER NOT NULL,
  cache_read INTEGER NOT NULL, searches INTEGER NOT NULL,
  more INTEGER NOT NULL,            -- output tokens that an estimate adds
  stated INTEGER NOT NULL,          -- billionths of a dollar
  tools INTEGER NOT NULL,           -- names of the tools that it calls, as JSON
  PRIMARY KEY (key, request)
) WITHOUT ROWID;

-- Sums of those: see UsageCell.
CREATE TABLE usage_bucket (
  session INTEGER NOT NULL, quarter INTEGER NOT NULL, thread INTEGER NOT NULL, model INTEGER NOT NULL,
  flags INTEGER NOT NULL, above INTEGER NOT NULL, first INTEGER, last INTEGER, messages INTEGER NOT NULL,
  input INTEGER NOT NULL, output INTEGER NOT NULL, cache_creation INTEGER NOT NULL, cache_1h INTEGER NOT NULL,
  cache_read INTEGER NOT NULL, searches INTEGER NOT NULL, partial INTEGER NOT NULL, more INTEGER NOT NULL,
  stated INTEGER NOT NULL,
  PRIMARY KEY (session, quarter, thread, model, flags, above)
) WITHOUT ROWID;
`

/** Bits that matter for prices: columns `flags` of `message_usage` and `usage_bucket` (all but the last), `marks` of `message`. */
export const usageFlags = { fast: 1, us: 2, synthetic: 4, error: 8, stated: 16, partial: 32 } as const

/** The quarter of messages without a time. */
export const noQuarter = -(2 ** 52)

/** Created after a bulk load, which costs a fraction of maintaining them during it. */
const indexes: readonly string[] = [
  // The first two are for texts: see `createTextIndexes`.
  'text_hash ON text (hash)',
  'text_event_text ON text_event (text, event, n, field)',
  'event_kind ON event (kind)',
  'event_at ON event (at, kind)',
  'event_error ON event (id) WHERE flags & 16',
  `event_oversized ON event (id) WHERE bytes > ${largestLine}`,
  'call_name ON call (name)',
  'call_path ON call (path)',
  'result_name ON result (name)',
  'result_outcome ON result (outcome) WHERE outcome <> 0',
  'message_model ON message (model)',
  'message_key ON message (key)',
  'stored_name ON stored (name)',
  'message_usage_bucket ON message_usage (session, quarter)',
]

/** The indexes by which a known text is found. */
export function createTextIndexes(db: Database): void {
  for (const index of indexes.slice(0, 2)) db.exec(`CREATE INDEX IF NOT EXISTS ${index}`)
}

/** The index by which the statements of one message are found. */
export function createMessageIndex(db: Database): void {
  db.exec('CREATE INDEX IF NOT EXISTS message_key ON message (key)')
}

/** Creates the indexes that are missing. */
export function createIndexes(db: Database): void {
  for (const index of indexes) db.exec(`CREATE INDEX IF NOT EXISTS ${index}`)
}

/** A file that a later Clew made. */
export class NewerIndexError extends Error {
  constructor(found: number) {
    super(`the index was made by a newer Clew (format ${found}, this one knows ${schemaVersion})`)
  }
}

/** 0 where it has none. */
export function versionOf(db: Database): number {
  return Number(db.prepare('PRAGMA user_version').get()?.[0] ?? 0)
}

/** For an empty file. */
export function createTables(db: Database): void {
  db.transaction(() => {
    db.exec(tables)
    db.exec(`PRAGMA user_version = ${schemaVersion}`)
  })
}

// What the bundler gives meaning to: style sheets that a part names (all of them end up in one file), and the address of
// the worker for dropped files.

declare module '*.css' {}

/** Where the bundled `local/worker.ts` lies on the server. */
declare const WORKER_URL: string

// What the bundler gives meaning to: style sheets that a part names (all of them end up in one file), and the address of
// the worker for dropped files.

declare module '*.css' {}

/** The address of the bundled `local/worker.ts`. */
declare const WORKER_URL: string

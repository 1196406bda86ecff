// Files that wait to be read for the index. More may come while others are being read: what is kept just now, for instance.

import type { FileTask } from './rows.ts'

export class TaskQueue {
  private readonly waiting: FileTask[] = []
  private next = 0
  /** Whether more may come. */
  isOpen = true
  /** Bytes that are to be read, of all tasks that ever came. */
  bytes = 0
  /** Told when something came, or when nothing more will. */
  onChange = () => {}

  /** A queue that is complete. */
  static of(tasks: readonly FileTask[]): TaskQueue {
    const queue = new TaskQueue()
    queue.add(tasks)
    queue.close()
    return queue
  }

  add(tasks: readonly FileTask[]): void {
    for (const task of tasks) {
      this.waiting.push(task)
      this.bytes += task.size - task.indexed
    }
    this.onChange()
  }

  /** Nothing more will come. */
  close(): void {
    this.isOpen = false
    this.onChange()
  }

  take(): FileTask | undefined {
    const task = this.waiting[this.next]
    if (task !== undefined) this.next++
    return task
  }

  /** How many were not taken yet. */
  get left(): number {
    return this.waiting.length - this.next
  }

  /** Whether none is left and none will come. */
  get isDone(): boolean {
    return !this.isOpen && this.left === 0
  }
}

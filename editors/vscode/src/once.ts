// One start at a time: activation and a change of settings may both ask for a server (C47).

/** Runs tasks one after the other; of those that wait only the newest is run. */
export class Latest {
  private running: Promise<void> | undefined;
  private waiting: (() => Promise<void>) | undefined;

  /** Resolves when neither a task runs nor one waits. A task must not reject. */
  async run(task: () => Promise<void>): Promise<void> {
    this.waiting = task;
    this.running ??= this.drain();
    await this.running;
  }

  private async drain(): Promise<void> {
    for (let task = this.waiting; task !== undefined; task = this.waiting) {
      this.waiting = undefined;
      await task();
    }
    this.running = undefined;
  }
}

import { CancellationScope } from '@temporalio/workflow';
import type { Controller } from '../../core/operation/control.js';
import { GivenUp, type Place } from './failures.js';

/** What an operation is at, each of which a force gives up. */
export class CurrentSteps {
  readonly #steps = new Map<(by: Controller) => void, Place>();

  get size(): number {
    return this.#steps.size;
  }

  /** Where the one step is that it is at; undefined where there are several. */
  get only(): Place | undefined {
    const [first] = this.#steps.values();
    return this.#steps.size === 1 ? first : undefined;
  }

  giveUp(by: Controller): void {
    for (const giveUp of [...this.#steps.keys()]) giveUp(by);
  }

  /**
   * Does work that a force gives up: then it ends at once with `GivenUp`. What
   * was begun is told to stop, is tried no more, and is waited for no longer.
   */
  async unlessForced<T>(at: Place, work: () => Promise<T>): Promise<T> {
    const scope = new CancellationScope();
    let giveUp = (_by: Controller) => {};
    const forced = new Promise<never>((_, reject) => {
      giveUp = (by) => {
        reject(new GivenUp(at, by));
        scope.cancel();
      };
    });
    this.#steps.set(giveUp, at);
    try {
      return await Promise.race([scope.run(work), forced]);
    } finally {
      this.#steps.delete(giveUp);
    }
  }
}

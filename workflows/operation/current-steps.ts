import { CancellationScope } from '@temporalio/workflow';
import type { Controller } from '../../core/operation/control.js';
import { GivenUp, type Place } from './failures.js';

/** Running steps of an operation. A force gives up each of them. */
export class CurrentSteps {
  readonly #steps = new Map<(by: Controller) => void, Place>();

  get size(): number {
    return this.#steps.size;
  }

  /** Place of the only running step. Undefined if there are several. */
  get only(): Place | undefined {
    const [first] = this.#steps.values();
    return this.#steps.size === 1 ? first : undefined;
  }

  giveUp(by: Controller): void {
    for (const giveUp of [...this.#steps.keys()]) giveUp(by);
  }

  /**
   * Runs work that a force gives up. It then ends at once with `GivenUp`. Begun work is stopped, not retried, and not
   * awaited.
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

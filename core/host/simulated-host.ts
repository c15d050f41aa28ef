import type { Step } from './step.js';

/** Replacement of a machine (the demo provider). */
export interface SimulatedHost {
  /** Fingerprints of the steps that took effect for a taskserv, in order. */
  executed(taskserv: string): Promise<string[]>;
  /**
   * Runs steps; the same key goes on after the last finished step. Ends before
   * its next one after a pause of a higher number than `pauses`.
   */
  run(
    taskserv: string,
    steps: Step[],
    options: { key: string; signal?: AbortSignal; onStep?: (title: string, index: number) => void; pauses?: number },
  ): Promise<{ executed: number; paused?: true }>;
  /** Stops what runs under the key before its next step. */
  pause(key: string, count: number): Promise<void>;
  /**
   * Undoes what ran under the key; answers whether anything is known of that, also where it was undone before.
   *
   * @param keep fingerprints of steps that stay
   */
  undo(taskserv: string, key: string, keep?: readonly string[]): Promise<boolean>;
  healthy(taskserv: string): Promise<boolean>;
}

import { messageOf, ProvisioningError } from '../errors.js';
import type { Progress } from './operation.js';
import { ANSWER_BYTES, type PartsAnswer, type PartsQuery, type ProgressPart } from './progress-parts.js';

/** Maximum size of an answer of an ended operation, as JSON in bytes. */
const ENDED_BYTES = 64 * 1024 * 1024;

/** Temporal's own words come where nothing is compressed. */
const isTooLarge = (error: unknown): boolean =>
  (error instanceof ProvisioningError && error.details.code === 'too-large') ||
  /exceeds (size )?limit|larger than max|message too large/i.test(messageOf(error));

/** An operation that answers queries. */
export interface Askable {
  query<Answer, Args extends unknown[] = []>(name: string, ...args: Args): Promise<Answer>;
}

/**
 * Copy of an operation's progress for a repeated query: only unknown parts are queried. An unchanged item is the same
 * object in two answers; the lists of items are new ones.
 */
export class ProgressCopy {
  #parts: ProgressPart[] = [];

  /** Names of its parts, as the query takes them. */
  get has(): string {
    return this.#parts.map(({ name }) => name).join(' ');
  }

  /**
   * Queries until no part is missing, and returns the progress of the last answer. Throws the query's errors.
   *
   * @param isUnknown whether an error says that the query is unknown: workers of former builds are asked for
   * everything
   * @param most maximum size of an answer as JSON, in bytes; if an answer is too large, less is requested
   */
  async ask(operation: Askable, isUnknown: (error: unknown) => boolean, most = ANSWER_BYTES): Promise<Progress> {
    for (let atMost = most; ; ) {
      try {
        const progress = this.take(await operation.query<PartsAnswer, PartsQuery>('progressParts', this.has, atMost));
        if (progress) return progress;
      } catch (error) {
        if (isTooLarge(error) && atMost > ANSWER_BYTES) atMost = Math.max(ANSWER_BYTES, atMost / 4);
        else if (isUnknown(error)) return operation.query<Progress>('progress');
        else throw error;
      }
    }
  }

  /**
   * The same for an ended operation. Each query replays its whole history, so each requests as much as may fit when it
   * is compressed.
   */
  askEnded(operation: Askable, isUnknown: (error: unknown) => boolean): Promise<Progress> {
    return this.ask(operation, isUnknown, ENDED_BYTES);
  }

  /** Takes what was answered; undefined where there is more to be asked for. */
  take({ parts, whole }: PartsAnswer): Progress | undefined {
    const all = [...this.#parts, ...parts];
    this.#parts = all;
    if (!whole) return undefined;
    const used = new Set<ProgressPart>();
    const progress: Record<string, unknown> = { ...whole.head };
    for (const [key, runs] of Object.entries(whole.lists)) {
      const list = partsIn(all, runs);
      for (const part of list) used.add(part);
      progress[key] = list.flatMap(({ items }) => items);
    }
    this.#parts = [...used];
    return progress as unknown as Progress;
  }
}

function partsIn(all: readonly ProgressPart[], runs: readonly number[]): ProgressPart[] {
  const list: ProgressPart[] = [];
  for (let at = 0; at < runs.length; at += 2) {
    const first = runs[at] as number;
    list.push(...all.slice(first, first + (runs[at + 1] as number)));
  }
  return list;
}

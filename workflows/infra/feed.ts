import {
  CancellationScope,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';
import { type FeedContent, type FeedEntry, isBase, type KnownInfra } from '../../core/infra/feed.js';
import type { FeedState, FeedTrouble } from '../../core/infra/feed-state.js';
import { SEARCH_ATTRIBUTES } from '../../core/names.js';
import { describeFailure } from '../operation/failures.js';
import { Outbox, type OutboxState } from './outbox.js';

/**
 * Through a queue, not from within the entity's own task. While such a task waits, Temporal's server takes at most a
 * hundred signals and then begins it again. A replay would not see them in the same order with its answer.
 */
const { appendFeed } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '15 s',
  retry: { maximumAttempts: 1 },
});
/**
 * From within the entity's own task, which saves a turn: an idle entity gets hardly any signal. A slower answer comes
 * through the queue. So do a snapshot and an end: a task that begins again appends the same changes once more, and the
 * store refuses changes that are older than its latest snapshot.
 */
const near = proxyLocalActivities<Activities>({ startToCloseTimeout: '2 s', retry: { maximumAttempts: 1 } });
/** Asked on its own time until the store takes something, so that an outage adds next to nothing to history. */
const { awaitFeed } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '500 ms', maximumInterval: '1 minute' },
});

/** First pause after a store that can be written to has still not taken what it was given; each further one is twice as long. */
const AGAIN_MS = 1_000;
/** The longest of them: each adds seventeen events to history. */
const LONGEST_AGAIN_MS = 10 * 60_000;

/**
 * Changes of an operation are appended together at its end, because each append is a turn of the entity. Those of a
 * long operation are appended so many milliseconds after the change.
 */
const LAG_MS = 10_000;

const isoNow = () => new Date(Date.now()).toISOString();

/** State for the next run. */
export interface FeedOnTheWay extends OutboxState {
  trouble?: FeedTrouble;
}

/** An infra, and what is known of it. */
interface Source {
  readonly scope: { workspace: string; infra: string; uuid: string };
  known(): KnownInfra;
  /** No operation works and none waits. */
  isQuiet(): boolean;
}

/** The feed of an infra, as its entity writes it: one append at a time, in the order in which it accepted the changes. */
export class FeedWriter {
  /** Why the store does not have all of it. */
  trouble: FeedTrouble | undefined;
  readonly #outbox: Outbox;
  readonly #source: Source;
  readonly #changed: () => void;
  readonly #own = new CancellationScope({ cancellable: true, parent: CancellationScope.current() });
  #running = false;
  #timed = false;
  #appending = false;
  #unsettled = false;
  #resting = false;
  /** How often in a row a store that could be written to did not take it. */
  #failures = 0;

  /** @param changed is called when everything is stored, and when a fault begins or ends */
  constructor(source: Source, state: FeedOnTheWay | undefined, changed: () => void) {
    this.#outbox = new Outbox(state);
    this.trouble = state?.trouble;
    this.#source = source;
    this.#changed = changed;
  }

  /** Whether nothing waits. */
  get isKept(): boolean {
    return this.#outbox.size === 0;
  }

  /** Whether nothing is just being appended. */
  get atRest(): boolean {
    return !this.#appending;
  }

  /**
   * Adds a change. A change without a grant came by an update, whose position among the changes is certain only in the
   * next turn.
   */
  put(content: FeedContent): void {
    if (content.kind === 'changes' && content.grant === undefined) this.#unsettled = true;
    this.#outbox.put(content, isoNow());
    if (content.kind === 'changes' && content.grant !== undefined) this.#runLater();
    else this.#run();
  }

  /** The work of an operation has ended, which waits until its changes are kept. */
  flush(): void {
    this.#run();
  }

  /** A run that was handed something begins with all of it. */
  begin(): void {
    this.put({ kind: 'snapshot', ...this.#source.known() });
  }

  /** The infra is deleted as a whole, unless something comes after this. */
  end(): void {
    this.#outbox.end(isoNow());
    this.#run();
  }

  /** The run ends: what is being appended is still waited for, and what else there is goes to the next. */
  rest(): void {
    this.#resting = true;
  }

  /** Appends nothing any more. */
  close(): void {
    this.#own.cancel();
  }

  /** @param grant whether all is kept that was done under it, so far as the entity knows of it */
  state(grant?: number): FeedState {
    const { last, size, keptUpTo } = this.#outbox;
    const keptOf = grant === undefined ? undefined : !this.#outbox.hasOf(grant);
    const state = { last, waiting: size, kept: keptUpTo };
    return { ...state, ...(keptOf !== undefined && { keptOf }), ...(this.trouble && { trouble: this.trouble }) };
  }

  /** Handed to the next run. */
  onTheWay(): FeedOnTheWay {
    return { ...this.#outbox.state(), ...(this.trouble && { trouble: this.trouble }) };
  }

  get #hasWork(): boolean {
    return !this.isKept && !this.trouble?.refused && !this.#resting;
  }

  #run(): void {
    if (this.#running || !this.#hasWork) return;
    this.#running = true;
    this.#own
      .run(() => this.#appendAll())
      .catch((error) => {
        if (!isCancellation(error)) throw error;
      })
      .finally(() => {
        this.#running = false;
        this.#changed();
      });
  }

  #runLater(): void {
    if (this.#timed || this.#running) return;
    this.#timed = true;
    this.#own
      .run(() => sleep(LAG_MS))
      .then(
        () => {
          this.#timed = false;
          this.#run();
        },
        (error) => {
          if (!isCancellation(error)) throw error;
        },
      );
  }

  async #appendAll(): Promise<void> {
    while (this.#hasWork) {
      if (this.#unsettled) await sleep(1);
      this.#unsettled = false;
      if (this.#outbox.isLong) this.#outbox.replace(this.#source.known(), isoNow());
      const entries = this.#outbox.next();
      try {
        this.#appending = true;
        await this.#append(entries);
        this.#outbox.kept(entries.at(-1)?.sequence ?? 0);
        this.#failures = 0;
        this.#say(undefined);
      } catch (error) {
        if (isCancellation(error)) throw error;
        await this.#afterFailure(error);
      } finally {
        this.#appending = false;
      }
    }
  }

  async #append(entries: FeedEntry[]): Promise<void> {
    const what = { ...this.#source.scope, entries };
    if (this.#source.isQuiet() && !this.trouble && !entries.some(isBase)) {
      const isDone = await near.appendFeed(what).then(
        () => true,
        (error) => {
          if (isCancellation(error)) throw error;
          return false;
        },
      );
      if (isDone) return;
    }
    // A repetition changes nothing if it was appended after all.
    await appendFeed(what);
  }

  async #afterFailure(error: unknown): Promise<void> {
    this.#appending = false;
    const { code, why } = describeFailure(error, { step: 'Append to the feed', on: this.#source.scope.infra });
    // The store has lost what was there before: it gets all that is known.
    if (code === 'feed-gap') return this.#outbox.replace(this.#source.known(), isoNow());
    const since = this.trouble?.since ?? isoNow();
    // The store knows more of the infra than this entity does, which must not write over it.
    if (code === 'feed-conflict') return this.#say({ since, why, refused: true });
    if (this.trouble) await sleep(Math.min(AGAIN_MS * 2 ** this.#failures++, LONGEST_AGAIN_MS));
    this.#say({ since, why });
    await awaitFeed(this.#source.scope).catch(async (error) => {
      if (isCancellation(error)) throw error;
      await sleep(10 * AGAIN_MS);
    });
  }

  #say(trouble: FeedTrouble | undefined): void {
    const before = this.trouble;
    this.trouble = trouble;
    if ((before === undefined) === (trouble === undefined) && before?.refused === trouble?.refused) return;
    upsertSearchAttributes({ [SEARCH_ATTRIBUTES.attention]: trouble ? [trouble.refused ? 'feed-refused' : 'feed'] : [] });
    this.#changed();
  }
}

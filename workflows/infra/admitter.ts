import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { groupByKey } from '../../core/grouped.js';
import type { Grant } from '../../core/infra/lock.js';
import type { Holder, LockRequest } from '../../core/operation/operation.js';
import type { Admission } from './admission.js';
import type { InfraRecord } from './infra-record.js';
import { createWatcher } from './watch-holders.js';

/** Grants on their way at once; the service allows 2,000 signals. */
const ON_THE_WAY = 500;
const NOBODY: ReadonlySet<string> = new Set();

/** Announces admissions. Fails if the receiver does not exist any more. */
export interface Announcer {
  /** Tells an operation what it was given. */
  granted(operation: string, grant: Grant): Promise<void>;
  /** Tells a batch that it may ask for these of its operations again. */
  grantable(batch: string, operations: string[]): Promise<void>;
}

/** Admits operations as soon as it is their turn, and tells them. */
export class Admitter {
  /** Counts what happened: whoever waits looks again when it changes. */
  version = 0;
  #onTheWay = 0;
  /** Whether the state that it begins with is the latest: nothing is given away before. */
  #begun = false;
  #closing = false;
  #halted = false;
  /** Those that get their answer as soon as it has begun. */
  readonly #early = new Set<string>();
  /** Those that have their grant from the run before, and did not hear of it. */
  readonly #again = new Set<string>();
  readonly #record: InfraRecord;
  readonly #admission: Admission;
  readonly #announcing: Announcer;
  // Handlers begin outside of it, where a cancel would end what they do.
  readonly #own = CancellationScope.current();
  readonly #watcher: ReturnType<typeof createWatcher>;

  /** @param paceMs of looks at those who hold locks (watch-holders.ts) */
  constructor(record: InfraRecord, admission: Admission, announcing: Announcer, paceMs?: number) {
    this.#record = record;
    this.#admission = admission;
    this.#announcing = announcing;
    const forget = (operations: string[]) => {
      admission.forget(operations);
      this.admit();
    };
    this.#watcher = createWatcher(admission, forget, paceMs);
  }

  get begun(): boolean {
    return this.#begun;
  }

  /** Whether everybody who was admitted has been told. */
  get allTold(): boolean {
    return this.#onTheWay === 0;
  }

  /** No operation works and none waits. */
  get idle(): boolean {
    return this.#admission.size === 0 && this.allTold;
  }

  /** Begins to admit; who asked early gets the answer that waits for this. */
  begin(): void {
    this.#begun = true;
    this.admit(this.#early);
    for (const operation of this.#again) this.tellAgain(operation);
  }

  /** Stops admissions. */
  close(): void {
    this.#closing = true;
    this.#watcher.stop();
  }

  /** Stops admissions for the rest of its life. */
  halt(): void {
    this.#halted = true;
  }

  /** Admits whom it can; those that are just asking get their answer otherwise. */
  admit(asking: ReadonlySet<string> = NOBODY): void {
    this.version++;
    if (this.#closing || this.#halted || !this.#begun) return;
    const admitted = this.#admission.admit(Date.now(), ON_THE_WAY - this.#onTheWay);
    const others = admitted.filter(({ operation }) => !asking.has(operation));
    for (const holder of others.filter(({ batch }) => batch === undefined)) this.#grant(holder);
    for (const [batch, members] of groupByKey(others, (one) => one.batch)) {
      const operations = members.map(({ operation }) => operation);
      if (batch !== undefined) this.#say(operations, () => this.#announcing.grantable(batch, operations));
    }
    this.#watcher.look();
  }

  /** Tells an operation once more what it was given, which may not have heard the answer. */
  tellAgain(operation: string): void {
    if (!this.#begun) this.#again.add(operation);
    const holder = this.#admission.holder(operation);
    if (holder && this.#begun) this.#grant(holder);
  }

  /** Puts the wishes of a batch into the queue. */
  askMany(wishes: LockRequest[]): void {
    for (const wish of wishes) this.#admission.ask(wish, Date.now());
    if (!this.#begun) for (const wish of wishes) this.#early.add(wish.operation);
  }

  /** Admits whom it can, and answers the grants of those whom the batch asks for. */
  grantsOf(wishes: LockRequest[]): Record<string, Grant> {
    this.admit(new Set(wishes.map(({ operation }) => operation)));
    const holders = wishes.flatMap(({ operation }) => this.#admission.holder(operation) ?? []);
    return Object.fromEntries(holders.map((holder) => [holder.operation, this.#record.grantTo(holder)]));
  }

  #grant(holder: Holder): void {
    const { operation } = holder;
    const grant = this.#record.grantTo(holder);
    this.#say([operation], () => this.#announcing.granted(operation, grant));
  }

  /** Not awaited: a missing receiver is detected later, and the next announcement must not wait for it. */
  #say(operations: string[], saying: () => Promise<void>): void {
    this.#onTheWay++;
    this.#own
      .run(saying)
      .catch((error) => {
        if (isCancellation(error)) throw error;
        this.#admission.forget(operations);
      })
      .finally(() => {
        this.#onTheWay--;
        this.admit();
      });
  }
}

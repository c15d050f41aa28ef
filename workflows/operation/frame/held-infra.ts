import { CancellationScope, condition, workflowInfo } from '@temporalio/workflow';
import { readWorkflowsVersion } from '../../../core/engine/workflows-version.js';
import { inventoryOf } from '../../../core/infra/grant.js';
import { type Inventory, type InventoryChange, ownTables, put } from '../../../core/infra/inventory.js';
import type { Grant, Lock } from '../../../core/infra/lock.js';
import { infraWorkflowId } from '../../../core/names.js';
import type { OperationRequest } from '../../../core/operation/operation.js';
import type { CarriedState } from '../carried.js';
import type { Recording } from '../operation.js';

/** The version of workflows since which changes are told together. */
const TOGETHER_SINCE = 2;

/** An operation's grant, and the inventory with the changes made under it. */
export interface HeldInfra extends Recording {
  /** Undefined until it came. */
  readonly grant: Grant | undefined;
  /** The lock as it is at the moment, for what is done under it. */
  lock(): Lock;
  /** The grant has come. A second one changes nothing. */
  give(grant: Grant): void;
  /** From now on it is the inventory that the grant brought. */
  begin(grant: Grant): void;
  /** How many changes were recorded and told. */
  readonly told: number;
  /** Whether something was recorded, told or not. */
  readonly hasRecorded: boolean;
  /** It goes on with what a former run of the operation held. */
  goOn(carried: CarriedState): void;
  /** Recorded changes that were not reported yet. The caller reports them. */
  takeUntold(): InventoryChange[];
  /** From now on only the caller reports changes, because no work runs any more. */
  close(): void;
  /** Waits for what is on its way, and throws where it did not arrive. */
  arrived(): Promise<void>;
  /** The same for all that was recorded. */
  allArrived(): Promise<void>;
}

/**
 * An infra of which nothing is held yet.
 *
 * @param tell tells the infra's entity what was done under a grant
 */
export function createHeldInfra(
  request: OperationRequest,
  tell: (grant: Grant, changes: InventoryChange[]) => Promise<void>,
): HeldInfra {
  const { workspace, infra } = request;
  let grant: Grant | undefined;
  let inventory: Inventory = { workspace, infra, uuid: '', servers: {}, networks: {} };
  const untold: InventoryChange[] = [];
  let told = 0;
  const telling = new ChangeReporter(tellAll);
  const held: HeldInfra = {
    get grant() {
      return grant;
    },
    lock: () => ({ entity: infraWorkflowId(workspace, infra), ...(grant && { grant: grant.grant }) }),
    get inventory() {
      return inventory;
    },
    get applies() {
      return grant?.applies;
    },
    give(given) {
      grant ??= given;
    },
    begin(given) {
      grant = given;
      inventory = ownTables(inventoryOf(given, request));
    },
    goOn(carried) {
      grant = { ...carried.grant, inventory: carried.inventory };
      inventory = ownTables(carried.inventory);
      told = carried.told;
      untold.push(...carried.untold);
    },
    get told() {
      return told;
    },
    get hasRecorded() {
      return told + untold.length > 0;
    },
    takeUntold() {
      told += untold.length;
      return untold.splice(0);
    },
    async record(...entries) {
      const isUrgent = entries.some((entry) => mustBeKnown(inventory, entry));
      held.recordSoon(...entries);
      if (!grant) return;
      // Completed work is recorded even after a cancel, because otherwise it could not be found.
      await CancellationScope.nonCancellable(() => {
        if (!tellsTogether()) return tellAll();
        if (request.batch) return telling.told();
        return isUrgent ? telling.begun() : telling.soon();
      });
    },
    recordSoon(...entries) {
      for (const entry of entries) put(inventory, entry);
      untold.push(...entries);
    },
    close: () => telling.close(),
    arrived: () => CancellationScope.nonCancellable(() => telling.arrived()),
    allArrived: () => CancellationScope.nonCancellable(() => telling.allArrived()),
  };
  return held;

  async function tellAll(): Promise<void> {
    const changes = held.takeUntold();
    if (grant && (changes.length > 0 || !tellsTogether())) await tell(grant, changes);
  }
}

/** Whether changes of this run are told together, not each by a signal of its own. */
const tellsTogether = (): boolean => readWorkflowsVersion(workflowInfo().memo) >= TOGETHER_SINCE;

/**
 * Reports whether a change says that a machine or network exists or not, or that a machine is on or off. The infra
 * never deletes a resource that it does not know, and would wait for a machine that it takes for running.
 */
function mustBeKnown({ servers }: Inventory, entry: InventoryChange): boolean {
  if (entry.change === 'server') {
    const { name, id, stopped } = entry.server;
    return servers[name]?.id !== id || servers[name]?.stopped !== stopped;
  }
  return entry.change === 'server-gone' || entry.change === 'network' || entry.change === 'network-gone';
}

/**
 * Time that a report waits for further changes, in milliseconds. A signal for each step would take a turn of the
 * operation and one of the infra. Each is synced to the disk while the next step waits for a processor.
 */
const PACE_MS = 500;

/** Tells what was recorded, one telling at a time, so that thousands of units send few signals. */
export class ChangeReporter {
  readonly #tellAll: () => Promise<void>;
  /** The last report. Its failure is kept until a caller gets it. */
  #last: Promise<void> = Promise.resolve();
  #failure: { error: unknown } | undefined;
  #isOnTheWay = false;
  /** Ends once the next one has begun. */
  #next: Promise<void> | undefined;
  #isUrgent = false;
  #closed = false;

  /** @param tellAll tells all that was not told yet */
  constructor(tellAll: () => Promise<void>) {
    this.#tellAll = tellAll;
  }

  /**
   * Reports recorded changes soon. They are in the operation's own history, which survives any process.
   *
   * @throws the error of an earlier report
   */
  async soon(): Promise<void> {
    if (!this.#isOnTheWay) await this.arrived();
    this.#begin(false);
  }

  /**
   * Waits only for earlier reports, and throws their error. Changes recorded now are in history together with the next
   * command, which saves a turn for each step: Temporal delivers them whatever process dies.
   */
  async begun(): Promise<void> {
    const isBehind = this.#isOnTheWay;
    if (!isBehind) await this.arrived();
    const next = this.#begin(true);
    if (isBehind) await next;
  }

  /** Waits until what was recorded now has arrived, and throws where it did not. */
  async told(): Promise<void> {
    await this.#begin(true);
    await this.arrived();
  }

  /** Waits for what is on its way, and throws where it did not arrive. */
  async arrived(): Promise<void> {
    await this.#last;
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure.error;
  }

  /** Waits until all that was recorded has arrived. */
  async allArrived(): Promise<void> {
    while (this.#next) await this.#begin(true);
    await this.arrived();
  }

  /** Begins nothing more: what was not told is taken by whoever ends the operation. */
  close(): void {
    this.#closed = true;
  }

  #begin(isUrgent: boolean): Promise<void> {
    this.#isUrgent ||= isUrgent;
    this.#next ??= this.#beginNext().finally(() => {
      this.#next = undefined;
      this.#isUrgent = false;
    });
    return this.#next;
  }

  /** Never fails: what does not arrive is heard of by whoever waits for that. */
  async #beginNext(): Promise<void> {
    await condition(() => this.#isUrgent || this.#closed, PACE_MS);
    await this.#last;
    // Further changes of this turn are included. If the operation ends in it, its end has all of them.
    await endOfTurn();
    if (this.#closed || this.#failure) return;
    this.#isOnTheWay = true;
    this.#last = this.#tellAll()
      .catch((error: unknown) => {
        this.#failure = { error };
      })
      .finally(() => {
        this.#isOnTheWay = false;
      });
  }
}

/** Conditions are looked at once all else of a turn was done. */
function endOfTurn(): Promise<void> {
  let looks = 0;
  return condition(() => looks++ > 0);
}

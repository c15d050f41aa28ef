import { setTimeout as sleep } from 'node:timers/promises';
import type { Inventory } from '../../core/infra/inventory.js';
import type { OperationRequest, OperationResult } from '../../core/operation/operation.js';
import { demoAccount } from '../support/demo.js';
import type { TestEngine } from '../support/engine.js';
import { pauseAfter } from '../support/operations.js';
import { type Finding, type FindingKind, waitsWithReason } from './findings.js';
import { wentOnAt } from './going-on.js';
import { lookAt } from './observe.js';
import type { RoundResult } from './round-result.js';

/**
 * Maximum duration of an operation after its fault, in milliseconds. The platform's longest wait is 15 s for a
 * heartbeat.
 */
const SETTLE_MS = 90_000;

let count = 0;

/** Context of one round: an engine, draws that the seed fixes, and a record of actions and observations. */
export class Stage {
  readonly engine: TestEngine;
  readonly account: ReturnType<typeof demoAccount>;
  readonly random: () => number;
  readonly infra: string;
  readonly operations: string[] = [];
  readonly findings: Finding[] = [];
  readonly moment: string[] = [];
  ended: RoundResult['ended'] = 'well';
  #fault?: number;
  /** Operations that the fault may have affected. */
  #hit: string[] = [];
  #restart?: number;

  /** @param infra shared by rounds; default: an own infra that neither an earlier nor a concurrent run uses */
  constructor(engine: TestEngine, random: () => number, infra?: string) {
    this.engine = engine;
    this.random = random;
    this.account = demoAccount(engine);
    this.infra = infra ?? `chaos-${process.pid}-${++count}`;
  }

  find(kind: FindingKind, what: string): void {
    this.findings.push({ kind, what });
  }

  demand(holds: boolean, otherwise: string): void {
    if (!holds) this.find('wrong', otherwise);
  }

  add(findings: Finding[]): void {
    this.findings.push(...findings);
  }

  /** Draws an integer from `least` to `most`, inclusive. */
  draw(least: number, most: number): number {
    return least + Math.floor(this.random() * (most - least + 1));
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)] as T;
  }

  /** Draws at least one item, and keeps the order. */
  some<T>(list: readonly T[]): T[] {
    const sure = this.pick(list);
    return list.filter((one) => one === sure || this.random() < 0.4);
  }

  /** Waits for a drawn time of at most so many milliseconds. */
  async later(mostMs: number): Promise<void> {
    const ms = this.draw(0, mostMs);
    this.moment.push(`+${ms} ms`);
    await sleep(ms);
  }

  /** Completes a request with the product's default timings, unless the wish has others. */
  request(wish: Partial<OperationRequest> & Pick<OperationRequest, 'intent'>): OperationRequest {
    const { kind = 'cluster', intent, infra = this.infra } = wish;
    const id = `${kind}-${intent.verb}-${infra}-${++count}`;
    return { id, kind, workspace: 'default', infra, actor: 'chaos', onFailure: 'rollback', allowDestroy: true, ...wish };
  }

  async submit(wish: Partial<OperationRequest> & Pick<OperationRequest, 'intent'>): Promise<string> {
    const { operation } = await (await this.engine.client()).operations.submit({ request: this.request(wish) });
    this.operations.push(operation);
    return operation;
  }

  /** Runs an operation without faults, for preparation or removal. Throws unless it ends well. */
  async undisturbed(wish: Partial<OperationRequest> & Pick<OperationRequest, 'intent'>): Promise<OperationResult> {
    const operation = await this.submit(wish);
    const result = await (await this.engine.client()).operations.result({ operation });
    if (result.status !== 'done') throw new Error(`${operation} ended ${result.status}: ${result.error?.why}`);
    return result;
  }

  /** Records the time of the fault. Only the first call counts. */
  strike(): void {
    if (this.#fault === undefined) this.#hit = [...this.operations];
    this.#fault ??= Date.now();
  }

  /** Restarts every component that does not run. */
  async restart(): Promise<void> {
    this.#restart = Date.now();
    await this.engine.up();
  }

  /**
   * Waits until all operations have ended or wait for a person. The checks later find an operation that does neither
   * in time.
   */
  async settled(withinMs = SETTLE_MS): Promise<void> {
    const began = Date.now();
    const until = began + withinMs;
    for (const operation of this.operations) {
      for (;;) {
        const checked = Date.now();
        const seen = await lookAt(this.engine, operation).catch((error: unknown) => {
          if (Date.now() > until) throw error;
        });
        if (seen && waitsWithReason(seen)) this.ended = 'waits';
        if ((seen && (!seen.open || waitsWithReason(seen))) || Date.now() > until) break;
        await pauseAfter(began, checked);
      }
    }
  }

  async result(operation: string): Promise<OperationResult> {
    return (await this.engine.client()).operations.result({ operation });
  }

  async inventory(): Promise<Inventory | undefined> {
    return (await this.engine.client()).infras.inventory({ workspace: 'default', infra: this.infra });
  }

  /** Returns the seconds until the slowest operation resumed. Empty without a fault to measure from. */
  async times(): Promise<Pick<RoundResult, 'secondsFromFault' | 'secondsFromRestart'>> {
    const [fault, restart] = [this.#fault, this.#restart];
    if (fault === undefined) return {};
    const all = await Promise.all(this.#hit.map((operation) => wentOnAt(this.engine, operation, fault)));
    const moments = all.filter((at) => at !== undefined);
    if (moments.length === 0) return {};
    const last = Math.max(...moments);
    return {
      secondsFromFault: (last - fault) / 1000,
      secondsFromRestart: restart === undefined ? undefined : Math.max(0, last - restart) / 1000,
    };
  }
}

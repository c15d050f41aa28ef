import { setTimeout as sleep } from 'node:timers/promises';
import { infraWorkflowId } from '../../core/names.js';
import { batchOf, farm, server } from '../support/batches.js';
import { demoDefinition } from '../support/definition.js';
import { requestOf, type Wish } from '../support/operations.js';
import type { Receiver, Target } from './forged.js';
import type { Victim } from './victim.js';

/** Sources of recorded messages. */
export interface Scene {
  /** Ended workflows of each type. */
  ended: Record<string, string>;
  /** Other workflows for each kind of receiver, with many recorded messages. */
  donors: Record<Receiver, string[]>;
}

const entityOf = (infra: string) => infraWorkflowId('default', infra);
const definition = (infra: string, servers: number, taskservs: string[] = []) =>
  demoDefinition(infra, { servers: [{ name: 'web', count: servers }], taskservs });

/** Counter for unused names. */
let count = 0;

/** Work of a home's owner before the attack, and the targets of the attack. */
export class Stage {
  /** Each stage of a home has its own infras. */
  private readonly own = (name: string) => `${name}-${this.mark}`;
  private readonly mark = ++count;

  constructor(private readonly victim: Victim) {}

  private get client() {
    return this.victim.client;
  }

  async submit(wish: Wish): Promise<string> {
    return (await this.client.operations.submit({ request: requestOf(wish) })).operation;
  }

  private async run(wish: Wish): Promise<string> {
    const id = await this.submit(wish);
    await this.client.operations.result({ operation: id });
    return id;
  }

  private async until(operation: string, ...statuses: string[]): Promise<void> {
    for (const limit = Date.now() + 60_000; ; await sleep(50)) {
      const { status } = await this.client.operations.progress({ operation });
      if (statuses.includes(status)) return;
      if (Date.now() > limit) throw new Error(`${operation} is ${status}, not ${statuses.join(' or ')}`);
    }
  }

  /** Submits until the service accepts it: a team's service knows its search attributes only after a while. */
  private async taken(wish: Wish): Promise<void> {
    for (const until = Date.now() + 120_000; ; await sleep(1_000)) {
      try {
        await this.run(wish);
        return;
      } catch (error) {
        if (!/no mapping defined/.test(String(error)) || Date.now() > until) throw error;
      }
    }
  }

  /** Does everything once, so that every message is recorded. */
  async prepare(): Promise<Scene> {
    const { client } = this;
    const workspace = 'default';
    const [GONE, BAKERY, TOLD, FARM] = ['gone', 'bakery', 'told', 'farm'].map(this.own) as [string, string, string, string];
    await this.taken({ infra: this.own('first'), definition: definition(this.own('first'), 1) });
    const gone = this.run({ infra: GONE, definition: definition(GONE, 1) }).then(() =>
      this.run({ infra: GONE, intent: { verb: 'delete' }, allowDestroy: true }),
    );
    // Awaited at the end.
    gone.catch(() => {});
    const cluster = await this.run({ infra: BAKERY, definition: definition(BAKERY, 2, ['redis']) });
    const servers = await this.run({ infra: BAKERY, kind: 'server', intent: { verb: 'ensure', servers: ['web-1'] } });
    const taskserv = await this.run({ infra: BAKERY, kind: 'taskserv', intent: { verb: 'ensure', taskservs: ['redis'] } });
    await client.providers.plans({ provider: 'demo' }).catch(() => {});
    await client.infras.refresh({ workspace, infra: BAKERY });
    await client.orphans.list({ workspace });
    await client.servers
      .import({ workspace, infra: BAKERY, provider: 'demo', server: 'none', name: 'none', check: true })
      .catch(() => {});
    const controlled = await this.submit({ infra: TOLD, definition: definition(TOLD, 1), approve: ['before-change'] });
    await this.until(controlled, 'waiting');
    await client.operations.pause({ operation: controlled });
    await client.operations.resume({ operation: controlled });
    await client.operations.approve({ operation: controlled, approved: true });
    await client.operations.result({ operation: controlled });
    const batch = await this.batch('done', FARM, ['a', 'b']);
    await client.batches.approve({ batch }).catch(() => {});
    await client.batches.result({ batch });
    await gone;
    const ended = { cluster, server: servers, taskserv, batch, infra: entityOf(GONE) };
    const entities = [entityOf(BAKERY), entityOf(FARM)];
    return { ended, donors: { entity: entities, operation: [controlled], queued: [cluster, servers], batch: [batch] } };
  }

  private async batch(name: string, infra: string, servers: string[], more: object = {}): Promise<string> {
    const file = { 'farm.json': farm(infra, servers) };
    const plan = await batchOf(name, { operations: servers.map((one) => server(one)), ...more }, file);
    const id = `batch-${name}-${process.pid}x${++count}`;
    return (await this.client.batches.submit({ ...plan, id, workspace: 'default', timing: { retryMs: 50 } })).batch;
  }

  /** Creates an infra that one operation locks, while another one and a batch wait for it. */
  async target(): Promise<Target & { infra: string }> {
    const infra = `aim-${++count}`;
    const operation = await this.submit({ infra, definition: definition(infra, 1), approve: ['before-change'] });
    await this.until(operation, 'waiting');
    await this.client.operations.pause({ operation });
    await this.client.operations.resume({ operation });
    const queued = await this.submit({ infra, definition: definition(infra, 1), approve: ['before-change'] });
    await this.until(queued, 'queued');
    const batch = await this.batchAt(infra);
    return { infra, entity: entityOf(infra), operation, queued, batch, other: entityOf(this.own('bakery')) };
  }

  /** Starts a batch. Its first operation waits for the infra's lock, its second works for an hour on another infra. */
  private async batchAt(infra: string): Promise<string> {
    const [waits, works] = ['a', 'endless-1'];
    const files = { 'held.json': farm(infra, [waits]), 'farm.json': farm(`${infra}-own`, [works]) };
    const operations = [server(waits, { file: 'held.json' }), server(works)];
    const plan = await batchOf('aim', { operations }, files);
    const id = `batch-aim-${process.pid}x${++count}`;
    await this.client.batches.submit({ ...plan, id, workspace: 'default', timing: { retryMs: 50 } });
    for (const limit = Date.now() + 60_000; ; await sleep(50)) {
      const { marks, why } = await this.client.batches.state({ batch: id });
      if (marks === 'ar') return id;
      if (Date.now() > limit) throw new Error(`${id} is ${marks}: ${JSON.stringify(why)}`);
    }
  }

  /** Returns the owner's view of a target. The effect of a forged message is visible in it. */
  async view({ infra, operation, queued, batch }: Target & { infra: string }): Promise<string> {
    const { client } = this;
    const [inventory, locks, first, second, many] = await Promise.all([
      client.infras.inventory({ workspace: 'default', infra }),
      client.infras.locks({ workspace: 'default', infra }),
      client.operations.progress({ operation }),
      client.operations.progress({ operation: queued }),
      client.batches.state({ batch }),
    ]);
    const { servers = {}, networks = {}, definition: applied } = inventory ?? {};
    const names = (list: { operation: string }[]) => list.map((one) => one.operation);
    return JSON.stringify({
      inventory: [Object.keys(servers), Object.keys(networks), applied?.infra],
      locks: [names(locks.holders), names(locks.waiters)],
      operations: [first, second].map(({ status, control, waiting }) => [status, waiting?.slice(0, 40), control.length]),
      batch: [many.status, many.marks, many.control.length, many.stopping],
    });
  }

  /** Reports whether the owner's commands still work: the legitimate form of every attack. */
  async serves(last: Target & { infra: string }): Promise<boolean> {
    const { client } = this;
    await client.batches.cancel({ batch: last.batch }).catch(() => {});
    await client.operations.cancel({ operation: last.queued }).catch(() => {});
    const { infra, operation, queued, batch } = await this.target();
    await client.operations.approve({ operation, approved: true });
    const made = await client.operations.result({ operation });
    await this.until(queued, 'waiting', 'done', 'superseded');
    await client.operations.approve({ operation: queued, approved: false }).catch(() => {});
    await client.batches.cancel({ batch });
    const gone = await this.run({ infra, intent: { verb: 'delete' }, allowDestroy: true });
    return made.status === 'done' && (await client.operations.result({ operation: gone })).status === 'done';
  }
}

import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '../../../client/client.js';
import { connect } from '../../../client/connect.js';
import { ProvisioningError } from '../../../core/errors.js';
import { provisioning } from '../../support/command-line.js';
import type { Fault } from '../fault.js';
import type { Stage } from '../stage.js';
import type { Work } from '../work.js';
import { judgeWell, prepare, SLOW } from './demo-work.js';

/** A way to submit an operation. Returns its id, or the reason of the rejection. */
type Way = (stage: Stage, work: Work, queue: boolean, before: Client) => Promise<{ queued: string } | { refused: string }>;

const by =
  (client: (stage: Stage, before: Client) => Promise<Client>): Way =>
  async (stage, work, queue, before) => {
    try {
      const { operation, queued } = await (await client(stage, before)).operations.submit({
        request: stage.request(work.wish),
        queue,
      });
      stage.demand(queued === true, 'it was taken without a word that it waits');
      return { queued: operation };
    } catch (error) {
      if (!(error instanceof ProvisioningError)) throw error;
      return { refused: error.details.code };
    }
  };

const WAYS = {
  async command(stage, { wanted, file, infra }, queue) {
    const path = join(stage.engine.home.root, `${randomUUID()}.json`);
    if (file) await writeFile(path, JSON.stringify(file));
    const what = wanted ? ['apply', path, '--allow-destroy'] : ['delete', infra];
    const { code, stdout, stderr } = await provisioning(stage.engine, [...what, '--yes', ...(queue ? ['--queue'] : [])]);
    const [, id] = /^queued as (\S+): no worker runs/m.exec(stdout) ?? [];
    if (code === 0 && id) return { queued: id };
    stage.demand(
      code === 3 && /^error: .*no worker of this home is running\n(hint: .*\n)?$/.test(stderr),
      `it ended ${code}: ${stderr}`,
    );
    return { refused: 'no-worker' };
  },
  client: by(({ engine }) => engine.client()),
  /** A client that was opened through the worker while the worker ran. */
  'client of before': by(async (_, before) => before),
} as const satisfies Record<string, Way>;

type WayName = keyof typeof WAYS;

export const noWorker: Fault[] = [
  {
    name: 'no-worker',
    about: 'the worker ends before an operation is submitted: it is refused and never runs, or with --queue runs with the next one',
    on: 'demo',
    async round(stage) {
      const work = await prepare(stage);
      await stage.account.behave({ latencyMs: SLOW });
      const { home, env } = stage.engine;
      const before = await connect({ home, env });
      const end = stage.pick(['killWorker', 'termWorker'] as const);
      const refusedBy = stage.some(Object.keys(WAYS) as WayName[]);
      const queuedBy = stage.random() < 0.5 ? stage.pick(['command', 'client'] as const) : undefined;
      stage.moment.push(end, `refused: ${refusedBy.join(' ')}`, queuedBy ? `queued: ${queuedBy}` : 'none queued');
      await stage.engine[end]();
      await stage.later(2_000);
      for (const way of refusedBy) {
        const said = await WAYS[way](stage, work, false, before);
        const wanted = way === 'client of before' ? 'engine-not-answering' : 'no-worker';
        stage.demand('refused' in said && said.refused === wanted, `${way}: ${JSON.stringify(said)} instead of ${wanted}`);
      }
      await before.close();
      if (queuedBy) {
        const said = await WAYS[queuedBy](stage, work, true, before);
        stage.demand('queued' in said, `${queuedBy} --queue: ${JSON.stringify(said)}`);
        if ('queued' in said) stage.operations.push(said.queued);
      }
      await stage.restart();
      // A rejected operation that ran anyway would have done this work, or would conflict with it.
      if (!queuedBy) await stage.submit(work.wish);
      await judgeWell(stage, work);
      await judgeNothingElse(stage);
    },
  },
];

/** Checks that Temporal has no other operations of the infra than the accepted ones. */
export async function judgeNothingElse(stage: Stage): Promise<void> {
  const known = (await (await stage.engine.client()).operations.list({ infra: stage.infra })).map(({ operation }) => operation);
  const others = known.filter((operation) => !stage.operations.includes(operation));
  stage.demand(others.length === 0, `${others.join(', ')} was refused and is there`);
}

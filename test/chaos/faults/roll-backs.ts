import type { Fault } from '../fault.js';
import { judgeAccount, judgeOperations } from '../judge.js';
import { existingInDemo } from '../observe.js';
import { doomed, judgeRolledBack, rollbackOf, whileRollingBack } from './undertaking.js';

export const rollBacks: Fault[] = [
  {
    name: 'worker-kill-rollback',
    about: 'kill -9 of the worker in the middle of a rollback',
    on: 'demo',
    async round(stage) {
      const begun = await whileRollingBack(stage);
      await stage.engine.killWorker();
      stage.strike();
      await stage.restart();
      await judgeRolledBack(stage, begun, ['rolled-back']);
    },
  },
  {
    name: 'compensation-fails',
    about: 'compensations that finally fail: named with their reason, in the inventory, and rolled back by `workflow rollback`',
    on: 'demo',
    async round(stage) {
      // Without db nothing would be rejected.
      const names = ['db', ...stage.some(['web-1', 'web-2'])];
      const verbs = names.map((name) => ({ verb: 'servers.delete', name, error: 'user' as const }));
      const begun = await doomed(stage, [...verbs, { verb: 'networks.delete', error: 'user' }]);
      await stage.settled();
      await judgeOperations(stage);
      await judgeAccount(stage);
      const failed = await stage.result(begun.operation);
      const existing = existingInDemo(await stage.account.read(), stage.infra);
      const named = (failed.left ?? [])
        .filter((text) => /^\S+ \S+ \(.+; provisioning workflow rollback \S+.*\)$/.test(text))
        .map((text) => text.split(' (')[0]);
      const fails = (await stage.account.read()).settings.failures.map(({ name }) => name);
      const owed = names.filter((name) => !fails.includes(name)).map((name) => `server ${name}`);
      stage.moment.push(`left: ${named.join(', ') || 'nothing'}`);
      for (const name of owed) stage.demand(named.includes(name), `${name} is left and not named`);
      for (const name of named) {
        const [kind, thing = ''] = name?.split(' ') ?? [];
        stage.demand(kind !== 'server' || existing.servers.includes(thing), `${name} is named as left and is gone`);
      }
      stage.demand(named.length > 0, 'nothing is named as left');
      await stage.account.behave({});
      await stage.undisturbed({ intent: rollbackOf(begun.operation) });
      await judgeAccount(stage);
      await begun.compare();
    },
  },
  {
    name: 'worker-kill-question',
    about: 'kill -9 of the worker while a question stands: it stands afterwards, and its answer counts',
    on: 'demo',
    async round(stage) {
      const begun = await doomed(stage, [], 'ask');
      await stage.settled();
      stage.demand(stage.ended === 'waits', 'it does not wait');
      await stage.later(500);
      await stage.engine.killWorker();
      await stage.restart();
      const restarted = performance.now();
      await stage.settled();
      stage.moment.push(`asked again after ${Math.round(performance.now() - restarted)} ms`);
      await judgeOperations(stage);
      const client = await stage.engine.client();
      const asked = await client.operations.progress({ operation: begun.operation });
      stage.demand(asked.status === 'waiting', `after the restart it is ${asked.status}`);
      await client.operations.decide({ operation: begun.operation, decision: 'rollback' });
      await client.operations.result({ operation: begun.operation });
      await judgeRolledBack(stage, begun, ['rolled-back']);
    },
  },
];

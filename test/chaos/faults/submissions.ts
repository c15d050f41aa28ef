import { setTimeout as sleep } from 'node:timers/promises';
import { ProvisioningError } from '../../../core/errors.js';
import type { Fault } from '../fault.js';
import { judgeWell, prepare, SLOW } from './demo-work.js';

export const submissions: Fault[] = [
  {
    name: 'same-twice',
    about: 'the same operation submitted several times: at once, while it runs, after its end, and as another one',
    on: 'demo',
    async round(stage) {
      const work = await prepare(stage);
      await stage.account.behave({ latencyMs: SLOW });
      const client = await stage.engine.client();
      const request = stage.request(work.wish);
      const submit = () =>
        client.operations.submit({ request }).then(
          () => true,
          (error: unknown) => {
            const code = error instanceof ProvisioningError ? error.details.code : String(error);
            stage.demand(code === 'operation-exists', `the second submission was refused with ${code}`);
            return false;
          },
        );
      const tries = Array.from({ length: stage.draw(2, 4) }, async (_, index) => {
        await sleep(index === 0 ? 0 : stage.draw(0, 1) * stage.draw(1, 1_500));
        return submit();
      });
      // The same request under another id. Nothing is left to do.
      await stage.later(1_000);
      stage.operations.push(request.id);
      const other = await stage.submit(work.wish);
      const accepted = (await Promise.all(tries)).filter(Boolean).length;
      stage.demand(accepted === 1, `it was accepted ${accepted} times`);
      await judgeWell(stage, work);
      stage.demand(!(await submit()), 'it was accepted again after its end');
      const did = await Promise.all([request.id, other].map(async (id) => (await stage.result(id)).steps.executed));
      stage.demand(Math.min(...did) === 0, `both did something: ${did.join(' and ')} steps`);
    },
  },
];

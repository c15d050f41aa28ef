import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationResult } from '../../../core/operation/operation.js';
import { type LoadReport, steadyLoad } from '../../support/load.js';
import { compareApply, compareLook } from '../compare.js';
import { pageOf, type Wish } from '../definition.js';
import { addressOf, doAt, running } from '../machine.js';
import type { Said, Session } from '../session.js';

const PER_SECOND = 20;

/** Minimum number of requests during each change. */
const REQUESTS = 300;

/** Results of the requests during a change and for a while after it. */
export interface Phase {
  what: string;
  requests: number;
  failed: number;
  wrong: number;
}

const failedOf = ({ failed }: LoadReport) => Object.values(failed).reduce((sum, count) => sum + count, 0);

const STATS = `curl -s 'http://127.0.0.1:8404/stats;csv' | awk -F, '$1 == "servers" && $2 != "BACKEND" && $18 ~ /^UP/ { print $2 }'`;

/** Returns the servers that are up according to haproxy's statistics. */
const upAt = async (infra: string): Promise<string> =>
  (await doAt(infra, 'lb', STATS))
    .split('\n')
    .map((name) => name.replace(/-nginx$/, ''))
    .sort()
    .join(', ');

const websOf = ({ json }: Said<OperationResult>) =>
  json.services
    .filter(({ taskserv }) => taskserv === 'nginx')
    .map(({ server }) => server)
    .sort()
    .join(', ');

/** Adds, changes and removes backends while requests pass through haproxy. */
export async function scale(session: Session): Promise<Phase[]> {
  const { infra, compare } = session;
  const url = `http://${await addressOf(infra, 'lb')}/`;
  let right = [pageOf(session.wish.page)];
  const load = steadyLoad(url, PER_SECOND, () => right);
  const phases: Phase[] = [];

  /** Applies a change under load, and compares haproxy's backends. */
  async function under(what: string, change: Partial<Wish>, options = ''): Promise<Said<OperationResult>> {
    session.act(`${what}, under load`);
    const before = load.soFar();
    if (change.page) right = [...right, pageOf(change.page)];
    await session.edit(change);
    const applied = await compareApply(session, options);
    right = [pageOf(session.wish.page)];
    while (load.soFar().sent - before.sent < REQUESTS) await sleep(200);
    const after = load.soFar();
    const requests = after.sent - before.sent;
    const [failed, wrong] = [failedOf(after) - failedOf(before), after.wrong - before.wrong];
    phases.push({ what, requests, failed, wrong });
    const up = await upAt(infra);
    compare(applied, {
      said: `${applied.json.status}, web servers ${websOf(applied)}`,
      truth: `haproxy has up: ${up}; ${requests} requests: ${failed} failed, ${wrong} wrong answers`,
      agree: websOf(applied) === up && failed === 0 && wrong === 0,
    });
    return applied;
  }

  try {
    await under('two backends are added (1→3)', { webs: 3 });
    await compareLook(session, 'taskserv status');
    const change: Partial<Wish> = { page: 'four', onChange: 'restart', statusPath: '/status' };
    await restarted(session, () => under('all backends are changed and restarted', change));
    await refused(session);
    const removed = await under('two backends are removed (3→1)', {}, ' --allow-destroy');
    const deleted = removed.json.plan.filter(({ machine }) => machine === 'delete').map(({ on }) => on);
    const left = (await running(infra)).join(', ');
    compare(removed, {
      said: `${deleted.sort().join(', ')} deleted`,
      truth: `containers ${left}`,
      agree: left === 'hub, lb, web-1' && deleted.join() === 'web-2,web-3',
    });
    await alone(session, () => under('the only backend is changed', { page: 'alone' }), phases);
  } finally {
    const report = await load.stop();
    const failed = failedOf(report) > 0 ? ` ${JSON.stringify(report.failed)}` : '';
    compare(
      { line: 'apply shop.yaml --yes' },
      {
        said: 'four changes of what serves',
        truth: `${report.sent} requests in all, ${failedOf(report)} failed${failed}, ${report.wrong} wrong answers, slowest ${report.slowestMs} ms`,
        agree: report.sent >= 4 * REQUESTS && report.ok === report.sent,
      },
    );
  }
  return phases;
}

const pidsOf = (infra: string) =>
  Promise.all(['web-1', 'web-2', 'web-3'].map((web) => doAt(infra, web, 'systemctl show -p MainPID --value nginx')));

async function restarted({ infra, compare }: Session, change: () => Promise<Said<OperationResult>>): Promise<void> {
  const before = await pidsOf(infra);
  const applied = await change();
  const after = await pidsOf(infra);
  const said = applied.json.plan.filter(({ title }) => title === 'Restart nginx').length;
  const seen = after.filter((pid, index) => pid !== before[index]).length;
  compare(applied, {
    said: `nginx restarted on ${said} servers`,
    truth: `systemctl: ${seen} have another main process`,
    agree: said === 3 && seen === 3,
  });
}

/** Checks that a preview reports whether a change of the only backend interrupts service. */
async function alone(session: Session, change: () => Promise<unknown>, phases: readonly Phase[]): Promise<void> {
  const { page } = session.wish;
  await session.edit({ page: 'alone' });
  const preview = await session.ask<OperationResult>('apply FILE --check');
  await session.edit({ page });
  await change();
  const interrupts = preview.json.plan.filter((step) => step.change === 'interrupt').map(({ title }) => title);
  const failed = phases.at(-1)?.failed;
  session.compare(preview, {
    said: `${preview.json.plan.map(({ title }) => title).join('; ')}; ${interrupts.length} interrupt service`,
    truth: `${failed} requests failed`,
    agree: preview.json.plan.length > 0 && (interrupts.length === 0) === (failed === 0),
  });
}

/** Checks that --yes is not enough to destroy servers. */
async function refused(session: Session): Promise<void> {
  session.act('the removal of two backends is not allowed');
  await session.edit({ webs: 1 });
  const refusal = await session.ask<OperationResult>('apply FILE --yes');
  const left = (await running(session.infra)).join(', ');
  session.compare(refusal, {
    said: `exit code ${refusal.code}: ${refusal.json.error?.why ?? refusal.json.status}`,
    truth: `containers ${left}`,
    agree: refusal.code === 2 && left === 'hub, lb, web-1, web-2, web-3',
  });
}

import type { OperationResult } from '../../../core/operation/operation.js';
import { compareApply, compareLook, comparePreview, nameOf, truths } from '../compare.js';
import { pageOf } from '../definition.js';
import { at, doAt } from '../machine.js';
import type { Said, Session } from '../session.js';

const REPAIRED = ['hub/redis', 'web-1/firewall', 'web-1/node-exporter'];
const ROLL_BACK = { line: 'workflow rollback OPERATION --yes' };

const pageAt = async ({ infra }: Session) => (await at(infra, 'web-1', 'curl -s http://127.0.0.1/')).out;

/** Returns the repaired services that run, as the hosts report them. */
const runningOf = async (session: Session): Promise<string> =>
  (await truths(session))
    .filter((one) => one.runs && REPAIRED.includes(nameOf(one)))
    .map(nameOf)
    .sort()
    .join(', ');

const outcomes = ({ json }: Said<OperationResult>, which: string): string =>
  (json.outcomes ?? [])
    .filter(({ outcome, on }) => outcome === which && on.startsWith('taskserv '))
    .map(({ on }) => on.replace(/^taskserv (\S+) on (\S+)$/, '$2/$1'))
    .sort()
    .join(', ');

/** Returns the services that the preview of a roll-back keeps. */
const stayingIn = ({ json }: Said<OperationResult>): string =>
  (json.notes ?? [])
    .flatMap(({ text }) =>
      [...text.matchAll(/taskserv (\S+) on ([^\s;]+)/g)].map(([, taskserv, server]) => `${server}/${taskserv}`),
    )
    .sort()
    .join(', ');

/** Makes a small change on a host that has drifted elsewhere, and rolls it back. */
export async function unrelated(session: Session): Promise<void> {
  const { infra } = session;
  session.act('a small change on hosts that have drifted elsewhere');
  const former = session.wish.page;
  await doAt(infra, 'web-1', 'systemctl stop prometheus-node-exporter; nft delete table inet provisioning');
  await doAt(infra, 'hub', 'systemctl stop redis-server');
  await session.edit({ page: 'five' });
  await comparePreview(session, { changed: ['web-1/nginx'] });
  const { operation } = (await compareApply(session)).json;

  session.act('its roll-back');
  const by = await compareRollBack(session, operation, former);
  await session.edit({ page: former });
  await compareLook(session, 'taskserv status');
  await comparePreview(session);

  session.act('the same roll-back again');
  const again = await session.tell(`workflow rollback ${operation} --yes`);
  const [first = ''] = again.text.split('\n');
  const page = await pageAt(session);
  session.compare(ROLL_BACK, {
    said: `exit code ${again.code}: ${first.replace(operation, 'OPERATION').replace(by, 'ANOTHER')}`,
    truth: `web-1 serves ${page}, as before`,
    agree: again.code === 0 && first.includes(`was rolled back by ${by}`) && page === pageOf(former),
  });
  await repairsToo(session, operation);
}

/** Compares the preview of a roll-back with its result. Returns the operation that rolled back. */
async function compareRollBack(session: Session, operation: string, former: string): Promise<string> {
  const preview = await session.ask<OperationResult>(`workflow rollback ${operation} --check`);
  const undoes = preview.json.plan.map(({ on, taskserv, title }) => `${taskserv ? `${on}/${taskserv}` : on}: ${title}`);
  const before = await pageAt(session);
  const back = await session.ask<OperationResult>(`workflow rollback ${operation} --yes`);
  const page = await pageAt(session);
  const well = await runningOf(session);
  const isUndone = page === pageOf(former) && well === REPAIRED.join(', ');
  const truth = `web-1 served ${before}, and now ${page}; ${well} run`;
  session.compare(
    { line: 'workflow rollback OPERATION --check' },
    {
      said: `${undoes.join('; ')}; stay: ${stayingIn(preview)}`,
      truth,
      agree: isUndone && before === pageOf('five') && /^web-1\/nginx: Undo: /.test(undoes[0] ?? '') && stayingIn(preview) === well,
    },
  );
  session.compare(ROLL_BACK, {
    said: `exit code ${back.code}, ${back.json.status}: undone ${outcomes(back, 'undone')}; stay: ${outcomes(back, 'stays')}`,
    truth,
    agree: isUndone && back.code === 0 && outcomes(back, 'undone') === 'web-1/nginx' && outcomes(back, 'stays') === well,
  });
  return back.json.operation;
}

/** Rolls back the repairs too, on request. An apply repeats them. */
async function repairsToo(session: Session, operation: string): Promise<void> {
  session.act('and with its repairs');
  const back = await session.ask<OperationResult>(`workflow rollback ${operation} --repairs --yes`);
  const well = await runningOf(session);
  session.compare(
    { line: 'workflow rollback OPERATION --repairs --yes' },
    {
      said: `exit code ${back.code}, ${back.json.status}: undone ${outcomes(back, 'undone')}`,
      truth: `of ${REPAIRED.join(', ')} ${well || 'none'} run`,
      agree: back.code === 0 && outcomes(back, 'undone') === REPAIRED.join(', ') && well === '',
    },
  );
  await compareLook(session, 'taskserv status');
  await comparePreview(session);
  await compareApply(session);
}

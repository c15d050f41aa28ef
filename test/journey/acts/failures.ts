import type { OperationResult } from '../../../core/operation/operation.js';
import { compareApply, compareLook, comparePreview } from '../compare.js';
import { pageOf } from '../definition.js';
import { at, doAt } from '../machine.js';
import type { Said, Session } from '../session.js';

const pageAt = async ({ infra }: Session, server: string) => (await at(infra, server, 'curl -s http://127.0.0.1/')).out;

/** Checks that the text for people names the cause and the outcome of each resource. */
async function compareText(session: Session, { json }: Said<OperationResult>): Promise<void> {
  const { operation, error, outcomes = [] } = json;
  const { text } = await session.tell(`workflow status ${operation}`);
  const parts = [error?.why ?? '?', ...outcomes.map(({ on }) => on)];
  const missing = parts.filter((part) => !text.includes(part));
  session.compare(
    { line: 'workflow status OPERATION' },
    {
      said: missing.length === 0 ? 'the cause, and the outcome of each thing' : `does not say: ${missing.join('; ')}`,
      truth: [error?.why, ...outcomes.map(({ on, outcome }) => `${on} ${outcome}`)].join('; '),
      agree: missing.length === 0,
    },
  );
}

const outcomeOf = ({ json }: Said<OperationResult>, name: string) =>
  json.outcomes?.find(({ on }) => on.includes(name))?.outcome ?? 'not named';

const failureIn = ({ code, json: { status, error } }: Said<OperationResult>) =>
  `exit code ${code}, ${status}: ${error?.step} on ${error?.on}: ${error?.why}`;

/** A masked service makes a change fail. The change is rolled back, and succeeds after the service is unmasked. */
export async function masked(session: Session): Promise<void> {
  const { infra, compare } = session;
  session.act('haproxy is masked, and the page is changed');
  const former = session.wish;
  await doAt(infra, 'lb', 'systemctl mask --now haproxy');
  await compareLook(session, 'taskserv status');
  await session.edit({ page: 'two' });
  const failed = await session.ask<OperationResult>('apply FILE --yes');
  const enabled = (await at(infra, 'lb', 'systemctl is-enabled haproxy')).out;
  compare(failed, {
    said: failureIn(failed),
    truth: `systemctl is-enabled haproxy: ${enabled}`,
    agree: failed.code === 1 && failed.json.error?.why === 'Unit haproxy.service is masked' && enabled === 'masked',
  });
  const page = await pageAt(session, 'web-1');
  const nginx = outcomeOf(failed, 'nginx on web-1');
  compare(failed, {
    said: `nginx on web-1: ${nginx}`,
    truth: `web-1 serves ${page}`,
    agree: failed.json.status === 'rolled-back' && nginx === 'undone' && page === pageOf(former.page),
  });
  const active = (await at(infra, 'lb', 'systemctl is-active haproxy')).out;
  compare(failed, {
    said: `haproxy on lb: ${outcomeOf(failed, 'haproxy')}`,
    truth: `systemctl is-active haproxy: ${active}, as before`,
    agree: outcomeOf(failed, 'haproxy') === 'undone' && active === 'inactive',
  });
  await compareText(session, failed);
  await compareLook(session, 'taskserv status');

  session.act('haproxy is unmasked');
  await doAt(infra, 'lb', 'systemctl unmask haproxy');
  const applied = await compareApply(session);
  const served = await pageAt(session, 'web-1');
  compare(applied, { said: 'web-1/nginx healthy', truth: `web-1 serves ${served}`, agree: served === pageOf('two') });
}

/** Takes redis's port and closes all connections. */
const TAKER = `cat >/root/taker.pl <<'PERL'
use IO::Socket::INET;
my $s = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1', LocalPort => 6379, ReuseAddr => 1) or die "$!";
while (my $c = $s->accept) { close $c }
PERL
systemctl stop redis-server
systemd-run -q --unit=taker perl /root/taker.pl
until ss -Hltnp 'sport = 6379' | grep -q perl; do sleep 0.2; done`;

/** Another program has redis's port. Only redis is rolled back, and the page stays. */
export async function taken(session: Session): Promise<void> {
  const { infra, compare } = session;
  session.act("another program takes redis's port, and the page is changed");
  await doAt(infra, 'hub', TAKER);
  await compareLook(session, 'taskserv status');
  await session.edit({ page: 'three' });
  const failed = await session.ask<OperationResult>('apply FILE --yes --on-failure rollback-service');
  const { why = '', on } = failed.json.error ?? {};
  const [holder = ''] = /"perl",pid=\d+/.exec(await doAt(infra, 'hub', "ss -Hltnp 'sport = 6379'")) ?? [];
  const held = `port 6379 is held by perl (pid ${holder.replace(/\D/g, '')})`;
  compare(failed, {
    said: failureIn(failed),
    truth: `ss: 127.0.0.1:6379 ${holder}`,
    agree: failed.code === 1 && on === 'hub/redis' && why.includes(held),
  });
  const active = (await at(infra, 'hub', 'systemctl is-active redis-server')).out;
  compare(failed, {
    said: `redis on hub: ${outcomeOf(failed, 'redis')}`,
    truth: `systemctl is-active redis-server: ${active}, as before`,
    agree: outcomeOf(failed, 'redis') === 'undone' && active !== 'active',
  });
  const page = await pageAt(session, 'web-1');
  compare(failed, {
    said: `left behind: ${failed.json.left?.join(', ')}`,
    truth: `web-1 serves ${page}`,
    agree: failed.json.left?.join() === 'taskserv nginx on web-1' && page === pageOf('three'),
  });
  await compareText(session, failed);
  await compareLook(session, 'taskserv status');
  await comparePreview(session);

  session.act('the port is free again');
  await doAt(infra, 'hub', 'systemctl stop taker');
  await compareApply(session);
}

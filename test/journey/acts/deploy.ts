import type { OperationResult } from '../../../core/operation/operation.js';
import { compareApply, compareLook, comparePreview, truths } from '../compare.js';
import { pageOf } from '../definition.js';
import { addressOf, at, curl, remains, running } from '../machine.js';
import type { Session } from '../session.js';

/** Takes the session from a file to running services. */
export async function deploy(session: Session): Promise<void> {
  const { infra, compare } = session;
  session.act('a first deployment');
  await session.edit({});
  const valid = await session.tell('validate FILE');
  const preview = await session.ask<OperationResult>('apply FILE --check');
  const made = preview.json.plan.filter(({ machine }) => machine === 'create').map(({ on }) => on);
  compare(preview, {
    said: `${preview.json.plan.length} steps, machines to create: ${made.sort().join(', ')}`,
    truth: `Docker has ${(await remains(infra)).length} things of it`,
    agree: valid.code === 0 && preview.code === 0 && made.join() === 'hub,lb,web-1' && (await remains(infra)).length === 0,
  });
  const applied = await compareApply(session);
  compare(applied, {
    said: `servers ${[...new Set(applied.json.services.map(({ server }) => server))].sort().join(', ')}`,
    truth: `containers ${(await running(infra)).join(', ')}`,
    agree: (await running(infra)).join() === 'hub,lb,web-1',
  });
  const { status, body } = await curl(`http://${await addressOf(infra, 'lb')}/`);
  compare(applied, {
    said: 'lb/haproxy healthy',
    truth: `curl: ${status}, ${body}`,
    agree: status === '200' && body === pageOf(session.wish.page),
  });
  for (const command of ['taskserv status', `cluster status ${infra}`, `refresh ${infra}`]) await compareLook(session, command);
  await compareVersions(session);
  await comparePreview(session);
}

const PACKAGES: Record<string, string> = {
  firewall: 'nftables',
  redis: 'redis-server',
  postgres: 'postgresql-15',
  'node-exporter': 'prometheus-node-exporter',
};

async function compareVersions(session: Session): Promise<void> {
  const said = await session.ask<{ services: { server: string; taskserv: string; installed?: string }[] }>('taskserv status');
  const found = await Promise.all(
    (await truths(session)).map(async ({ server, taskserv }) => {
      const name = PACKAGES[taskserv] ?? taskserv;
      const { out } = await at(session.infra, server, `dpkg-query -W -f '\${Version}' ${name}`);
      const told = said.json.services.find((one) => one.server === server && one.taskserv === taskserv)?.installed ?? 'none';
      return { name, told, out };
    }),
  );
  const different = [...new Map(found.map((one) => [one.name, one])).values()];
  session.compare(said, {
    said: different.map(({ name, told }) => `${name} ${told}`).join(', '),
    truth: different.map(({ name, out }) => `${name} ${out}`).join(', '),
    agree: found.every(({ told, out }) => out.replace(/^\d+:/, '').startsWith(told)),
  });
}

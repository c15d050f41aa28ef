import { compareApply, compareLook, comparePreview } from '../compare.js';
import { addressOf, curl, doAt, until } from '../machine.js';
import type { Session } from '../session.js';

const PSQL = 'runuser -u postgres -- psql -tA shop';
const CONF = '/etc/nginx/conf.d/provisioning.conf';

/** Manual changes on the hosts are detected, and an apply repairs them. */
export async function drift(session: Session): Promise<void> {
  const { infra } = session;
  const url = `http://${await addressOf(infra, 'lb')}/`;
  const looks = ['taskserv status', `cluster status ${infra}`, `refresh ${infra}`];

  session.act('nginx is stopped');
  await doAt(infra, 'web-1', 'systemctl stop nginx');
  await until('haproxy answers 503', async () => (await curl(url)).status === '503');
  for (const command of looks) await compareLook(session, command);
  await compareLook(session, 'taskserv status nginx', 'nginx');
  await comparePreview(session);

  session.act('the package of postgres is removed');
  await doAt(infra, 'hub', `${PSQL} -c 'create table kept (row text)' -c "insert into kept values ('a row')"`);
  await doAt(infra, 'hub', 'DEBIAN_FRONTEND=noninteractive apt-get remove -y -q postgresql-15');
  await compareLook(session, 'taskserv status');

  session.act('the rules of the firewall are flushed');
  // `nft flush ruleset` would also remove the rules by which Docker answers DNS in its containers.
  await doAt(infra, 'lb', 'nft delete table inet provisioning');
  for (const command of looks) await compareLook(session, command);
  await comparePreview(session);

  session.act('an apply repairs all of it');
  const applied = await compareApply(session);
  const row = await doAt(infra, 'hub', `${PSQL} -c 'select row from kept'`);
  session.compare(applied, { said: 'hub/postgres healthy', truth: `psql: ${row}`, agree: row === 'a row' });
  await compareLook(session, `cluster status ${infra}`);
  await comparePreview(session);

  session.act('a file is edited by hand');
  const before = await doAt(infra, 'web-1', `sha256sum <${CONF}`);
  await doAt(infra, 'web-1', `echo '# by hand' >>${CONF}`);
  await compareEdited(session);
  await comparePreview(session, { changed: ['web-1/nginx'] });
  const repaired = await compareApply(session);
  const after = await doAt(infra, 'web-1', `sha256sum <${CONF}`);
  session.compare(repaired, {
    said: 'web-1/nginx healthy',
    truth: `sha256sum of the file: ${after === before ? 'as before' : 'another'}`,
    agree: after === before,
  });
}

/** The service serves as before, but an apply has something to do: it is neither healthy nor unhealthy. */
async function compareEdited(session: Session): Promise<void> {
  const status = await session.ask<{ services: { state: string; steps?: string[] }[] }>('taskserv status nginx --timeout 60');
  const [nginx] = status.json.services;
  const truth = 'it runs and serves, the file has another sha256sum';
  session.compare(
    { line: 'taskserv status nginx' },
    {
      said: `exit code ${status.code}, ${nginx?.state}: ${nginx?.steps?.join('; ')}`,
      truth,
      agree: status.code === 0 && nginx?.state === 'differs' && nginx.steps?.[0] === `Write ${CONF}`,
    },
  );
  const refresh = await session.tell(`refresh ${session.infra} --timeout 60`);
  const counts = /\d+ as recorded, .*/.exec(refresh.text)?.[0] ?? refresh.text;
  session.compare(
    { line: 'refresh shop' },
    {
      said: `exit code ${refresh.code}: ${counts}`,
      truth,
      agree: refresh.code === 1 && / 1 different, 0 gone, 0 unhealthy/.test(counts),
    },
  );
}

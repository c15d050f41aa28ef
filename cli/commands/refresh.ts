import { answersWithinMs } from '../../authoring/request/live-status.js';
import { subject } from '../../authoring/request/which-infra.js';
import { keepCredentials } from '../../authoring/secrets/keep-environment.js';
import { EXIT } from '../../core/exit-codes.js';
import { type DriftReport, listUnreachedHosts, type Remedy } from '../../core/operation/drift.js';
import type { HostStatus } from '../../core/operation/host-status.js';
import { defineCommand } from '../command.js';
import { cut, type Paint, paintFor } from '../program/screen.js';
import { writeDocument } from '../render/document.js';
import { addressOf, renderTable } from '../render/inventory.js';
import { REASON_COLUMNS } from '../render/status.js';
import { reportDeclined } from '../shared/declined.js';
import { needsYes } from '../shared/needs-yes.js';

export const command = defineCommand({
  arguments: [['[infra]', 'infra (default: the only one)']],
  options: [
    { flags: '--record', about: 'remove missing resources from the inventory and record new addresses, after a confirmation' },
    { flags: '--yes', about: 'skip the confirmation' },
    { flags: '--timeout <seconds>', about: 'seconds to wait for a host (default: 5)', number: true },
  ],
  details:
    'Queries the clouds and checks the hosts. Reports differences, missing resources, and resources with our labels outside the inventory,\neach with the effect of `apply` on it. Changes nothing there, and changes the inventory only with\n--record. Exit code 0 if everything matches the inventory, 1 if something differs, 3 if an account or a host did not answer.',
  examples: ['refresh shop', 'refresh shop --record --yes', 'refresh --json'],
  async run(session, { args: [named], flags: { record = false, yes = false, timeout } }) {
    if (record && !yes) needsYes(session, 'record missing resources', named ?? session.workspace);
    await keepCredentials(session);
    const { infra } = await subject(session, named === undefined ? {} : { infra: named });
    const { workspace } = session;
    const client = await session.client();
    const hosts = { withinMs: await answersWithinMs(session, timeout) };
    const found = await client.infras.refresh({ workspace, infra, hosts });
    const exitCode = exitCodeOf(found);
    const toRecord = found.gone.length + found.differs.filter(({ connection }) => connection).length;
    if (!session.json) session.out.write(textOf(found, paintFor(session.out)));
    if (!record || toRecord === 0) {
      if (session.json) writeDocument(session, found);
      return exitCode;
    }
    if (!yes && !(await session.confirm(`Record this in the inventory of ${infra}?`))) return reportDeclined(session);
    const report = await client.infras.refresh({ workspace, infra, record });
    if (session.json) writeDocument(session, report);
    else session.out.write(`recorded: ${report.gone.length} gone, ${toRecord - found.gone.length} with another address\n`);
    return report.unasked.length > 0 ? EXIT.notReached : EXIT.done;
  },
});

function exitCodeOf(report: DriftReport): number {
  const { unasked, differs, gone, unknown, hosts = [] } = report;
  if (unasked.length + listUnreachedHosts(report).length > 0) return EXIT.notReached;
  const drifted = differs.length + gone.length + unknown.length + driftedOn(hosts).length > 0;
  return drifted ? EXIT.failed : EXIT.done;
}

/** Returns the services that differ from their recorded state, each with its server. */
const driftedOn = (hosts: readonly HostStatus[]) =>
  hosts.flatMap(({ server, services = [] }) =>
    services.filter(({ state }) => state !== 'healthy').map((service) => ({ server, ...service })),
  );

/** Descriptions of what the next `apply` does. */
const REMEDIES: Record<Remedy, string> = {
  create: 'makes it again',
  update: 'changes it back',
  replace: 'replaces it with what is on it, after asking',
  start: 'starts it',
  record: 'records where it is',
  adopt: 'takes it over: the definition names it',
  delete: 'deletes it: the definition does not name it',
  forget: 'forgets it: the definition does not name it',
  refuse: 'refuses until the definition says so, too: a volume only grows',
  leave: 'leaves it; `provisioning orphans --remove` removes it',
};

function textOf(report: DriftReport, paint: Paint): string {
  const { infra, asRecorded, differs, gone, unknown, unasked, hosts = [] } = report;
  const drifted = driftedOn(hosts);
  const rows = [
    ...differs.map(({ kind, name, provider, changes, connection, apply }) => {
      const moved = connection ? [`it is at ${addressOf(connection)}`] : [];
      return [paint('yellow', 'differs'), kind, name, provider, [...changes, ...moved].join(', '), REMEDIES[apply]];
    }),
    ...gone.map(({ kind, name, provider, id, apply }) => {
      const still = id ? `${id} is there, without our labels` : '';
      const back = `makes a second one; \`provisioning import ${id} --infra ${infra} --provider ${provider} --name ${name}\` labels it again`;
      return [paint('red', 'gone'), kind, name, provider, still, id ? back : REMEDIES[apply]];
    }),
    ...unknown.map(({ kind, name, provider, reason, apply }) => [
      ...[paint('cyan', 'unknown'), kind, name, provider, reason],
      REMEDIES[apply],
    ]),
    ...drifted.map(({ server, taskserv, state, why = '', steps = [] }) => [
      ...[paint(state === 'differs' ? 'yellow' : 'red', state), 'service', `${server}/${taskserv}`, ''],
      cut(why.replaceAll('\n', ' '), REASON_COLUMNS),
      steps.length > 0 ? cut(steps.join('; '), REASON_COLUMNS) : 'has no step to do',
    ]),
  ];
  const table = rows.length > 0 ? renderTable(['', 'WHAT', 'NAME', 'PROVIDER', '', 'APPLY'], rows, '', paint) : '';
  const silent = unasked.map(({ provider, why }) => `${paint('yellow', 'not asked:')} ${provider}: ${why}\n`).join('');
  const late = listUnreachedHosts(report).map(({ server, why }) => `${paint('yellow', 'not reached:')} ${server}: ${why}\n`);
  const well = hosts.reduce((sum, { services = [] }) => sum + services.length, 0) - drifted.length;
  const counts = [
    `${asRecorded + well} as recorded`,
    `${differs.length + drifted.filter(({ state }) => state === 'differs').length} different`,
    `${gone.length + drifted.filter(({ state }) => state === 'missing').length} gone`,
    `${drifted.filter(({ state }) => state === 'unhealthy').length} unhealthy`,
    `${unknown.length} unknown`,
  ];
  return `${table}${silent}${late.join('')}${infra}: ${counts.join(', ')}\n`;
}

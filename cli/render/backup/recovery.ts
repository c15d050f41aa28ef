import type { JournaledService } from '../../../core/recovery/host-record.js';
import type { LostInfra, LostReport } from '../../../core/recovery/lost-infras.js';
import { hostWords } from '../../../core/recovery/recovered-hosts.js';
import type { LeftServer, RecoveredServer, RecoveredThing, RecoveryReport } from '../../../core/recovery/recovery-report.js';
import type { Paint } from '../../program/screen.js';
import { renderTable } from '../inventory.js';
import { renderUnasked } from '../orphans.js';

const SAYS: Record<RecoveredThing['state'], string> = {
  confirmed: 'its labels say so',
  missing: 'is not there, or bears no labels any more: the next apply makes it',
  'not-asked': 'bears no label, since it was there before, or its account did not answer',
};

const SOURCES = {
  labels: 'labels: services and definition come with the next apply',
  marks: 'the marks of its hosts: services and definition come with the next apply',
};

/** Renders the recovered parts of an infra. */
export function recoveryText(report: RecoveryReport, paint: Paint): string {
  const { infra, uuid, source, at, servers, networks, left = [], others, unasked } = report;
  const from = source === 'feed' ? `its feed, last changed ${at}` : SOURCES[source];
  const rowOf = (kind: string, one: RecoveredThing, says: string) => {
    const mark = paint(one.state === 'confirmed' ? 'green' : 'yellow', one.state);
    return [mark, kind, one.name, one.provider, says];
  };
  const rows = [
    ...servers.map((one) => rowOf('server', one, serverSays(one))),
    ...networks.map((one) => rowOf('network', one, SAYS[one.state])),
    ...left.map((one) => [paint('red', one.state), 'server', one.name, one.provider, leftSays(one)]),
  ];
  const unknown = others.map(({ kind, name, provider, scope }) => [
    paint('cyan', 'left'),
    kind,
    name,
    provider,
    scope.uuid === uuid ? 'bears its labels, and is not known: see `provisioning orphans`' : `bears the UUID ${scope.uuid}`,
  ]);
  const table = renderTable(['', 'WHAT', 'NAME', 'PROVIDER', ''], [...rows, ...unknown], 'nothing', paint);
  const silent = renderUnasked(unasked, paint).map((line) => `${line}\n`);
  return `${infra} (${uuid}) from ${from}\n${table}${journalTable([...servers, ...left], paint)}${silent.join('')}`;
}

function serverSays({ state, by, host }: RecoveredServer): string {
  const says = by === 'mark' ? 'its host bears the mark of this infra' : SAYS[state];
  if (by === 'mark' || !host) return says;
  return `${says}; the host ${hostWords(host)}`;
}

const leftSays = ({ host }: LeftServer): string => `is not brought back: the host ${hostWords(host)}`;

/** Renders the services according to the journals on hosts. The journals are not verified. */
function journalTable(servers: readonly Pick<RecoveredServer, 'name' | 'host'>[], paint: Paint): string {
  const rows = servers.flatMap(({ name, host }) =>
    (host?.services ?? []).map(({ taskserv, operation, at, version = '', config = '', ...journal }) => [
      ...[name, taskserv, outcomeOf(journal), version, config, operation],
      at.replace(/\.\d+Z$/, 'Z'),
    ]),
  );
  if (rows.length === 0) return '';
  const head = ['HOST', 'BY ITS JOURNALS', '', 'VERSION', 'CONFIG', 'OPERATION', 'WHEN'];
  return `\n${renderTable(head, rows, '', paint)}`;
}

const outcomeOf = ({ outcome, removed }: Pick<JournaledService, 'outcome' | 'removed'>): string =>
  removed && outcome === 'done' ? 'removed' : outcome === 'done' ? 'installed' : `${removed ? 'removal ' : ''}${outcome}`;

/** Renders infras that the engine does not know, with their remains. */
export function renderLost({ infras, unasked }: LostReport, workspace: string, paint: Paint): string {
  const rows = infras.map((one) => [one.infra, feedOf(one), labelsOf(one), one.key ? 'yes' : 'no']);
  const none = `nothing is left of an infra of workspace ${workspace} that the engine does not know`;
  const table = renderTable(['INFRA', 'FEED', 'LABELS', 'KEY'], rows, none, paint);
  const silent = renderUnasked(unasked, paint).map((line) => `${line}\n`);
  const next = infras.length > 0 ? 'to bring one back: provisioning infra recover INFRA\n' : '';
  return `${table}${silent.join('')}${next}`;
}

function feedOf({ feed, damaged }: LostInfra): string {
  if (damaged !== undefined) return damaged;
  return feed ? `${feed.servers} servers, ${feed.networks} networks, last changed ${feed.at.replace(/\.\d+Z$/, 'Z')}` : 'none';
}

const labelsOf = ({ labelled = {} }: LostInfra): string =>
  Object.entries(labelled)
    .map(([kind, count]) => `${count} ${kind}${count === 1 ? '' : 's'}`)
    .join(', ') || 'none';

import { resourceWords } from '../../core/infra/claims.js';
import type { FeedState } from '../../core/infra/feed-state.js';
import type { Inventory } from '../../core/infra/inventory.js';
import type { Admission } from './admission.js';

/** Maximum number of rows in each table of an infra's page in the Web UI. */
const ROWS = 100;

/** The live page of an infra in the Web UI: its servers with their services, and who works on them, as Markdown. */
export function infraDetails(inventory: Inventory, admission: Admission, feed?: FeedState): string {
  const names = Object.keys(inventory.servers);
  const rows = names.slice(0, ROWS).flatMap((name) => {
    const server = inventory.servers[name];
    if (!server) return [];
    const services = Object.values(server.services).map(
      ({ taskserv, installed, version }) => `${taskserv} ${installed ?? version}`,
    );
    return [`| ${name} | ${server.provider} | ${services.join(', ')} |`];
  });
  const held = admission
    .holders(ROWS)
    .map(
      ({ operation, resources, since }) =>
        `- \`${operation}\` holds ${resources.map(resourceWords).join(', ') || 'nothing'} since ${since}`,
    );
  const { size, held: working } = admission;
  return [
    `**${inventory.infra}** of workspace ${inventory.workspace}: ${names.length} servers, ${working} operations at work, ${size - working} in the queue`,
    ...(feed?.trouble ? ['', `${feed.waiting} changes wait for the store since ${feed.trouble.since}: ${feed.trouble.why}`] : []),
    '',
    '| server | provider | services |',
    '|---|---|---|',
    ...rows,
    ...(names.length > ROWS ? [`| … and ${names.length - ROWS} more | | |`] : []),
    '',
    ...held,
    ...(working > ROWS ? [`- … and ${working - ROWS} more`] : []),
  ].join('\n');
}

import { readContextSetting } from '../../../authoring/settings/config-place.js';
import { defineCommand } from '../../command.js';
import { type Paint, paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { renderTable } from '../../render/inventory.js';
import { parseTime } from '../../shared/times/parse-time.js';

const OUTCOMES = ['asked', 'done', 'failed', 'refused'] as const;
const COLOURS: Readonly<Record<(typeof OUTCOMES)[number], Parameters<Paint>[0]>> = {
  asked: 'dim',
  done: 'green',
  failed: 'red',
  refused: 'yellow',
};

export const command = defineCommand({
  options: [
    { flags: '--actor <name>', about: 'only calls of this caller, as user@host' },
    { flags: '--method <name>', about: 'only calls of this method, such as operations.submit' },
    { flags: '--resource <text>', about: 'only resources that contain this text' },
    { flags: '--outcome <outcome>', about: 'only records with this outcome', choices: OUTCOMES },
    { flags: '--since <time>', about: 'from this time on: an age (30m, 7d) or a time (2026-11-29T14:30)' },
    { flags: '--until <time>', about: 'up to this time' },
    { flags: '--limit <count>', about: 'maximum number of records (default: 50)', number: true },
  ],
  details:
    'Newest first. A call has two records: `asked` before it runs, and `done` or `failed` after it. A refused call has one. Calls that only read are not recorded. Times are in UTC.',
  examples: ['audit list', 'audit list --since 7d --outcome refused', 'audit list --actor ann@desk --resource default/shop --json'],
  async run(session, { flags: { actor, method, resource, outcome, since, until, limit } }) {
    const records = await (await session.client()).audit.list({
      limit: limit ?? (await readContextSetting(session, 'output.rows')),
      filter: {
        ...(actor !== undefined && { actor }),
        ...(method !== undefined && { method }),
        ...(resource !== undefined && { resource }),
        ...(outcome !== undefined && { outcome }),
        ...(since !== undefined && { since: parseTime(since, '--since') }),
        ...(until !== undefined && { until: parseTime(until, '--until') }),
      },
    });
    if (session.json) {
      writeDocument(session, { records });
      return 0;
    }
    const paint = paintFor(session.out);
    const rows = records.map(({ at, actor, method, resource = '', outcome, code }) => [
      at.replace(/\.\d+Z$/, 'Z'),
      actor,
      method,
      resource,
      paint(COLOURS[outcome], code === undefined ? outcome : `${outcome}: ${code}`),
    ]);
    session.out.write(renderTable(['TIME', 'ACTOR', 'METHOD', 'RESOURCE', 'OUTCOME'], rows, 'no recorded calls', paint));
    return 0;
  },
});

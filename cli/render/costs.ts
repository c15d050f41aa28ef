import { type Cost, type CostChange, type CostSum, hourlyText, monthlyText, type ServerCost } from '../../core/machine/cost.js';
import type { CostPreview } from '../../core/machine/cost-preview.js';
import type { Paint } from '../program/screen.js';
import { renderTable } from './inventory.js';

const hourly = (row: ServerCost): string => ('cost' in row ? hourlyText(row.cost) : 'free' in row ? 'free' : 'unknown');
const monthly = (row: ServerCost): string => ('cost' in row ? monthlyText(row.cost) : 'free' in row ? 'free' : 'unknown');
const why = (row: ServerCost): string => ('unknown' in row ? row.unknown : '');
/** Lists the parts of a server's cost in addition to the plan. */
const besides = (row: ServerCost): string =>
  'parts' in row && row.parts.length > 1
    ? `with ${row.parts
        .slice(1)
        .map(({ what }) => what)
        .join(', ')}`
    : '';

/** Renders servers with their costs and the sum. */
export function costTable(rows: readonly ServerCost[], sum: CostSum, paint: Paint): string {
  const head = ['SERVER', 'PROVIDER', 'PLAN', 'ZONE', 'HOURLY', 'MONTHLY', ''];
  const lines = rows.map((row) => [
    row.server,
    row.provider,
    row.plan,
    row.zone ?? '',
    hourly(row),
    monthly(row),
    why(row) ? paint('yellow', why(row)) : paint('dim', besides(row)),
  ]);
  return renderTable(head, lines, 'no servers', paint) + sumLines(sum, paint);
}

function sumLines({ sums, unknown }: CostSum, paint: Paint): string {
  const missing =
    unknown > 0 ? paint('yellow', `, and ${unknown === 1 ? 'one server' : `${unknown} servers`} whose price is unknown`) : '';
  const known = sums.map((sum) => `${hourlyText(sum)} an hour, ${monthlyText(sum)} a month`).join(', and ');
  if (known === '') return unknown > 0 ? `in all: unknown\n` : 'in all: nothing to pay\n';
  return `in all: ${known}${missing}\n`;
}

/** Renders an operation's change in cost. */
export function costChanges({ changes, difference }: CostPreview, paint: Paint): string {
  const head = ['SERVER', 'BEFORE', 'AFTER', 'HOURLY', 'MONTHLY', ''];
  const lines = changes.map(({ server, before, after }) => [
    server,
    before?.plan ?? '',
    after?.plan ?? '',
    ...(['hourly', 'monthly'] as const).map((per) => changeText({ before, after }, per)),
    paint('yellow', [before, after].flatMap((one) => (one ? why(one) : [])).find((text) => text !== '') ?? ''),
  ]);
  const total = difference
    ? difference.map((one) => `${signed(one, 'hourly')} an hour, ${signed(one, 'monthly')} a month`).join(', and ') || 'no change'
    : paint('yellow', 'unknown');
  return `${renderTable(head, lines, '', paint)}cost: ${total}\n`;
}

function changeText({ before, after }: Pick<CostChange, 'before' | 'after'>, per: 'hourly' | 'monthly'): string {
  const rows = [before, after].flatMap((one) => one ?? []);
  if (rows.some((one) => 'unknown' in one)) return 'unknown';
  const costs = [after, before].map((one) => (one && 'cost' in one ? one.cost : undefined));
  const [now, then] = costs;
  if (now && then && now.currency !== then.currency) return `${signed(now, per)}, -${amount(then, per)}`;
  const any = now ?? then;
  if (!any) return 'free';
  return signed(
    { ...any, hourly: (now?.hourly ?? 0) - (then?.hourly ?? 0), monthly: (now?.monthly ?? 0) - (then?.monthly ?? 0) },
    per,
  );
}

const amount = (cost: Cost, per: 'hourly' | 'monthly'): string => (per === 'hourly' ? hourlyText(cost) : monthlyText(cost));
const signed = (cost: Cost, per: 'hourly' | 'monthly'): string => `${cost[per] >= 0 ? '+' : ''}${amount(cost, per)}`;

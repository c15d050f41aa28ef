import { expect, test } from 'vitest';
import type { AuditEvent } from '../../../stores/rows/audit-events.js';
import { runLine } from '../../fake-run.js';

const record = (outcome: AuditEvent['outcome'], more: Partial<AuditEvent> = {}): AuditEvent => ({
  id: `c/${outcome}`,
  ...{ call: 'c', at: '2026-11-29T14:30:00.250Z', actor: 'ann@desk', method: 'operations.pause' },
  ...{ action: 'operation:pause', resource: 'Operation op-1', outcome },
  ...more,
});

async function audit(line: string, records: AuditEvent[]) {
  const asked: unknown[] = [];
  const client = { 'audit.list': async (input: unknown) => asked.push(input) && records };
  return { ...(await runLine(line, { client: client as never })), asked };
}

test('records are a table of time, caller, method, resource and outcome', async () => {
  const { resource: _, ...refused } = record('refused', { code: 'bad-request', actor: 'eve@desk' });
  const { code, out, asked } = await audit('audit list', [record('done'), refused]);
  expect([code, asked]).toEqual([0, [{ limit: 50, filter: {} }]]);
  const lines = out.split('\n').map((line) => line.split(/ {2,}/));
  expect(lines[0]).toEqual(['TIME', 'ACTOR', 'METHOD', 'RESOURCE', 'OUTCOME']);
  expect(lines[1]).toEqual(['2026-11-29T14:30:00Z', 'ann@desk', 'operations.pause', 'Operation op-1', 'done']);
  expect(lines[2]?.at(-1)).toBe('refused: bad-request');
  expect((await audit('audit list', [])).out).toBe('no recorded calls\n');
});

test('options are the filter, and --json has whole records', async () => {
  const records = [record('failed', { code: 'no-answer' })];
  const line = 'audit list --json --limit 5 --actor ann@desk --method operations.pause --resource op-1 --outcome failed';
  const { out, asked } = await audit(`${line} --since 2026-11-28 --until 2026-11-29T15:00`, records);
  expect(JSON.parse(out)).toEqual({ records });
  expect(asked).toEqual([
    {
      limit: 5,
      filter: {
        ...{ actor: 'ann@desk', method: 'operations.pause', resource: 'op-1', outcome: 'failed' },
        ...{ since: '2026-11-28T00:00:00.000Z', until: '2026-11-29T15:00:00.000Z' },
      },
    },
  ]);
});

test.each(['--since yesterday', '--outcome maybe'])('%s is refused before anything is asked', async (options) => {
  const { code, err, asked } = await audit(`audit list ${options}`, []);
  expect([code, asked]).toEqual([2, []]);
  expect(err).toContain(options.split(' ')[0]);
});

import { describe, expect, it } from 'vitest';
import type { Cell, Progress } from '../../core/operation/operation.js';
import { renderDetails } from './details.js';

const progress = (cells: Cell[], rest: Partial<Progress> = {}): Progress => ({
  operation: 'cluster-ensure-shop-1',
  kind: 'cluster',
  workspace: 'default',
  infra: 'shop',
  status: 'running',
  steps: { executed: 2, planned: 9 },
  services: [],
  plan: [],
  control: [],
  cells,
  ...rest,
});

describe('the details of an operation', () => {
  it('say what is done on which host', () => {
    const text = renderDetails(
      progress([
        { server: 'web-1', state: 'done' },
        { server: 'web-1', taskserv: 'nginx', state: 'running', step: 'Install the package nginx', done: 0, total: 7 },
        { server: 'hub', state: 'running', step: 'Wait until it lets us in' },
      ]),
    );
    expect(text).toContain('running, 2 of 9 steps');
    expect(text).toContain('- ▶ **web-1** nginx: 7 steps, beginning with: Install the package nginx');
    expect(text).toContain('- ▶ **hub**: Wait until it lets us in');
    expect(text.indexOf('**hub**')).toBeLessThan(text.indexOf('**web-1**'));
  });

  it('show how far each host is, a column for each taskserv', () => {
    const text = renderDetails(
      progress([
        { server: 'web-1', state: 'unchanged' },
        { server: 'web-1', taskserv: 'nginx', state: 'done' },
        { server: 'hub', taskserv: 'redis', state: 'failed', step: 'Start redis-server: exit code 1' },
      ]),
    );
    const rows = text.split('\n').filter((line) => line.startsWith('|'));
    expect(rows.map((line) => line.replaceAll('\u2003', ''))).toEqual([
      '| server | machine | nginx | redis |',
      '|---|---|---|---|',
      '| hub |  |  | ✘ |',
      '| web-1 | = | ✔ |  |',
    ]);
  });

  it('say what failed, what is waited for and what is left', () => {
    const error = { step: 'Start nginx', on: 'web-1/nginx', why: 'exit code 1', hint: 'look at the logs' };
    const text = renderDetails(progress([], { status: 'waiting', error, waiting: 'Retry?', left: ['server web-1'] }));
    expect(text).toContain('> Retry?');
    expect(text).toContain('**Start nginx** failed on **web-1/nginx**: exit code 1');
    expect(text).toContain('Hint: look at the logs');
    expect(text).toContain('Left: server web-1');
    expect(text).not.toContain('| server');
  });
});

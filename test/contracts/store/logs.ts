import { expect, test } from 'vitest';
import type { TwoStores } from './two-stores.js';

const unit = { operation: 'cluster-ensure-shop-1', server: 'web-1', taskserv: 'nginx', generation: 1, attempt: 1 };

export function logsContract(stores: () => TwoStores): void {
  test('a log is complete for whoever reads it, of each unit the last attempt', async () => {
    const { one, two } = stores();
    const long = 'ä'.repeat(600_000);
    const first = await one.logs.open(unit);
    first.write('cut o');
    await first.close();
    const second = await two.logs.open({ ...unit, attempt: 2 });
    for (const text of ['begin\n', long, '\nend\n']) second.write(text);
    await second.close();
    const other = await one.logs.open({ ...unit, server: 'db.1', taskserv: 'redis' });
    other.write('ready\n');
    await other.close();
    expect(await one.logs.read(unit.operation)).toEqual([
      { server: 'db.1', taskserv: 'redis', text: 'ready\n' },
      { server: 'web-1', taskserv: 'nginx', text: `begin\n${long}\nend\n` },
    ]);
    expect(await one.logs.read('cluster-ensure-shop-2')).toEqual([]);
  });

  test('what is written after the end of a log changes nothing', async () => {
    const { one, two } = stores();
    const log = await one.logs.open({ ...unit, operation: 'late' });
    log.write('all\n');
    await log.close();
    log.write('too late\n');
    expect((await two.logs.read('late')).map(({ text }) => text)).toEqual(['all\n']);
  });
}

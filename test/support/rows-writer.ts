/**
 * Separate process that writes rows and prints the id of each acknowledged row. Arguments: home, database URL or
 * `files`, name of the writer, number of rows.
 */
import { homeOf } from '../../home/home.js';
import { counters, events, openDeclared } from './declared-rows.js';

const [root = '', url = '', writer = '', count = ''] = process.argv.slice(2);
const { rows: open, close } = await openDeclared(homeOf({ PROVISIONING_HOME: root }), url === 'files' ? undefined : url);
const rows = await open();
const [log, table] = [rows.log(events), rows.table(counters)];
const key = { tenant: 't', name: 'shared' };
for (let at = 0; at < Number(count); at++) {
  const id = `${writer}-${at}`;
  await log.append([{ id, writer, text: 'x'.repeat(200) }]);
  for (;;) {
    const found = await table.get(key);
    if (await table.compareAndSet({ ...key, count: (found?.row.count ?? 0) + 1 }, found?.revision)) break;
  }
  process.stdout.write(`${id}\n`);
}
await close();

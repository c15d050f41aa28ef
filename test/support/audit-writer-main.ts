/**
 * For a test: appends audit records to the home of `PROVISIONING_HOME` until it is killed, and prints those that are
 * on disk.
 */
import { homeOf } from '../../home/home.js';
import { createAuditRecord } from '../../stores/audit/audit-fixture.js';
import { createAuditWriter } from '../../stores/audit/audit-writer.js';
import { createWriterName } from '../../stores/audit/chain.js';
import { keepHeads } from '../../stores/audit/heads.js';
import { openStores } from '../../stores/open-stores.js';
import { auditRecords } from '../../stores/rows/audit-records.js';

/** Number of records that are requested in parallel. */
const AT_ONCE = 10;

const home = homeOf();
const stores = await openStores(home, process.env);
const rows = await stores.rows();
const name = createWriterName();
const heads = keepHeads(process.env.HEADS ?? '', name);
const writer = createAuditWriter(async () => rows.log(auditRecords), heads.note);

async function appendForEver(caller: number): Promise<never> {
  for (let number = 0; ; number++) {
    const record = createAuditRecord('changes', number);
    record.entry.call = `${name}-${caller}-${number}`;
    await writer.append([record]);
    process.stdout.write(`${record.entry.call}\n`);
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, (_, caller) => appendForEver(caller)));

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureKey } from '../../encryption/keys.js';
import { homeOf } from '../../home/home.js';
import { openStores } from '../open-stores.js';
import { type AuditClass, type AuditRow, auditRecords } from '../rows/audit-records.js';
import type { RowLog, Rows } from '../rows.js';
import type { ChainEnd, NewRecord } from './chain.js';
import type { Head } from './heads.js';

/** A row of a chain with its number in the database. */
export interface NumberedRow {
  row: AuditRow;
  sequence: number;
}

/** For tests: the rows of a new home. Its owner may tamper with them. */
export interface AuditFixture {
  folder: string;
  /** Names the home for another process. */
  env: { HOME: string; PROVISIONING_HOME: string };
  rows: Rows;
  log: RowLog<AuditRow>;
  all(): Promise<NumberedRow[]>;
  /** Replaces these rows by others, with the key of the home. */
  replace(removed: readonly NumberedRow[], kept: readonly NumberedRow[]): Promise<void>;
  close(): Promise<void>;
}

/** Rows of one write, at most. */
const PAGE = 500;

/** Opens the rows of a new home in a folder of its own. */
export async function openAuditFixture(): Promise<AuditFixture> {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'));
  const home = homeOf({ PROVISIONING_HOME: join(folder, 'home') });
  await ensureKey({ folder: home.encryption, env: { HOME: home.root }, setUp: async () => 'cafe' });
  const stores = await openStores(home, { HOME: home.root });
  const rows = await stores.rows();
  const log = rows.log(auditRecords);
  const pages = (given: readonly NumberedRow[]) =>
    Array.from({ length: Math.ceil(given.length / PAGE) }, (_, at) =>
      Buffer.from(JSON.stringify(given.slice(at * PAGE, (at + 1) * PAGE))),
    );
  return {
    folder,
    env: { HOME: home.root, PROVISIONING_HOME: home.root },
    rows,
    log,
    async all() {
      const found: NumberedRow[] = [];
      for (let after: string | undefined; ; ) {
        const page = await log.list({ limit: 1_000, ...(after && { after }) });
        found.push(...page.rows);
        if (page.next === undefined) return found;
        after = page.next;
      }
    },
    async replace(removed, kept) {
      for (const page of pages(removed)) await rows.remove(['audit_records', '1'], page);
      for (const page of pages(kept)) await rows.write(['audit_records', '1'], page);
    },
    async close() {
      await stores.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Creates a record of the start of a call. @param at in milliseconds since 1970 */
export const createAuditRecord = (of: AuditClass, number: number, at = Date.now()): NewRecord => ({
  entry: {
    ...{ at: new Date(at).toISOString(), class: of, call: `call-${number}`, method: 'operations.pause' },
    ...{ resource: `Operation op-${number}`, outcome: 'asked' as const },
  },
});

/** Stores the ends of chains. */
export function keepEnds(heads: Map<string, Head>, ends: readonly ChainEnd[]): void {
  for (const end of ends) heads.set(end.chain, { ...end, at: new Date().toISOString() });
}

/** The rows of a chain. */
export const selectChain = (kept: readonly NumberedRow[], chain: string): NumberedRow[] =>
  kept.filter(({ row }) => row.chain === chain);

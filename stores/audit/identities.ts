import { randomBytes } from 'node:crypto';
import { type AuditIdentity, auditIdentities } from '../rows/audit-records.js';
import type { Rows } from '../rows.js';

/** Maximum number of names in memory. */
const MOST_KEPT = 10_000;
/**
 * Time that a name is kept in memory, in milliseconds. An erased person gets another id at the latest after this time.
 */
const KEPT_MS = 3_600_000;
const MOST_NAME = 300;

/** Finds the random id under which records name a principal or an address, and creates it at the first use. */
export type IdentityOf = (kind: AuditIdentity['kind'], name: string) => Promise<string>;

/** The identities of a process. Two processes may give one name two ids. */
export function createIdentities(rows: () => Promise<Rows>): IdentityOf {
  const kept = new Map<string, { id: Promise<string>; until: number }>();
  return (kind, given) => {
    const name = given.slice(0, MOST_NAME);
    const key = `${kind} ${name}`;
    const known = kept.get(key);
    if (known && performance.now() < known.until) return known.id;
    kept.delete(key);
    if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value as string);
    const id = findOrCreate(rows, kind, name);
    kept.set(key, { id, until: performance.now() + KEPT_MS });
    id.catch(() => kept.delete(key));
    return id;
  };
}

async function findOrCreate(rows: () => Promise<Rows>, kind: AuditIdentity['kind'], name: string): Promise<string> {
  const [known] = await findIdentities(await rows(), kind, name);
  if (known !== undefined) return known;
  const id = randomBytes(12).toString('hex');
  await (await rows()).table(auditIdentities).put({ id, kind, name, at: new Date().toISOString() });
  return id;
}

/** The ids of a name. */
export async function findIdentities(rows: Rows, kind: AuditIdentity['kind'], name: string): Promise<string[]> {
  const { rows: found } = await rows.table(auditIdentities).list({ where: { name }, limit: 1_000 });
  return found.filter(({ row }) => row.kind === kind).map(({ row }) => row.id);
}

/** Reads names by their ids; undefined for one that was erased. */
export function readNames(rows: Rows): (id: string) => Promise<string | undefined> {
  const known = new Map<string, Promise<string | undefined>>();
  return (id) => {
    const name =
      known.get(id) ??
      rows
        .table(auditIdentities)
        .get({ id })
        .then((found) => found?.row.name);
    known.set(id, name);
    return name;
  };
}

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inputError, ProvisioningError } from '../../../core/errors.js';
import { findTenant } from '../../../core/tenant-names.js';
import { claimsOfQuotas, type Quota, type QuotaClaim, quotas } from '../../../stores/rows/quotas.js';
import type { Rows } from '../../../stores/rows.js';
import { EVERYWHERE } from '../../access/roles.js';
import { HOME_TENANT } from '../../access/service-accounts.js';
import type { Engine } from '../../engine.js';
import { locate } from '../../locate.js';
import type { Passage } from '../../method.js';
import { findEnded } from './find-ended.js';
import { judgeQuota, type QuotaUse } from './judge-quota.js';
import { readWantedWork, type WantedWork } from './wanted-work.js';
import { type InfraUse, readInfraAfter, readUse, readWorkspaceUse, type UseReader } from './workspace-use.js';

/** Number of claims in a row after which claims of ended work are searched, whatever the quota. */
const MANY = 500;

/** Tools of a claim, which tests replace. */
export interface QuotaTools {
  reader(engine: Engine): UseReader;
  /** Returns the claims whose work has ended, or never began. */
  ended(engine: Engine, claims: readonly QuotaClaim[]): Promise<ReadonlySet<string>>;
}

const TOOLS: QuotaTools = { reader: readUse, ended: (engine, claims) => findEnded(engine.temporal, claims) };

/** Claims in one scope by one process. They run one after another, so that they do not conflict in the store. */
const turns = new Map<string, Promise<unknown>>();

/** The quotas that count for a workspace. */
export async function readQuotas(rows: Rows, tenant: string, workspace: string): Promise<Quota[]> {
  const table = rows.table(quotas);
  const found = await Promise.all([workspace, EVERYWHERE].map((one) => table.get({ tenant, workspace: one })));
  return found.flatMap((one) => one?.row ?? []);
}

/**
 * Creates a function that claims the resources of a call before it runs, from the quotas of its workspace and of all
 * workspaces. The claim is one conditional write. It is released once Temporal reports the end of the work, so that a
 * worker or server that dies leaves no claim behind. A call that fails releases it at once.
 *
 * @param rows opened at the first call that starts work
 */
export function claimQuotas(rows: () => Promise<Rows>, tools = TOOLS) {
  /** @throws inputError `quota-exceeded` */
  return async function claim(passage: Passage): Promise<void> {
    const { caller, located } = passage;
    const seed = passage.seed ?? randomUUID().replaceAll('-', '');
    const work = readWantedWork(passage, seed);
    if (!work) return;
    const open = await rows();
    if (work.workspace === '') work.workspace = (await locate(caller.engine, located)).workspace ?? '';
    // Resources of an owner are not located before this.
    const scopes = await readQuotas(open, findTenant(work.workspace), work.workspace);
    if (scopes.length === 0) return;
    // The claim has the id of the work, which may follow from this.
    passage.seed = seed;
    const made: (() => Promise<void>)[] = [];
    passage.giveBack = async (error) => {
      // Another call has started this work, which owns the claim.
      if (error instanceof ProvisioningError && error.details.code === 'operation-exists') return;
      for (const giveBack of made) await giveBack();
    };
    for (const quota of scopes) {
      const key = JSON.stringify([quota.tenant, quota.workspace]);
      const before = turns.get(key) ?? Promise.resolve();
      const turn = before.catch(() => {}).then(() => claimOne(open, caller.engine, quota, work, tools));
      turns.set(key, turn);
      const giveBack = await turn.finally(() => {
        if (turns.get(key) === turn) turns.delete(key);
      });
      if (giveBack) made.push(giveBack);
    }
  };
}

/** @returns a function that releases the claim; undefined if the work had it before */
async function claimOne(rows: Rows, engine: Engine, quota: Quota, work: WantedWork, tools: QuotaTools) {
  const { tenant, workspace } = quota;
  const table = rows.table(claimsOfQuotas);
  let hasLooked = false;
  for (;;) {
    const found = await table.get({ tenant, workspace });
    const claims = found?.row.claims ?? [];
    if (claims.some(({ id }) => id === work.id)) return undefined;
    const { uses, infras } = await readUses(tools.reader(engine), quota, work);
    const mine: QuotaClaim = { id: work.id, at: new Date().toISOString(), weight: work.weight, infras };
    const over = judgeQuota(quota, claims, uses, mine).find(({ exceeded }) => exceeded);
    if ((over || claims.length >= MANY) && !hasLooked) {
      hasLooked = true;
      const ended = await tools.ended(engine, claims);
      const left = claims.filter(({ id }) => !ended.has(id));
      if (left.length < claims.length) await table.compareAndSet({ tenant, workspace, claims: left }, found?.revision);
      continue;
    }
    if (over) throw exceeded(over, work);
    if (await table.compareAndSet({ tenant, workspace, claims: [...claims, mine] }, found?.revision))
      return () => removeClaim(rows, { tenant, workspace }, work.id);
    await sleep(Math.random() * 20);
    hasLooked = false;
  }
}

async function removeClaim(rows: Rows, key: { tenant: string; workspace: string }, id: string): Promise<void> {
  const table = rows.table(claimsOfQuotas);
  for (;;) {
    const found = await table.get(key);
    if (!found?.row.claims.some((one) => one.id === id)) return;
    const claims = found.row.claims.filter((one) => one.id !== id);
    if (await table.compareAndSet({ ...key, claims }, found.revision)) return;
  }
}

/** Returns the present use of infras and their use after the work, as far as the quota needs it. */
export async function readUses(
  reader: UseReader,
  { tenant, workspace, servers, monthly }: Pick<Quota, 'tenant' | 'workspace' | 'servers' | 'monthly'>,
  work?: Pick<WantedWork, 'infras'>,
): Promise<{ uses: InfraUse[]; infras: InfraUse[] }> {
  if (servers === undefined && !monthly) return { uses: [], infras: [] };
  const currency = monthly?.currency;
  const [uses, after] = await Promise.all([
    readWorkspaceUse(reader, { tenant, workspace }, currency),
    Promise.all((work?.infras ?? []).map((one) => readInfraAfter(reader, one, currency))),
  ]);
  return { uses, infras: after.flatMap((one) => one ?? []) };
}

function exceeded({ of, limit, used, after, workspace, currency }: QuotaUse, { id, workspace: place }: WantedWork) {
  const amount = (value: number) => (currency === undefined ? String(value) : `${value} ${currency}`);
  const scope = workspace === EVERYWHERE ? 'all workspaces together' : `the workspace "${workspace}"`;
  return inputError({
    code: 'quota-exceeded',
    what: 'start the work',
    on: id,
    why: `${scope} may have ${of}: ${amount(limit)}; now: ${amount(used)}, with this: ${amount(after ?? used)}`,
    hint:
      findTenant(place) === HOME_TENANT
        ? `provisioning quota show '${workspace}'`
        : 'the administrators of the platform set the quotas of a tenant',
  });
}

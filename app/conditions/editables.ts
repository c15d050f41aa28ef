import { stat } from 'node:fs/promises';
import { ProvisioningError } from '../../core/errors.js';
import { findRegisteredWorkspace } from '../../home/workspaces/registry.js';
import { settingsFile } from '../../settings/settings.js';
import { quotas } from '../../stores/rows/quotas.js';
import { tenants } from '../../stores/rows/tenants.js';
import { findAccount, listBindings } from '../access/service-accounts.js';
import { chooseTenant } from '../access/tenants.js';
import { homeOfEngine } from '../home-of-engine.js';
import { findLimitedPlace } from '../limits/limited-place.js';
import type { Editable } from '../method.js';
import { openRows } from '../open-rows.js';
import { chooseSecret, type SecretPlace } from '../secret/chosen-secret.js';

/** A secret: the number and the time of its newest version. */
export const editableSecret: Editable<SecretPlace> = {
  resource: ({ workspace, infra = '', shared = false, name }) => `secret ${shared ? '' : workspace}/${infra}/${name}`,
  async version({ engine }, { workspace, infra, shared, name }) {
    const { secrets, kept } = await chooseSecret(engine, { workspace, infra, shared, name });
    const [newest] = await secrets.history(kept);
    return newest && JSON.stringify([newest.version, newest.at]);
  },
};

/** The complete file of settings: a change of another key counts as a change. */
export const editableSetting: Editable<{ key: string }> = {
  resource: () => 'settings of the platform',
  async version({ engine }) {
    const { home } = homeOfEngine(engine);
    const found = await stat(settingsFile(home), { bigint: true }).catch(() => undefined);
    return found ? [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ') : 'no file';
  },
};

/** The quota that was set for a workspace, without its use. */
export const editableQuota: Editable<{ workspace: string; tenant?: string | undefined }> = {
  resource: ({ workspace, tenant }) => `quota ${tenant === undefined ? '' : `${tenant}/`}${workspace}`,
  async version({ engine, principal }, asked) {
    const rows = await openRows(engine.stores, 'read the quota');
    return (await rows.table(quotas).get(await findLimitedPlace(rows, principal, asked)))?.revision;
  },
};

export const editableTenant: Editable<{ tenant: string }> = {
  resource: ({ tenant }) => `tenant ${tenant}`,
  version: async ({ engine }, { tenant }) =>
    (await (await openRows(engine.stores, 'read the tenant')).table(tenants).get({ name: tenant }))?.revision,
};

/** A service account with its roles. */
export const editableAccount: Editable<{ account: string; tenant?: string | undefined }> = {
  resource: ({ account, tenant = '' }) => `service account ${tenant}/${account}`,
  async version({ engine, principal }, { account, tenant }) {
    const rows = await openRows(engine.stores, 'read the service account');
    const place = { tenant: await chooseTenant(rows, principal, tenant), name: account };
    const found = await findAccount(rows, place).catch((error: unknown) => {
      if (error instanceof ProvisioningError && error.details.code === 'unknown-service-account') return undefined;
      throw error;
    });
    if (!found) return undefined;
    const roles = (await listBindings(rows, found)).map(({ workspace, role, createdAt }) => [workspace, role, createdAt].join(' '));
    return JSON.stringify([found.id, ...roles.sort()]);
  },
};

/** The registration of a workspace: its folder. */
export const editableWorkspace: Editable<{ workspace: string }> = {
  resource: ({ workspace }) => `workspace ${workspace}`,
  version: async ({ engine }, { workspace }) => findRegisteredWorkspace(homeOfEngine(engine).home, workspace)?.folder,
};

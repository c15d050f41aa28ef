import * as z from 'zod';
import { EVERYWHERE } from '../access/roles.js';
import type { Resource } from '../principal.js';
import { environment, infra, time } from '../schemas/ids.js';
import { boundWorkspace } from '../schemas/service-account.js';
import type { describeFreeze } from './describe-freeze.js';
import { limitedTenant, nameLimitedResource } from './limited-place.js';

export const freezeReason = z.string().min(1).max(1_000).describe('Reason, which everybody sees whose change is refused');

/** Place of a freeze. */
export const frozenPlace = {
  workspace: boundWorkspace.describe('Name of the workspace; `*` for all workspaces'),
  infra: infra.infra.optional().describe('Only this infra of the workspace'),
  environment: environment.optional().describe('Only the infras in this environment'),
  tenant: limitedTenant,
};

export const listedFreeze = z.strictObject({
  place: z.string().describe('`WORKSPACE`, `WORKSPACE/INFRA`, or `*` for all workspaces; with `@ENVIRONMENT` for an environment'),
  workspace: z.string(),
  infra: z.string().optional(),
  environment: z.string().optional().describe('Only the infras in this environment are frozen'),
  reason: z.string(),
  by: z.string().describe('Author of the freeze'),
  since: time,
}) satisfies z.ZodType<ReturnType<typeof describeFreeze>>;

/** The place of a freeze, as permissions have it. */
export const freezeResource = (place: { workspace: string; infra?: string | undefined; tenant?: string | undefined }): Resource =>
  place.infra === undefined || place.workspace === EVERYWHERE || place.tenant !== undefined
    ? nameLimitedResource(place)
    : { type: 'Infra', id: `${place.workspace}/${place.infra}` };

import type { OperationRequest } from '../../core/operation/operation.js';
import { operationId } from '../../core/operation-id.js';
import type { Engine } from '../engine.js';
import { type ApplicationPlace, findApplication } from './applications.js';
import { chooseRelease } from './choose-release.js';
import { findFormerRelease } from './former-release.js';
import { readReleases } from './releases.js';

const WHAT = 'roll the application back';

export interface ReleaseRollback {
  /** Request that restores the release, as `plans.preview` and `plans.apply` accept it. */
  request: Omit<OperationRequest, 'actor' | 'check' | 'diff'>;
  release: string;
  /** Servers that never had the release, and get it from its stored source. */
  missing: string[];
}

/**
 * Chooses a release that the servers have, and creates the present definition with the application's entry of that
 * release. Changes nothing.
 *
 * @param to the release or the beginning of its name; absent: the one before the running release
 * @throws inputError `unknown-infra`, `unknown-app`, `unknown-process`, `app-not-asked`, `unknown-release`,
 * `release-not-kept`; unreachableError `no-worker`
 */
export async function prepareRollback(
  engine: Engine,
  { to, ...place }: Omit<ApplicationPlace, 'servers'> & { to?: string | undefined },
): Promise<ReleaseRollback> {
  const app = await findApplication(engine, place, WHAT);
  const { release, missing } = chooseRelease(place.application, await readReleases(engine, app, WHAT), to);
  const { workspace, infra } = place;
  return {
    request: {
      ...{ id: operationId('cluster', 'ensure', infra), kind: 'cluster', workspace, infra },
      intent: { verb: 'ensure', prune: true },
      definition: await findFormerRelease(engine, app.inventory, place.application, release),
    },
    release,
    missing,
  };
}

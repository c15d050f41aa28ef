import * as z from 'zod';
import { findApplication } from '../../application/applications.js';
import { readReleases } from '../../application/releases.js';
import { method } from '../../method.js';
import { applicationPlace, applicationResource, release } from '../../schemas/application.js';

const WHAT = 'list the releases';

export const releasesOfApplication = method({
  name: 'applications.releases',
  summary: 'Read the releases of an application on each server, the newest first',
  input: z.strictObject(applicationPlace),
  output: z.array(release),
  permission: { action: 'application:read', resource: applicationResource },
  errors: [
    'app-not-asked',
    'host-managed-by-another',
    'ssh-key-not-allowed',
    'this-host-not-allowed',
    'unknown-app',
    'unknown-infra',
    'unknown-process',
  ],
  async run({ engine }, place) {
    const byServer = await readReleases(engine, await findApplication(engine, place, WHAT), WHAT);
    return [...byServer.values()].flat();
  },
});

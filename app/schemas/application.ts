import * as z from 'zod';
import type { ApplicationPlace } from '../application/applications.js';
import type { Release } from '../application/releases.js';
import type { Resource } from '../principal.js';
import { infra } from './ids.js';
import { typeSchema } from './typed.js';

const text = z.string();

/** An application of an infra. */
export const applicationPlace = {
  ...infra,
  application: z.string().min(1).max(255).describe('The name of the application'),
};

/** Names of some servers that run an application. */
export const applicationServers = z
  .array(z.string().min(1).max(255))
  .min(1)
  .max(10_000)
  .optional()
  .describe('Only these servers; default: all that have the application');

export const applicationResource = ({ workspace, infra }: Pick<ApplicationPlace, 'workspace' | 'infra'>): Resource => ({
  type: 'Infra',
  id: `${workspace}/${infra}`,
});

export const release = typeSchema<Release>()(
  z.strictObject({
    server: text,
    release: text.describe('Name of the release'),
    there: text.describe('When the server got it, ISO 8601'),
    since: text.optional().describe('When it was started, ISO 8601; absent if another release runs'),
  }),
);

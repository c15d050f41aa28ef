import * as z from 'zod';
import { revealOutput } from '../../infra/reveal-output.js';
import { method } from '../../method.js';
import { infra, time } from '../../schemas/ids.js';
import { secretsResource } from '../../schemas/secret.js';

export const revealTheOutput = method({
  name: 'infras.revealOutput',
  summary:
    'Return the value of an output that is a share of a group, such as a token. A member of the group makes it if none is kept that lasts long enough; the read is recorded',
  input: z.strictObject({ ...infra, output: z.string().min(1).max(255).describe('The name of the output') }),
  output: z.strictObject({
    value: z.string(),
    until: time.describe('When the service does not accept it any more'),
    made: z.boolean().describe('Whether a member made it for this call'),
  }),
  permission: { action: 'secret:reveal', resource: secretsResource },
  errors: ['share-not-made', 'unknown-output'],
  run: revealOutput,
});

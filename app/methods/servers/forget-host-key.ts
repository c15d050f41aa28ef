import * as z from 'zod';
import { method } from '../../method.js';
import { infra, server } from '../../schemas/ids.js';

export const forgetHostKey = method({
  name: 'servers.forgetHostKey',
  summary: 'Forget the pinned host key of a server whose machine was recreated; the next key is pinned',
  input: z.strictObject({ ...infra, server }),
  output: z.void(),
  permission: {
    action: 'server:forget-host-key',
    resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${workspace}/${infra}` }),
  },
  errors: [],
  run: ({ engine }, { workspace, infra, server }) => engine.stores.keys.forget({ workspace, infra }, server),
});

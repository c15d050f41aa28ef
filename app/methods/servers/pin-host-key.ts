import * as z from 'zod';
import { method } from '../../method.js';
import { infra, server } from '../../schemas/ids.js';

export const pinHostKey = method({
  name: 'servers.pinHostKey',
  summary: "Pin the host key (`ssh-ed25519 AAAA…`) of an infra's server",
  input: z.strictObject({ ...infra, server, key: z.string().max(100_000) }),
  output: z.void(),
  permission: {
    action: 'server:pin-host-key',
    resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${workspace}/${infra}` }),
  },
  errors: [],
  run: ({ engine }, { workspace, infra, server, key }) => engine.stores.keys.pin({ workspace, infra }, server, key),
});

import * as z from 'zod';
import type { ServerLogin } from '../logins/find-logins.js';
import { typeSchema } from './typed.js';

const text = z.string();
const door = {
  address: text,
  port: z.int(),
  user: text,
  hostKey: text.optional().describe('Pinned host key, `ssh-ed25519 AAAA…`; absent if none is known'),
};

/** Data of a login to a server. */
export const serverLogin = typeSchema<ServerLogin>()(
  z.strictObject({
    server: text,
    ...door,
    publicKey: text.optional().describe('Key that logs in, as a line of `authorized_keys`; absent if the infra has none'),
    jump: z.strictObject(door).optional().describe('The host to go through'),
  }),
);

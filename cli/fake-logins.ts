import type { Client } from '../client/client.js';

/** For tests: a platform that permits logins everywhere and knows no host. */
export const fakeLogins: Pick<Client['servers'], 'login'> = {
  login: async ({ servers }) =>
    servers.map((server) => ({ server, address: '192.0.2.1', port: 22, user: 'root', publicKey: 'ssh-ed25519 AAAA' })),
};

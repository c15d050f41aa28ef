import type { Client } from '../client.js';
import { createLastingClient, type Lasting } from '../lasting-client.js';
import { checkServerUrl, checkToken, type ServerConnection } from './connection.js';
import { httpClient } from './http-client.js';

/**
 * Connects to a server of the API. Calls that change nothing, and streams, wait up to two minutes for a server that ended after
 * its first answer. A change is not repeated unless that is safe: its error has the code `answer-lost`.
 *
 * @param connection address, token and the certificates that are trusted, as PEM
 * @throws inputError `server-url`, `bad-token`
 * @example
 * const client = connectServer({ url: 'https://provisioning.example.org', token: process.env.PROVISIONING_TOKEN ?? '' });
 * console.log(await client.infras.list({ workspace: 'default' }));
 * await client.close();
 */
export function connectServer({ url, token, ca }: ServerConnection, lasting: Partial<Lasting> = {}): Client {
  const connection = { url: checkServerUrl(url), token: checkToken(token, 'token'), ...(ca !== undefined && { ca }) };
  return createLastingClient(async () => httpClient(connection), { away: () => {}, back: () => {}, ...lasting });
}

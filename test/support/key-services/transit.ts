import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Stand-in for the transit engine of Vault, according to the API's documentation: tokens, keys with versions,
 * `associated_data`, and errors as `{ "errors": [...] }`. If the real one is installed (real-vault.ts), tests run on
 * both.
 */
export interface Transit {
  address: string;
  token: string;
  /** Token without permissions. */
  powerless: string;
  makeKey(name: string): Promise<void>;
  rotate(name: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startTransit(): Promise<Transit> {
  const keys = new Map<string, Buffer[]>();
  const token = `hvs.${randomBytes(12).toString('hex')}`;
  const powerless = `hvs.${randomBytes(12).toString('hex')}`;
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = JSON.parse(Buffer.concat(parts).toString('utf8') || '{}') as Record<string, string>;
    const answer = (status: number, content: unknown) => response.writeHead(status).end(JSON.stringify(content));
    if (request.headers['x-vault-token'] !== token) return answer(403, { errors: ['permission denied'] });
    const [, verb = '', name = ''] = /^\/v1\/transit\/(encrypt|decrypt)\/([^/]+)$/.exec(request.url ?? '') ?? [];
    const versions = keys.get(name);
    if (!verb) return answer(404, { errors: [] });
    if (!versions) return answer(400, { errors: ['encryption key not found'] });
    try {
      answer(200, { data: verb === 'encrypt' ? encrypted(versions, body) : decrypted(versions, body) });
    } catch {
      answer(400, { errors: ['cipher: message authentication failed'] });
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    powerless,
    makeKey: async (name) => void keys.set(name, [randomBytes(32)]),
    rotate: async (name) => void keys.get(name)?.push(randomBytes(32)),
    stop: () => closed(server),
  };
}

function encrypted(versions: Buffer[], { plaintext = '', associated_data: data = '' }: Record<string, string>) {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', versions.at(-1) as Buffer, nonce).setAAD(Buffer.from(data, 'base64'));
  const sealed = Buffer.concat([nonce, cipher.update(Buffer.from(plaintext, 'base64')), cipher.final(), cipher.getAuthTag()]);
  return { ciphertext: `vault:v${versions.length}:${sealed.toString('base64')}`, key_version: versions.length };
}

function decrypted(versions: Buffer[], { ciphertext = '', associated_data: data = '' }: Record<string, string>) {
  const [, version, text = ''] = /^vault:v(\d+):(.+)$/.exec(ciphertext) ?? [];
  const sealed = Buffer.from(text, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', versions[Number(version) - 1] as Buffer, sealed.subarray(0, 12));
  decipher.setAAD(Buffer.from(data, 'base64')).setAuthTag(sealed.subarray(-16));
  const plain = Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
  return { plaintext: plain.toString('base64') };
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((done) => server.close(() => done()));
}

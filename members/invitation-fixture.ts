import { randomBytes } from 'node:crypto';
import type { Invitation } from './invitation.js';
import { makeCertificate } from './member-certificates.js';

/**
 * Creates an invitation for tests, with certificates from openssl and a random key. @param person owner of the
 * certificate
 */
export async function anInvitation(certificates: string, person: string, member = person): Promise<Invitation> {
  return {
    member,
    temporal: {
      address: 'temporal.example.org:7233',
      namespace: 'provisioning',
      serverName: 'localhost',
      tls: await makeCertificate(certificates, person, process.env),
    },
    store: { host: 'db.example.org', port: 5432, password: randomBytes(24).toString('hex') },
    encryption: {
      setUp: 'd28764f5',
      keys: {
        by: 'copy',
        keys: [
          { id: 'newer', since: '', key: keyText() },
          { id: 'older', since: '', key: keyText() },
        ],
      },
    },
  };
}

const keyText = (): string => randomBytes(32).toString('base64');

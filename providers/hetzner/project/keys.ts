import * as z from 'zod';
import type { CreateContext } from '../../../sdk/index.js';
import { type SshKey, sshKey } from '../api/shapes.js';
import { nameAndLabels } from './labels.js';
import type { Project } from './project.js';

/** Ensures the infra's key. Without a key, the vendor would send a password by mail. */
export async function ensureKey(project: Project, public_key: string, context: CreateContext): Promise<SshKey> {
  const { infra } = context.scope;
  const about = { what: 'make the key', on: infra };
  const make = async () =>
    (
      await project.api.post(
        z.object({ ssh_key: sshKey }),
        'ssh_keys',
        { ...nameAndLabels('key', infra, context), public_key },
        about,
      )
    ).ssh_key;
  const there = await project.ensure('key', infra, context, make);
  if (sameKey(there.public_key, public_key)) return there;
  // The infra has received a new key since.
  await project.shared(`key ${there.id}`, context.signal, () => project.api.remove(z.unknown(), `ssh_keys/${there.id}`, about));
  return project.ensure('key', infra, context, make);
}

const sameKey = (a: string, b: string) => a.split(' ')[1] === b.split(' ')[1];

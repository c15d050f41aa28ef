import { askPlatform, isRemote } from '../../../client/ask-platform.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

/** Variables that select a key service or hold its credentials. */
const KEY_SERVICE = /^(PROVISIONING_ENCRYPTION_KMS|PROVISIONING_KEY_COMMAND$|VAULT_|BAO_|AWS_)/;

export const command = defineCommand({
  details:
    'Wraps all encryption keys of the home with the configured key service. Use it after you chose another service, or after its key got a new version. With `local` it creates a new wrapping key and removes the former one. The encrypted data does not change.',
  examples: ['encryption rewrap'],
  async run(session) {
    const names = Object.keys(session.env).filter((name) => KEY_SERVICE.test(name) && session.env[name]);
    const why = `${names.join(', ')} of this environment choose the key service`;
    const here = names.length > 0 && !isRemote(session) ? ({ because: 'environment', why } as const) : undefined;
    const { kms, keys: count, restart } = await askPlatform(session, 'encryption', (encryption) => encryption.rewrap({}), here);
    const after = restart ? RESTART : '';
    if (session.json) writeDocument(session, { kms, keys: count });
    else session.out.write(`wrapped ${count} ${count === 1 ? 'key' : 'keys'} by ${kms}\n${after}`);
    return 0;
  },
});

const RESTART = 'a running worker has the former settings until it is started again: provisioning down, provisioning up\n';

import { findKeyPlace } from '../../../members/keys/key-place.js';
import { rewrapKeys } from '../../../stores/files/rewrap-keys.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  details:
    'Wraps all encryption keys of the home with the configured key service. Use it after you chose another service, or after its key got a new version. With `local` it creates a new wrapping key and removes the former one. The encrypted data does not change.',
  examples: ['encryption rewrap'],
  async run(session) {
    const { kms, keys: count, isOther } = await rewrapKeys(session.home, await findKeyPlace(session));
    const after = isOther ? RESTART : '';
    if (session.json) writeDocument(session, { kms, keys: count });
    else session.out.write(`wrapped ${count} ${count === 1 ? 'key' : 'keys'} by ${kms}\n${after}`);
    return 0;
  },
});

const RESTART = 'a running worker has the former settings until it is started again: provisioning down, provisioning up\n';

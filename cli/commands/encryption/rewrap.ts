import { keyFileOf } from '../../../encryption/keys.js';
import { kmsKindOf } from '../../../encryption/kms/open-kms.js';
import { keyPlaceOf } from '../../../members/keys/key-place.js';
import { beginKeys } from '../../../members/keys/rotate-key.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  details:
    'Wraps all encryption keys of the home with the configured key service. Use it after you chose another service, or after its key got a new version. With `local` it creates a new wrapping key and removes the former one. The encrypted data does not change.',
  examples: ['encryption rewrap'],
  async run(session) {
    const place = await keyPlaceOf(session);
    await beginKeys(session.home, place);
    const file = keyFileOf(place);
    const kms = kmsKindOf(place.env);
    const isOther = (await file.wrappedBy()).some((kind) => kind !== kms);
    const count = await file.wrapAgain('all');
    const after = isOther ? RESTART : '';
    if (session.json) writeDocument(session, { kms, keys: count });
    else session.out.write(`wrapped ${count} ${count === 1 ? 'key' : 'keys'} by ${kms}\n${after}`);
    return 0;
  },
});

const RESTART = 'a running worker has the former settings until it is started again: provisioning down, provisioning up\n';

import { inputError } from '../../../core/errors.js';
import { environmentKeys, keyFileOf } from '../../../encryption/keys.js';
import { beginSealed } from '../../../stores/files/sealing.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { keyPlaceOf } from '../../shared/keys/key-place.js';
import { ofFormerVersion } from './rewrap.js';

export const command = defineCommand({
  details:
    'Everything written from now on is encrypted with the new key; running processes of this home use it within a second. Former keys stay in the file, to read what they encrypted. Make a new recovery copy afterwards.',
  async run(session) {
    const place = await keyPlaceOf(session);
    const [given] = environmentKeys(place.env);
    if (given) {
      throw inputError({
        code: 'keys-from-environment',
        what: 'rotate the encryption key',
        on: `key ${given.id}`,
        why: `it comes from ${given.source}, which nobody but you can change`,
        hint: 'add a new key at the end of PROVISIONING_ENCRYPTION_KEYS on all machines and run `provisioning up` on each, then put it first and run `up` on each again',
      });
    }
    if (!(await beginSealed(session.home, place.env))) throw ofFormerVersion(session.home.root);
    const file = keyFileOf(place);
    const [former] = await file.read();
    const { id, source } = await file.add();
    if (session.json) writeDocument(session, { key: id, former: former?.id, source });
    else
      session.out.write(
        `key ${id} encrypts from now on; ${former ? `${former.id} still decrypts` : 'it is the first'}\nmake a new recovery copy: provisioning key export FILE\n`,
      );
    return 0;
  },
});

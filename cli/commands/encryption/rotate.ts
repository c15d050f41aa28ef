import { findKeyPlace } from '../../../members/keys/key-place.js';
import { rotateKey } from '../../../stores/files/rotate-key.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  details:
    'New data is encrypted with the new key; running processes of this home use it within a second. Earlier keys stay in the file, to decrypt older data. Make a new recovery copy afterwards.',
  async run(session) {
    const { id, former, source } = await rotateKey(session.home, await findKeyPlace(session));
    if (session.json) writeDocument(session, { key: id, former, source });
    else
      session.out.write(
        `key ${id} encrypts from now on; ${former ? `${former} still decrypts` : 'it is the first'}\nmake a new recovery copy: provisioning key export FILE\n`,
      );
    return 0;
  },
});

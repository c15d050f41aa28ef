import { askPlatform } from '../../../client/ask-platform.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  details:
    'New data is encrypted with the new key; running processes of this home use it within a second. Earlier keys stay in the file, to decrypt older data. Make a new recovery copy afterwards.',
  async run(session) {
    const { key, former, source } = await askPlatform(session, 'encryption', (encryption) => encryption.rotate({}));
    if (session.json) writeDocument(session, { key, former, source });
    else
      session.out.write(
        `key ${key} encrypts from now on; ${former ? `${former} still decrypts` : 'it is the first'}\nmake a new recovery copy: provisioning key export FILE\n`,
      );
    return 0;
  },
});

import { ageRecipients } from '../../../authoring/sops/age-keys.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  details: 'Lists the recipients of your age keys for SOPS files, never the keys.',
  examples: ['key list', 'key list --json'],
  async run(session) {
    const { recipients, looked } = await ageRecipients(session);
    if (session.json) writeDocument(session, { recipients, looked });
    else if (recipients.length === 0)
      session.out.write(`no age key was found in ${looked.join(', ')}\nmake one: provisioning key generate\n`);
    else session.out.write(recipients.map((one) => `${one}\n`).join(''));
    return 0;
  },
});

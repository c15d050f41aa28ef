import { makeAgeKey } from '../../../authoring/sops/age-keys.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  options: [
    { flags: '--output <file>', about: 'file of the key (default: age/keys.txt of the home, where commands look for it)' },
    { flags: '--add', about: 'add the key to the existing keys of the file' },
  ],
  details:
    'An age key opens the SOPS files that are encrypted for it. Add the public recipient to .sops.yaml. The key itself is never printed; keep a copy of its file.',
  examples: ['key generate', 'key generate --output ~/.config/sops/age/keys.txt'],
  async run(session, { flags }) {
    const { file, recipient } = await makeAgeKey(session, { file: flags.output, add: flags.add });
    if (session.json) writeDocument(session, { file, recipient });
    else session.out.write(`made: ${file}\nrecipient: ${recipient}\n`);
    return 0;
  },
});

import { makeAgeKey } from '../../../app/sops/age-keys.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  options: [
    { flags: '--output <file>', about: 'where to (default: age/keys.txt of the home, where it is looked for)' },
    { flags: '--add', about: 'put it beside the keys that the file has' },
  ],
  details:
    'An age key opens the SOPS files that are encrypted for it. The recipient is public: it belongs into .sops.yaml. The key itself is printed nowhere; keep a copy of its file.',
  examples: ['key generate', 'key generate --output ~/.config/sops/age/keys.txt'],
  async run(session, { flags }) {
    const { file, recipient } = await makeAgeKey(session, { file: flags.output, add: flags.add });
    if (session.json) writeDocument(session, { file, recipient });
    else session.out.write(`made: ${file}\nrecipient: ${recipient}\n`);
    return 0;
  },
});

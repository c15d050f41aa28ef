import { decryptFile } from '../../../authoring/sops/sops-files.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  arguments: [['<file>', 'a SOPS file']],
  details:
    'Prints the content without a confirmation. A pipe or a file gets the exact bytes; a terminal gets control characters in visible form. `secret edit` shows the content without leaving it on the screen.',
  examples: ['secret decrypt secrets/prod.sops.yaml', 'secret decrypt app.env > /dev/shm/app.env'],
  async run(session, { args: [file = ''] }) {
    const content = await decryptFile(session, file);
    if (session.json) writeDocument(session, { file, content: content.toString() });
    else session.out.data(content);
    return 0;
  },
});

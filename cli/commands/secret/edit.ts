import { editSopsFile } from '../../../authoring/sops/edit-sops-file.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  arguments: [['<file>', 'SOPS file (.yaml, .json, .env, any other); created if it does not exist']],
  details:
    'Decrypts the file into a private folder in memory and opens it in $SOPS_EDITOR, $VISUAL or $EDITOR (default: vi). Then it encrypts the result and removes the folder. Unchanged values keep their text in the file. docs/use/sops.md lists the keys that are used.',
  examples: ['secret edit secrets/prod.sops.yaml', 'sops secrets/prod.sops.yaml'],
  async run(session, { args: [file = ''] }) {
    const again = async (why: string) => session.interactive && session.confirm(`${why}. Edit it again?`);
    const { changed, made } = await editSopsFile(session, file, again);
    if (session.json) writeDocument(session, { file, changed, made });
    else session.out.write(`${made ? 'made' : changed ? 'written' : 'nothing was changed'}: ${file}\n`);
    return 0;
  },
});

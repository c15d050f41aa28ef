import { editSopsFile } from '../../../app/sops/edit-sops-file.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  arguments: [['<file>', 'a SOPS file (.yaml, .json, .env, any other); one that is not there is made']],
  details:
    'Decrypts it into a private folder in memory, opens it in $SOPS_EDITOR, $VISUAL or $EDITOR (else vi), encrypts what comes back, and takes the folder away. Values that did not change keep their text in the file. docs/guides/sops.md says which keys are used.',
  examples: ['secret edit secrets/prod.sops.yaml', 'sops secrets/prod.sops.yaml'],
  async run(session, { args: [file = ''] }) {
    const again = async (why: string) => session.interactive && session.confirm(`${why}. Edit it again?`);
    const { changed, made } = await editSopsFile(session, file, again);
    if (session.json) writeDocument(session, { file, changed, made });
    else session.out.write(`${made ? 'made' : changed ? 'written' : 'nothing was changed'}: ${file}\n`);
    return 0;
  },
});

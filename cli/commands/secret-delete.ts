import { didYouMean } from '../../config/did-you-mean.js';
import { inputError } from '../../core/errors.js';
import type { Command } from '../command.js';
import { withSecrets } from '../definition-file.js';
import { writeDocument } from '../render/document.js';

export const command: Command = {
  arguments: [['<name>', 'name of the secret']],
  details: 'Definitions that refer to it no longer load; one that was generated is made anew at its next use.',
  async run(session, { args: [name = ''] }) {
    await withSecrets(session, async (store) => {
      if (await store.delete(name)) return;
      const hint = didYouMean(name, await store.list());
      throw inputError({ code: 'unknown-secret', what: 'delete the secret', on: name, why: 'it is not set', hint });
    });
    if (session.json) writeDocument(session, { secret: name, deleted: true });
    else session.out.write(`deleted: ${name}\n`);
    return 0;
  },
};

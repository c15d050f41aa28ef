import { inputError } from '../../core/errors.js';
import type { Command } from '../command.js';
import { INFRA } from '../command.js';
import { writeDocument } from '../render/document.js';
import { subject } from '../which-infra.js';

export const command: Command = {
  arguments: [['<name>', 'the server']],
  options: [INFRA, { flags: '--yes', about: 'do not ask' }],
  details:
    'For a machine that was made anew outside of our sight: the next host key it shows is pinned. Anybody in between could show theirs.',
  examples: ['server forget-key web-1', 'server forget-key web-1 --infra shop --yes'],
  async run(session, { args: [name = ''], flags }) {
    const { infra } = await subject(session, flags);
    if (!flags.yes) {
      if (!session.interactive) {
        throw inputError({
          code: 'question-without-terminal',
          what: 'forget the host key',
          on: name,
          why: 'it must be confirmed',
          hint: 'add --yes',
        });
      }
      if (!(await session.confirm(`Trust the next host key that ${name} shows?`))) return 0;
    }
    const client = await session.client();
    await client.forgetHostKey(session.workspace, infra, name);
    if (session.json) writeDocument(session, { server: name, forgotten: true });
    else session.out.write(`forgotten: the host key of ${name}\n`);
    return 0;
  },
};

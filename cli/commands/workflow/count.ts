import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  options: [
    { flags: '--infra <name>', about: 'only of this infra' },
    { flags: '--checks', about: 'include previews, made by --check and confirmations' },
  ],
  examples: ['workflow count', 'wf count --infra shop'],
  async run(session, { flags: { infra, checks } }) {
    const answer = await (await session.client()).operations.count({
      workspace: session.workspace,
      infra,
      ...(checks && { checks }),
    });
    if (session.json) writeDocument(session, answer);
    else session.out.write(`${answer.count}\n`);
    return 0;
  },
});

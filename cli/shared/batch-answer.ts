import type { Client } from '../../client/client.js';
import type { By } from '../../core/operation/control.js';
import type { Command } from '../command.js';
import { writeDocument } from '../render/document.js';
import { byOf, REASON } from './control.js';
import { followBatch } from './follow-batch.js';

/** A command that says something to a batch, and follows it. */
export const batchAnswer = (details: string, say: (client: Client, id: string, by: By) => Promise<string>): Command => ({
  arguments: [['<batch>', 'id of the batch']],
  options: [REASON, { flags: '--no-wait', about: 'return as soon as it has the answer' }],
  details,
  async run(session, { args: [id = ''], flags }) {
    const by = byOf(session, flags);
    const answer = await say(await session.client(), id, by);
    if (flags.wait !== false && !session.json) session.out.write(`${answer}\n`);
    if (flags.wait !== false) return followBatch(session, id);
    if (session.json) writeDocument(session, { batch: id, answer });
    else session.out.write(`${answer}\nfollow it: provisioning batch follow ${id}\n`);
    return 0;
  },
});
